import type { CliContext, PagerCommand } from './context.ts';
import { printAsRead } from './print-as-read.ts';

type Environment = CliContext['env'];

/** The user's pager, run by the shell as git does it, else less where the terminal can move; null where none is wanted. */
export function pagerOf(env: Environment): PagerCommand | null {
  const chosen = env['ZWARM_PAGER'] ?? env['PAGER'];
  if (chosen === undefined) return env['TERM'] === 'dumb' ? null : ['less'];
  const command = chosen.trim();
  return command === '' || command === 'cat' ? null : ['/bin/sh', '-c', command];
}

/** What pagers need to know and the user has not told them: colours are meant, leave what fits, text is UTF-8. */
const DEFAULTS: Readonly<Record<string, string>> = { LESS: 'FRX', LESSCHARSET: 'utf-8', LV: '-c' };

function missingIn(env: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(DEFAULTS).filter(([name]) => env[name] === undefined));
}

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

/** Prints a page, which may be read anew each time: with a pager if stdout is a terminal that it does not fit on. */
export async function showPage(context: CliContext, page: () => Iterable<string>): Promise<void> {
  const { stdout, env } = context;
  const pager = stdout.isTTY ? pagerOf(env) : null;
  const shown =
    pager !== null && !fits(page(), stdout.rows) && (await context.runPager(pager, page(), missingIn(env)));
  if (!shown) await printAsRead(stdout, page());
}
