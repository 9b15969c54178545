import { Chalk, type ChalkInstance } from 'chalk';
import type { SessionStatus } from '../core/session.ts';

/** How to write for one stream. */
export interface Style {
  readonly paint: ChalkInstance;
  /** Columns of the terminal; infinite where nothing is wrapped or cut. */
  readonly width: number;
  /** Milliseconds since the epoch, for relative times. */
  readonly nowMs: number;
  /** Draws Markdown as lines of at most the width. Null where agents' messages stay as they were written. */
  readonly markdown: ((text: string, style: Style) => readonly string[]) | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether a stream gets colours: NO_COLOR says no, then FORCE_COLOR and CLICOLOR_FORCE say yes (or with `0` no), then
 * CLICOLOR=0 and TERM=dumb say no, then the stream's own terminal decides.
 */
export function wantsColour(env: Environment, isTerminal: boolean): boolean {
  if (env['NO_COLOR']) return false;
  for (const force of [env['FORCE_COLOR'], env['CLICOLOR_FORCE']]) {
    if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  }
  if (env['CLICOLOR'] === '0' || env['TERM'] === 'dumb') return false;
  return isTerminal;
}

/** The style for a stream. */
export function createStyle(
  env: Environment,
  stream: { isTTY: boolean; columns: number },
  nowMs: number,
): Style {
  const level = wantsColour(env, stream.isTTY) ? 1 : 0;
  return { paint: new Chalk({ level }), width: stream.columns, nowMs, markdown: null };
}

/** A status in its colour. */
export function paintStatus(status: SessionStatus, { paint }: Style): string {
  switch (status) {
    case 'completed':
      return paint.green(status);
    case 'running':
      return paint.cyan(status);
    case 'pending':
      return paint.yellow(status);
    case 'failed':
    case 'damaged':
      return paint.red(status);
    case 'killed':
    case 'lost':
    case 'unknown':
      return paint.magenta(status);
  }
}

/** `45s`, `12m`, `3h`, `5d`: a span of time in its largest unit. */
export function shortSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** `1m 05s`: a duration in two units. */
export function longSpan(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const pad = (n: number): string => String(n).padStart(2, '0');
  if (seconds < 10) return `${(Math.floor(Math.max(0, ms) / 100) / 10).toFixed(1)}s`;
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${pad(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h ${pad(Math.floor((seconds % 3600) / 60))}m`;
}

/** `12,345` up to a million, then `1.2M`. */
export function shortCount(count: number): string {
  return count < 1_000_000 ? count.toLocaleString('en-US') : `${(count / 1_000_000).toFixed(1)}M`;
}

/** `1.5 MB`; powers of 1000. */
export function shortBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let step = 0;
  // By what is printed: 999,999 bytes would be 1000.0 kB.
  while (step < units.length - 1 && Number(value.toFixed(1)) >= 1000) {
    value /= 1000;
    step += 1;
  }
  return `${step === 0 ? value : value.toFixed(1)} ${units[step]}`;
}
