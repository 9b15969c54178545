import type { Candidate } from '../manager/commands/complete.ts';
import { type Argument, type Completion, type Option, optionNames } from './define-verb.ts';
import { type CommandPage, pageOf } from './help/help-page.ts';

/** What can stand at the end of an unfinished command line. */
export interface Asked {
  /** How the last word begins, up to what is completed: `--status=failed,`. */
  readonly before: string;
  /** What was typed of the part that is completed. */
  readonly typed: string;
  /** What can stand there: these words, or what is to be looked up; null for any text. */
  readonly wanted: readonly Candidate[] | Exclude<Completion, object> | null;
  /** The arguments before it, which need not be offered again. */
  readonly given: readonly string[];
  /** The values of the options before it, by their long names. */
  readonly values: ReadonlyMap<string, string>;
}

/** What has been read of a line. */
interface Read {
  readonly page: CommandPage;
  readonly given: readonly string[];
  readonly values: ReadonlyMap<string, string>;
  /** The option whose value comes next. */
  readonly pending: Option<unknown> | null;
  /** Whether `--` has ended the options. */
  readonly ended: boolean;
}

const optionsOf = ({ definition, globals }: CommandPage): readonly Option<unknown>[] =>
  Object.values({ ...definition.options, ...globals });

const commandsOf = ({ groups }: CommandPage) => groups.flatMap(({ verbs }) => verbs);

/** The option that a word such as `-qn`, `-n5`, `--name` or `--name=x` names last, and the value that it has in itself. */
function optionIn(word: string, page: CommandPage): readonly [Option<unknown>, string | null] | null {
  const find = (name: string) =>
    optionsOf(page).find(({ term }) => {
      const { long, letter } = optionNames(term);
      return name === long || name === letter;
    });
  if (word.startsWith('--')) {
    const [name = '', ...value] = word.split('=');
    const option = find(name);
    return option === undefined ? null : [option, value.length > 0 ? value.join('=') : null];
  }
  for (let at = 1; at < word.length; at += 1) {
    const option = find(`-${word[at]}`);
    if (option === undefined) return null;
    const value = word.slice(at + 1);
    if (value === '' || optionNames(option.term).takesValue) return [option, value === '' ? null : value];
  }
  return null;
}

function readWord(read: Read, word: string): Read {
  const { page, given, values, pending, ended } = read;
  const withValue = (option: Option<unknown>, value: string): Read => {
    const { long } = optionNames(option.term);
    return { ...read, pending: null, values: new Map([...values, [long, value]]) };
  };
  if (pending !== null) return withValue(pending, word);
  if (word === '--' && !ended) return { ...read, ended: true };
  const option = ended || word === '-' || !word.startsWith('-') ? null : optionIn(word, page);
  if (option !== null) {
    const [named, value] = option;
    const noted = withValue(named, value ?? '');
    return value === null && optionNames(named.term).takesValue ? { ...noted, pending: named } : noted;
  }
  const verb =
    given.length > 0
      ? undefined
      : commandsOf(page).find(({ name, aliases = [] }) => [name, ...aliases].includes(word));
  if (verb !== undefined) return { ...read, page: pageOf(`${page.path} ${verb.name}`, verb, page.globals) };
  // `zwarm help` is followed by what can follow `zwarm`.
  return word === 'help' && page.path === page.definition.name ? read : { ...read, given: [...given, word] };
}

/** The argument that a word would be which follows so many others; the last one may be repeated. */
function argumentAt({ definition }: CommandPage, place: number): Argument<unknown> | null {
  const all = Object.values(definition.args ?? {});
  const last = all.at(-1);
  return all[place] ?? (last?.term.includes('...') ? last : null);
}

function optionCandidates({ page, values }: Read, typed: string): readonly Candidate[] {
  return optionsOf(page).flatMap(({ term, description, repeats, conflicts = [] }) => {
    const { long, letter } = optionNames(term);
    if ((values.has(long) && !repeats) || conflicts.some((other) => values.has(`--${other}`))) return [];
    return [{ word: typed === letter ? letter : long, about: description }];
  });
}

function commandCandidates(page: CommandPage, typed: string): readonly Candidate[] {
  const commands = commandsOf(page);
  const named = commands.map(({ name, summary }) => ({ word: name, about: summary }));
  if (named.some(({ word }) => word.startsWith(typed))) return named;
  return commands.flatMap(({ aliases = [], summary }) => aliases.map((word) => ({ word, about: summary })));
}

/** What can stand for the last word of a line, which is empty where a new one begins. */
export function completeLine(words: readonly string[], program: CommandPage): Asked {
  const start: Read = { page: program, given: [], values: new Map(), pending: null, ended: false };
  const read = words.slice(0, -1).reduce(readWord, start);
  const { page, given, values, pending, ended } = read;
  const word = words.at(-1) ?? '';
  const asked = { before: '', typed: word, given, values };
  const askedFor = (complete: Completion | undefined, before: string): Asked => {
    const typed = word.slice(before.length);
    if (typeof complete !== 'object') return { ...asked, before, typed, wanted: complete ?? null };
    const upTo = complete.several ? typed.lastIndexOf(',') + 1 : 0;
    const earlier = typed.slice(0, upTo).split(',');
    const words = complete.words.filter((one) => !earlier.includes(one));
    const wanted = words.map((one) => ({ word: one, about: '' }));
    return { ...asked, before: before + typed.slice(0, upTo), typed: typed.slice(upTo), wanted };
  };
  if (pending !== null) return askedFor(pending.complete, '');
  if (word.startsWith('-') && !ended) {
    const [, before] = /^(--[^=]+=)/.exec(word) ?? [];
    if (before === undefined) return { ...asked, wanted: optionCandidates(read, word) };
    return askedFor(optionIn(word, page)?.[0].complete, before);
  }
  const argument = argumentAt(page, given.length);
  if (argument !== null) return askedFor(argument.complete, '');
  if (page.groups.length > 0)
    return { ...asked, wanted: given.length > 0 ? null : commandCandidates(page, word) };
  return { ...asked, wanted: ended || word !== '' ? null : optionCandidates(read, word) };
}
