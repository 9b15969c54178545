import { usageError } from '../core/errors.ts';
import type { CliContext } from './context.ts';

/** Whether the user agrees, by `--yes` or on the terminal. @throws ZwarmError `usage` where there is no terminal */
export async function confirm(
  { stdin, stderr, ask }: CliContext,
  question: string,
  yes: boolean | undefined,
): Promise<boolean> {
  if (yes) return true;
  if (stdin.isTTY && stderr.isTTY) return ask(question);
  throw usageError('there is no terminal to ask on', 'say yes beforehand: --yes');
}
