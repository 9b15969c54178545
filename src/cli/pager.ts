import type { CliContext, PagerCommand } from './context.ts';

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

/** Prints a page: with a pager if stdout is a terminal that it does not fit on, else as it is. */
export async function showPage(context: CliContext, page: string): Promise<void> {
  const { stdout, env } = context;
  // The last line of the screen is for what is typed next.
  const fits = page.split('\n', stdout.rows + 1).length <= stdout.rows;
  const pager = stdout.isTTY && !fits ? pagerOf(env) : null;
  const shown = pager !== null && (await context.runPager(pager, page, missingIn(env)));
  if (!shown) stdout.write(page);
}
