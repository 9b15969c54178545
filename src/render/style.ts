import { Chalk, type ChalkInstance } from 'chalk';
import type { SessionStatus } from '../core/status.ts';

/** How to write for one stream. */
export interface Style {
  readonly paint: ChalkInstance;
  /** Columns of the terminal; infinite where nothing is wrapped or cut. */
  readonly width: number;
  /** Milliseconds since the epoch, for relative times. */
  readonly nowMs: number;
  /** Draws Markdown as lines of at most the width. Null where agents' messages stay as they were written. */
  readonly markdown: ((text: string, style: Style) => Iterable<string>) | null;
  /** The name of this host, for hyperlinks to its files. Null where there are none. */
  readonly linkHost: string | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a stream gets colours: what the first of these variables says, else whether it is a terminal. */
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
  { isTTY, columns }: { readonly isTTY: boolean; readonly columns: number },
  nowMs: number,
): Style {
  const paint = new Chalk({ level: wantsColour(env, isTTY) ? 1 : 0 });
  return { paint, width: columns, nowMs, markdown: null, linkHost: null };
}

// Each of these can be read on a dark and on a light background: yellow and blue cannot.
const COLOURS = {
  completed: 'green',
  running: 'cyan',
  pending: 'dim',
  ready: 'dim',
  failed: 'red',
  damaged: 'red',
  killed: 'magenta',
  lost: 'magenta',
  unknown: 'magenta',
} as const satisfies Record<SessionStatus, string>;

/** What paints a line of a patch. */
export function patchPaint(line: string, { paint }: Style): (text: string) => string {
  if (line.startsWith('@@')) return paint.cyan;
  if (line.startsWith('+')) return paint.green;
  return line.startsWith('-') ? paint.red : String;
}

/** A status, or another word for it, in its colour. */
export function paintStatus(status: SessionStatus, { paint }: Style, word: string = status): string {
  return paint[COLOURS[status]](word);
}
