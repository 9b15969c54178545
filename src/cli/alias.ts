import { userConfigFile } from '../core/user-places.ts';
import { GLOBAL_OPTIONS, VERBS } from './command-tree.ts';
import type { CliContext } from './context.ts';

const VALUED = Object.values(GLOBAL_OPTIONS).map(({ term }) => term.replace(/ .*/, ''));

/** Where the command of a line is, behind the options for all commands; -1 where it has none. */
function placeOfCommand(argv: readonly string[]): number {
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return -1;
    if (VALUED.includes(word)) at += 1;
    else if (!word.startsWith('-')) return at;
  }
  return -1;
}

/** A command line with what its first word stands for in the user's own configuration, where that is not a command. */
export async function withoutAlias(argv: readonly string[], { env }: CliContext): Promise<readonly string[]> {
  const at = placeOfCommand(argv);
  const word = argv[at];
  const file = userConfigFile(env);
  if (word === undefined || word === 'help' || file === null) return argv;
  if (VERBS.some(({ name, aliases = [] }) => name === word || aliases.includes(word))) return argv;
  const words = await (await import('../config/aliases.ts')).aliasOf(file, word);
  return words === null ? argv : [...argv.slice(0, at), ...words, ...argv.slice(at + 1)];
}
