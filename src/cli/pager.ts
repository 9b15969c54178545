import type { CliContext, OutputStream, PagerCommand } from './context.ts';

/** Characters that are written at a time. */
const CHUNK = 1 << 16;

/** Prints a text as it comes, and waits until each chunk of it was taken: no more of it is in memory than that. */
export async function printAsRead(stream: OutputStream, pieces: Iterable<string>): Promise<void> {
  let chunk = '';
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < CHUNK) continue;
    await stream.send(chunk);
    if (stream.closed.aborted) return;
    chunk = '';
  }
  await stream.send(chunk);
}

/** The user's pager, run by the shell as git does it, else less where the terminal can move; null where none is wanted. */
export function pagerOf(env: CliContext['env']): PagerCommand | null {
  const chosen = env['ZWARM_PAGER'] ?? env['PAGER'];
  if (chosen === undefined) return env['TERM'] === 'dumb' ? null : ['less'];
  const command = chosen.trim();
  return command === '' || command === 'cat' ? null : ['/bin/sh', '-c', command];
}

/** What pagers need to know unless the user says otherwise: colours are meant, leave what fits, text is UTF-8. */
const DEFAULTS: Readonly<Record<string, string>> = { LESS: 'FRX', LESSCHARSET: 'utf-8', LV: '-c' };

/** Whether a page fits on a screen; no more of it is read than that takes. */
function fits(page: Iterable<string>, rows: number): boolean {
  let lines = 0;
  for (const piece of page) {
    lines += piece.split('\n').length - 1;
    // The last line of the screen is for what is typed next.
    if (lines >= rows) return false;
  }
  return true;
}

/** Prints a page, which may be read again each time: with a pager if stdout is a terminal that it does not fit on. */
export async function showPage(context: CliContext, page: () => Iterable<string>): Promise<void> {
  const { stdout, env } = context;
  const pager = stdout.isTTY ? pagerOf(env) : null;
  const missing = Object.entries(DEFAULTS).filter(([name]) => env[name] === undefined);
  const shown =
    pager !== null &&
    !fits(page(), stdout.rows) &&
    (await context.runPager(pager, page(), Object.fromEntries(missing)));
  if (!shown) await printAsRead(stdout, page());
}
