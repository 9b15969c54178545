import type { CliContext, OutputStream, PagerCommand } from '../context.ts';

/** Characters that are written at a time. */
const CHUNK = 1 << 16;

/** The pieces of a text, put together to chunks, since each costs a system call; while they are read, V8 prefers memory. */
function* inChunks(pieces: Iterable<string>, preferMemory: () => () => void): Generator<string> {
  const end = preferMemory();
  try {
    let chunk = '';
    for (const piece of pieces) {
      chunk += piece;
      if (chunk.length < CHUNK) continue;
      yield chunk;
      chunk = '';
    }
    yield chunk;
  } finally {
    end();
  }
}

/** Prints a text as it comes, and waits until each chunk of it was taken: no more of it is in memory than that. */
export async function printAsRead(stream: OutputStream, pieces: Iterable<string>): Promise<void> {
  const { preferMemory } = await import('./prefer-memory.ts');
  for (const chunk of inChunks(pieces, preferMemory)) {
    await stream.send(chunk);
    if (stream.closed.aborted) return;
  }
}

/** The user's pager, run by the shell as git does it, else less where the terminal can move; null where none is wanted. */
export function pagerOf(env: CliContext['env']): PagerCommand | null {
  const chosen = env['ZWARM_PAGER'] ?? env['PAGER'];
  if (chosen === undefined) return env['TERM'] === 'dumb' ? null : ['less'];
  const command = chosen.trim();
  return command === '' || command === 'cat' ? null : ['/bin/sh', '-c', command];
}

/** Whether hyperlinks reach the terminal: less lets them through, other pagers may show them as they are written. */
export function passesLinks(env: CliContext['env']): boolean {
  const words = pagerOf(env)?.at(-1) ?? 'less';
  return /^(?:\S*\/)?less\b/.test(words);
}

/** What pagers need to know unless the user says otherwise: colours are meant, leave what fits, text is UTF-8. */
const DEFAULTS: Readonly<Record<string, string>> = { LESS: 'FRX', LESSCHARSET: 'utf-8', LV: '-c' };

/** The beginning of a page that fills a screen, or all of it where it fits. */
function firstScreen(
  page: Iterator<string>,
  rows: number,
): { readonly text: string; readonly fits: boolean } {
  let text = '';
  let lines = 0;
  // The last line of the screen is for what is typed next.
  while (lines < rows) {
    const piece = page.next();
    if (piece.done) return { text, fits: true };
    text += piece.value;
    lines += piece.value.split('\n').length - 1;
  }
  return { text, fits: false };
}

/** Prints a page as it is read: with a pager, if it is `wanted` and stdout is a terminal that the page does not fit on. */
export async function showPage(
  context: CliContext,
  page: () => Iterable<string>,
  wanted: boolean,
): Promise<void> {
  const { stdout, env } = context;
  // A terminal that is made up has no end, where all of a page would be read before any of it is printed.
  const pager = wanted && stdout.takesEscapes ? pagerOf(env) : null;
  if (pager === null) return printAsRead(stdout, page());
  const pieces = page()[Symbol.iterator]();
  const first = firstScreen(pieces, stdout.rows);
  if (first.fits) return stdout.send(first.text);
  const { preferMemory } = await import('./prefer-memory.ts');
  const whole = function* (): Generator<string> {
    // At once: the pager shows it while the rest is read.
    yield first.text;
    yield* inChunks({ [Symbol.iterator]: () => pieces }, preferMemory);
  };
  const missing = Object.entries(DEFAULTS).filter(([name]) => env[name] === undefined);
  const shown = await context.runPager(pager, whole(), Object.fromEntries(missing));
  // Whoever leaves the pager in the middle ends the reading.
  pieces.return?.();
  // What was read for a pager that cannot be run is read once more.
  if (!shown) await printAsRead(stdout, page());
}
