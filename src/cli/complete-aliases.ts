import { readAliases } from '../config/aliases.ts';
import { ZwarmError } from '../core/errors.ts';
import { userConfigFile } from '../core/user-places.ts';
import { type Commands, isCommand, withoutAlias } from './alias.ts';
import type { CliContext } from './context.ts';
import type { CommandPage } from './help/help-page.ts';

/** The user's own aliases; none where they cannot be understood, for a shell that asks shows no errors. */
async function aliasesOf(file: string): Promise<ReadonlyMap<string, readonly string[]>> {
  try {
    return await readAliases(file);
  } catch (error) {
    if (error instanceof ZwarmError) return new Map();
    throw error;
  }
}

/** An unfinished line without its alias, and the program with the user's own aliases among its commands. */
export async function withAliases(
  words: readonly string[],
  program: CommandPage & Commands,
  context: CliContext,
): Promise<readonly [words: readonly string[], program: CommandPage]> {
  const file = userConfigFile(context.env);
  const all = file === null ? [] : [...(await aliasesOf(file))];
  if (all.length === 0) return [words, program];
  const verbs = all
    .filter(([name]) => !isCommand(name, program))
    .map(([name, line]) => ({ name, summary: line.join(' ') }));
  const before = await withoutAlias(words.slice(0, -1), context, program);
  const groups = [...program.groups, { title: 'Aliases', verbs }];
  return [[...before, ...words.slice(-1)], { ...program, groups }];
}
