import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { toZwarmError, usageError, ZwarmError } from '../core/errors.ts';
import type { CliContext } from './context.ts';

/** Where a task or message may come from. */
export interface TaskSource {
  /** The argument, `-` for stdin, or undefined. */
  readonly argument: string | undefined;
  /** `-F`, `-` for stdin, or undefined. */
  readonly file: string | undefined;
  readonly what: 'task' | 'message';
  /** The command line that it is for, up to the text. */
  readonly line: string;
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    const hint = 'convert it first, with iconv for example';
    throw usageError(`the ${what} is not valid UTF-8 text`, hint, error);
  }
}

function readTaskFile(path: string, what: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw usageError(`cannot read the ${what} from ${path}`, 'give a readable file with -F FILE', error);
  }
}

/** A page that the user writes on in the editor. */
export interface Page {
  /** What it is, as errors call it; its file is named after it. */
  readonly what: string;
  readonly name: string;
  /** What stands on it. */
  readonly content: string;
  /** How else it can be given. */
  readonly otherwise: string;
  /** What the user has written, from what stands on it then; empty for nothing. @throws ZwarmError `usage` */
  read(content: string): string;
}

const TEMPLATE = (what: string): string =>
  `\n<!-- Write the ${what} above, save and close. This comment is dropped; an empty ${what} starts nothing. -->\n`;

/** An empty page for a task or message. */
const emptyPage = (what: string): Page => ({
  what,
  name: `${what.toUpperCase()}.md`,
  content: TEMPLATE(what),
  otherwise: 'write it as an argument',
  read: (content) => content.replaceAll(TEMPLATE(what).trim(), '').trim(),
});

/** Creates a file for the editor in a new directory that only the user can read, whatever the umask. */
function createPage({ name, content }: Page): string {
  const directory = mkdtempSync(join(tmpdir(), 'zwarm-'));
  chmodSync(directory, 0o700);
  const path = join(directory, name);
  writeFileSync(path, content);
  chmodSync(path, 0o600);
  return path;
}

/** The same error, with a hint at the file that holds what the user wrote. */
function kept(error: unknown, path: string): ZwarmError {
  const { code, message, hint } = toZwarmError(error);
  const hints = [...(hint === null ? [] : [hint]), `what you wrote is kept in ${path}`];
  return new ZwarmError(code, message, hints.join('; '), error);
}

/** Has the user write on a page in the editor, and uses what was written. Its file is kept if that fails, unless it is empty. */
export async function withEdited<T>(
  context: CliContext,
  page: Page,
  use: (text: string) => Promise<T>,
): Promise<T> {
  const { env } = context;
  const { what, content, read } = page;
  const editor = env['ZWARM_EDITOR'] || env['VISUAL'] || env['EDITOR'];
  if (!editor) throw usageError(`no ${what} was given`, `${page.otherwise}, or set EDITOR to write it there`);
  const path = createPage(page);
  let isKept = false;
  try {
    const code = await context.runOnTerminal(editor, [path]);
    const edited = decode(readFileSync(path), what);
    isKept = edited !== content;
    const text = read(edited);
    isKept = text !== '';
    // As it could be given with -F.
    if (content === TEMPLATE(what)) writeFileSync(path, `${text}\n`);
    if (code !== 0) throw usageError(`the editor ended with ${code ?? 'a signal'}`, 'nothing was started');
    const result = await use(text);
    isKept = false;
    return result;
  } catch (error) {
    throw isKept ? kept(error, path) : error;
  } finally {
    if (!isKept) rmSync(dirname(path), { recursive: true, force: true });
  }
}

/** The text of a task or message, byte for byte: the argument, a file, or stdin. @throws ZwarmError `usage` */
export async function readTask(
  context: CliContext,
  { argument, file, what, line }: TaskSource,
): Promise<string> {
  if (argument !== undefined && file !== undefined) {
    throw usageError(`the ${what} was given twice: as an argument and with -F`, 'leave one of them out');
  }
  const given = argument ?? file;
  if (given !== undefined && given !== '-') {
    return argument ?? decode(readTaskFile(resolve(context.cwd, given), what), what);
  }
  const piped = decode(await context.stdin.readAll(), what);
  if (given === '-' || piped.trim() !== '') return piped;
  throw usageError(`no ${what} was given`, `write it as an argument: ${line} "…"`);
}

/** Uses a text. Where the line has none, the editor opens on a terminal: after `check`, which refuses whatever the text. */
export async function withTask<T>(
  context: CliContext,
  source: TaskSource,
  { check, use }: { check(): Promise<void>; use(text: string): Promise<T> },
): Promise<T> {
  const isGiven = source.argument !== undefined || source.file !== undefined;
  if (isGiven || !context.stdin.isTTY) return use(await readTask(context, source));
  await check();
  return withEdited(context, emptyPage(source.what), use);
}
