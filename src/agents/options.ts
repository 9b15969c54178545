import type { PathKind, PlacePath, UserArguments } from './agent.ts';

/** Why an argument cannot be passed on, and what to type instead. */
export type Reason = readonly [why: string, hint: string];

/** What an agent's program takes. An option that is nowhere may take a value or not: the next word is given the benefit of the doubt. */
export interface Grammar {
  /** What the program is called. */
  readonly program: string;
  /** Long names by letters. */
  readonly short: Readonly<Record<string, string>>;
  /** Names that are separated by spaces: of options with one value, with as many as there are, and with none. */
  readonly oneValue: string;
  readonly manyValues: string;
  readonly noValue: string;
  /** Options whose values are paths: what has to be there, and how the program divides a value or tells it from JSON. */
  readonly paths: Readonly<Record<string, PathOption>>;
  /** Options and words that are refused. */
  readonly refused: Readonly<Record<string, Reason>>;
}

interface PathOption {
  readonly is: PathKind;
  /** One value holds several paths with this between them. */
  readonly divider?: string;
  /** The value may be JSON as well. */
  readonly orJson?: true;
}

/** An option with its values, or a word that is none: then it has no name. */
export interface Item {
  readonly name: string | null;
  readonly words: readonly string[];
  readonly values: readonly string[];
}

const has = (names: string, name: string): boolean => names.split(' ').includes(name);

function isOption(word: string): boolean {
  return word.startsWith('-') && word !== '-';
}

/** The option that a word begins, and the value that is part of the word. */
function optionOf(word: string, { short }: Grammar): { name: string; attached: string | null } {
  const [, long, value = null] = /^(--[^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  if (long !== undefined) return { name: long, attached: value };
  const attached = word.slice(2).replace(/^=/, '');
  return { name: short[word.charAt(1)] ?? word.slice(0, 2), attached: word.length > 2 ? attached : null };
}

const takesValue = ({ oneValue, manyValues }: Grammar, name: string): boolean =>
  has(oneValue, name) || has(manyValues, name);

/** How many of the words after an option are its values. */
function valuesAfter(name: string, rest: readonly string[], grammar: Grammar): number {
  const { noValue, manyValues } = grammar;
  if (has(noValue, name)) return 0;
  const next = rest.findIndex(isOption);
  const words = next < 0 ? rest.length : next;
  return has(manyValues, name) ? words : Math.min(words, 1);
}

/** The options of a command line with their values, and its other words. */
export function itemsOf(args: readonly string[], grammar: Grammar): readonly Item[] {
  const items: Item[] = [];
  for (let at = 0; at < args.length; ) {
    const word = args[at] ?? '';
    const rest = args.slice(at + 1);
    const { name, attached } = isOption(word) ? optionOf(word, grammar) : { name: null, attached: null };
    const more = name === null || attached !== null ? 0 : valuesAfter(name, rest, grammar);
    const values = attached === null ? rest.slice(0, more) : [attached];
    items.push({ name, words: args.slice(at, at + 1 + more), values });
    at += 1 + more;
  }
  return items;
}

function refusalOf({ name, words, values }: Item, grammar: Grammar): UserArguments['refused'] {
  const [argument = ''] = words;
  const { refused, program } = grammar;
  const reasonOf = (key: string): Reason | undefined =>
    Object.hasOwn(refused, key) ? refused[key] : undefined;
  const task: Reason = [`${program} would take it for the task`, 'give the task to zwarm: zwarm start "…"'];
  const known = name === null || name === '--' ? (reasonOf(argument) ?? task) : reasonOf(name);
  if (known !== undefined) return { argument, why: known[0], hint: known[1] };
  if (name === null || !takesValue(grammar, name) || values.length > 0) return null;
  return { argument, why: 'its value is missing', hint: `--agent-arg=${argument} --agent-arg=VALUE` };
}

/** The first of some items that cannot be passed on, or null. */
export function firstRefusal(items: readonly Item[], grammar: Grammar): UserArguments['refused'] {
  return items.map((item) => refusalOf(item, grammar)).find((refusal) => refusal !== null) ?? null;
}

/** What stands for the value of an option in which there are paths. */
function placed(
  option: string,
  value: string,
  { is, divider, orJson }: PathOption,
  place: PlacePath,
): string {
  if (orJson && value.trimStart().startsWith('{')) return value;
  const paths = divider === undefined ? [value] : value.split(divider);
  return paths.map((path) => place({ option, path, is, divider: divider ?? null })).join(divider);
}

/** The arguments with what `place` says in place of each path; none of them is refused. @throws ZwarmError as `place` */
export function placePaths(args: readonly string[], grammar: Grammar, place: PlacePath): readonly string[] {
  return itemsOf(args, grammar).flatMap(({ name, words, values }) => {
    const option = name !== null && Object.hasOwn(grammar.paths, name) ? grammar.paths[name] : undefined;
    if (name === null || option === undefined) return words;
    const own = values.map((value) => placed(name, value, option, place));
    const [word = ''] = words;
    return words.length > values.length ? [word, ...own] : own.map((value) => `${name}=${value}`);
  });
}

/** Why what zwarm states itself is refused, whatever the agent's program. */
export const STATED = {
  conversation: ['zwarm itself says which conversation goes on', 'zwarm inject @last "…"'],
  fork: ['zwarm itself says which conversation goes on', 'zwarm fork @last "…"'],
  passed: ['zwarm passes it itself', 'leave it out'],
  directory: ['zwarm states the directory itself', 'zwarm start -C DIR "…"'],
  model: ['zwarm states the model itself', 'zwarm start -m MODEL "…"'],
  schema: ['zwarm states the schema itself', 'zwarm start --schema FILE "…"'],
  sandbox: ['zwarm states the sandbox itself', 'zwarm start -s MODE "…"'],
  full: ['zwarm states the sandbox itself', 'zwarm start -s danger-full-access "…"'],
  tree: [
    'each turn would work in another tree',
    'make one for all of them: git worktree add ../TREE && zwarm start -C ../TREE "…"',
  ],
} as const satisfies Readonly<Record<string, Reason>>;
