import { usageError } from './errors.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `45s`, `10m`, `2h`, `3d` or bare seconds, in milliseconds. @throws ZwarmError `usage` */
export function parseDuration(text: string, option: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)([smhd]?)$/.exec(text);
  if (match) return Number(match[1]) * (UNITS[match[2] || 's'] ?? 1000);
  throw usageError(
    `${option}: ${JSON.stringify(text)} is not a duration`,
    'write 45s, 10m or 2h; a bare number is seconds',
  );
}

// The last millisecond of the year 9999.
const LAST_MS = 253_402_300_799_999;
/** A time as it is stored and printed: UTC, milliseconds, `Z`; one that `parseIso` reads, whatever a file was set to. */
export function isoTime(ms: number): string {
  return new Date(Math.min(Math.max(ms, 0), LAST_MS)).toISOString();
}

/** `45s`, `12m`, `3h`, `5d`: a span of time in its largest unit. */
export function shortSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** `2026-01-31`: the day of a time (ms since the epoch) on the clock of this machine. */
export function localDay(ms: number): string {
  const time = new Date(ms);
  const pad = (n: number): string => String(n).padStart(2, '0');
  return `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`;
}

/** The milliseconds of a stored time, or null when it is not one. */
export function parseIso(text: string | null): number | null {
  if (text === null || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

/** When a record was written (ms): as its file says, unless that was copied or touched since and is far from the record. */
export function writtenMs(fileMs: number, recordedMs: number | null): number {
  return recordedMs === null || Math.abs(fileMs - recordedMs) <= 10_000 ? fileMs : recordedMs;
}
