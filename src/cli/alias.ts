import type { Options, VerbDefinition } from './define-verb.ts';

/** What a line can begin with: the verbs, those for programs too, and the options of all of them. */
export interface Commands {
  readonly verbs: readonly VerbDefinition[];
  readonly globals: Options;
}

/** Where the command of a line is, behind the options for all commands; -1 where it has none. */
function placeOfCommand(argv: readonly string[], { globals }: Commands): number {
  const options = Object.values(globals);
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return -1;
    if (options.some(({ term }) => term.startsWith(`${word} <`))) at += 1;
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
  return word === undefined ? !argv.includes('--') : !isCommand(word, commands);
}

/** What a word stands for, as words of a command line; undefined for nothing. */
type Meaning = readonly string[] | undefined;

/** A command line with what its first word stands for, unless that is a command. */
export async function withoutAlias(
  argv: readonly string[],
  commands: Commands,
  meaningOf: (word: string) => Meaning | Promise<Meaning>,
): Promise<readonly string[]> {
  const at = placeOfCommand(argv, commands);
  const word = argv[at];
  const words = word === undefined || isCommand(word, commands) ? undefined : await meaningOf(word);
  return words === undefined ? argv : [...argv.slice(0, at), ...words, ...argv.slice(at + 1)];
}
