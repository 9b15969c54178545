import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ZwarmError } from '../core/errors.ts';
import type { CliContext } from './context.ts';

/** Where a task or message may come from. */
export interface TaskSource {
  /** The argument, `-` for stdin, or undefined. */
  readonly argument: string | undefined;
  /** `-F`, `-` for stdin, or undefined. */
  readonly file: string | undefined;
  readonly what: 'task' | 'message';
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new ZwarmError(
      'usage',
      `the ${what} is not valid UTF-8 text`,
      'convert it first, with iconv for example',
      error,
    );
  }
}

function readTaskFile(path: string, what: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new ZwarmError(
      'usage',
      `cannot read the ${what} from ${path}`,
      'give a readable file with -F FILE',
      error,
    );
  }
  return decode(bytes, what);
}

const TEMPLATE = (what: string): string =>
  `\n<!-- Write the ${what} above, save and close. This comment is dropped; an empty ${what} starts nothing. -->\n`;

async function edit(context: CliContext, what: string): Promise<string> {
  const { env } = context;
  const editor = env['ZWARM_EDITOR'] || env['VISUAL'] || env['EDITOR'];
  if (!editor) {
    throw new ZwarmError(
      'usage',
      `no ${what} was given`,
      'write it as an argument, or set EDITOR to write it there',
    );
  }
  const directory = mkdtempSync(join(tmpdir(), 'zwarm-'));
  const path = join(directory, `${what.toUpperCase()}.md`);
  try {
    writeFileSync(path, TEMPLATE(what), { mode: 0o600 });
    const code = await context.runOnTerminal(editor, [path]);
    if (code !== 0)
      throw new ZwarmError('usage', `the editor ended with ${code ?? 'a signal'}`, 'nothing was started');
    return decode(readFileSync(path), what).replaceAll(TEMPLATE(what).trim(), '').trim();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * The text of a task or message: the argument, a file, stdin (`-`, or anything piped in), or the user's editor on a
 * terminal. Kept byte for byte but for the editor's. @throws ZwarmError `usage`
 */
export async function readTask(context: CliContext, { argument, file, what }: TaskSource): Promise<string> {
  if (argument !== undefined && file !== undefined) {
    throw new ZwarmError(
      'usage',
      `the ${what} was given twice: as an argument and with -F`,
      'leave one of them out',
    );
  }
  const given = argument ?? file;
  if (given === '-') return decode(await context.stdin.readAll(), what);
  if (argument !== undefined) return argument;
  if (file !== undefined) return readTaskFile(resolve(context.cwd, file), what);
  if (context.stdin.isTTY) return edit(context, what);
  const piped = decode(await context.stdin.readAll(), what);
  if (piped.trim() !== '') return piped;
  throw new ZwarmError(
    'usage',
    `no ${what} was given`,
    `write it as an argument: zwarm ${what === 'task' ? 'start' : 'inject ID'} "…"`,
  );
}
