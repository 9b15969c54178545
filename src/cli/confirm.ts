import { usageError } from '../core/errors.ts';
import type { CliContext } from './context.ts';

/** Whether the user agrees: with `--yes`, else by an answer on the terminal. @throws ZwarmError `usage` where there is none */
export async function confirm(
  { stdin, stderr, ask }: CliContext,
  question: string,
  yes: boolean | undefined,
): Promise<boolean> {
  if (yes) return true;
  if (stdin.isTTY && stderr.isTTY) return ask(question);
  throw usageError('there is no terminal to ask on', 'say yes beforehand: --yes');
}
