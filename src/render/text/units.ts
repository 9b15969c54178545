import { localDay } from '../../core/time.ts';

/* Numbers as people read them. Apart from `style.ts`, which loads what paints. */

/** `1 session`, `2 sessions`. */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** `1 process`, `2 processes`. */
export const countedProcesses = (count: number): string => (count === 1 ? '1 process' : `${count} processes`);

/** `1m 05s`: a duration in two units. */
export function longSpan(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const pad = (n: number): string => String(n).padStart(2, '0');
  if (seconds < 10) return `${(Math.floor(Math.max(0, ms) / 100) / 10).toFixed(1)}s`;
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h ${pad(Math.floor((seconds % 3600) / 60))}m`;
}

/** `2026-01-31 09:30`: a time on the clock of this machine. */
export function localTime(ms: number): string {
  const time = new Date(ms);
  const pad = (n: number): string => String(n).padStart(2, '0');
  return `${localDay(ms)} ${pad(time.getHours())}:${pad(time.getMinutes())}`;
}

/** `9,999`, then `86.9k`, then `1.2M`. */
export function shortCount(count: number): string {
  // Not in Node's own way, whose first number takes a tenth of the time until the first screen.
  if (count < 10_000) return String(count).replace(/^\d(?=\d{3}$)/, '$&,');
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** Lines that came and went: `+120 −37`. */
export const plusMinus = ({ added, removed }: { readonly added: number; readonly removed: number }): string =>
  `+${added} −${removed}`;
