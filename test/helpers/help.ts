import type { Options, VerbDefinition } from '../../src/cli/define-verb.ts';
import { GLOBAL_OPTIONS } from '../../src/cli/program.ts';
import { VERBS } from '../../src/cli/verbs.ts';

/** The verbs that `zwarm --help` lists, each by its first name. */
export const VERBS_OF_HELP = VERBS.filter(({ hidden }) => !hidden).map(({ name }) => name);

function namesIn(options: Options = {}): string[] {
  return Object.values(options).flatMap(({ term }) => term.match(/(?<![\w<-])--?[a-z][a-z-]*/gi) ?? []);
}

function namesOf({ options, subcommands = [] }: VerbDefinition): string[] {
  return [...namesIn(options), ...subcommands.flatMap(namesOf)];
}

/** Every option that a verb knows, long and short, with those of what is below it; for the empty verb those of zwarm. */
export const OPTIONS_OF_HELP: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['', [...namesIn(GLOBAL_OPTIONS), '-V', '--version']],
  ...VERBS.map((verb): [string, string[]] => [verb.name, [...namesOf(verb), '-h', '--help']]),
]);
