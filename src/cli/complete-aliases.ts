import { allAliases } from '../config/aliases.ts';
import { type Commands, isCommand, withoutAlias } from './alias.ts';
import type { CliContext } from './context.ts';
import type { CommandPage } from './help/help-page.ts';

/**
 * An unfinished line without its alias, and the program with the user's own aliases among its commands. Those that cannot be
 * understood are none: a shell that asks shows no errors.
 */
export async function withAliases(
  words: readonly string[],
  program: CommandPage & Commands,
  { env }: CliContext,
): Promise<readonly [words: readonly string[], program: CommandPage]> {
  const all = await allAliases(env);
  const verbs = [...all]
    .filter(([name]) => !isCommand(name, program))
    .map(([name, line]) => ({ name, summary: line.join(' ') }));
  const groups = [...program.groups, { title: 'Aliases', verbs }];
  const before = await withoutAlias(words.slice(0, -1), program, (word) => all.get(word));
  return [[...before, ...words.slice(-1)], { ...program, groups }];
}
