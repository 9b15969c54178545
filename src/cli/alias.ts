import { userConfigFile } from '../core/user-places.ts';
import type { CliContext } from './context.ts';
import { type Options, optionNames, type VerbDefinition } from './define-verb.ts';

/** What a line can begin with: the verbs, those for programs too, and the options of all of them. */
export interface Commands {
  readonly verbs: readonly VerbDefinition[];
  readonly globals: Options;
}

/** Where the command of a line is, behind the options for all commands; -1 where it has none. */
function placeOfCommand(argv: readonly string[], { globals }: Commands): number {
  const names = Object.values(globals).map(({ term }) => optionNames(term));
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return -1;
    if (names.some(({ long, takesValue }) => takesValue && long === word)) at += 1;
    else if (!word.startsWith('-')) return at;
  }
  return -1;
}

/** Whether a word is a command, so that it cannot be an alias. */
export const isCommand = (word: string, { verbs }: Commands): boolean =>
  word === 'help' || verbs.some(({ name, aliases = [] }) => name === word || aliases.includes(word));

/** Whether an alias can stand in a line: it has no command yet, or an unknown one. */
export function mayHaveAlias(argv: readonly string[], commands: Commands): boolean {
  const word = argv[placeOfCommand(argv, commands)];
  return word === undefined || !isCommand(word, commands);
}

/**
 * A command line with what its first word stands for in the user's own configuration.
 * @throws ZwarmError `config` where it is not a command, and that file cannot be understood
 */
export async function withoutAlias(
  argv: readonly string[],
  { env }: CliContext,
  commands: Commands,
): Promise<readonly string[]> {
  const at = placeOfCommand(argv, commands);
  const word = argv[at];
  const file = userConfigFile(env);
  if (word === undefined || file === null || isCommand(word, commands)) return argv;
  const words = (await (await import('../config/aliases.ts')).readAliases(file)).get(word);
  return words === undefined ? argv : [...argv.slice(0, at), ...words, ...argv.slice(at + 1)];
}
