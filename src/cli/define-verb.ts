import type { Looked } from '../manager/commands/complete.ts';
import type { Verb } from './context.ts';

/**
 * What the shell can complete: these words (`several` of them, separated by commas), paths, or what is looked up among the
 * sessions of the project.
 */
export type Completion = Looked | 'file' | 'directory' | { words: readonly string[]; several?: boolean };

/** Reads what was typed for an option or argument; errors call it `name`. @throws ZwarmError `usage` */
export interface Parser<T> {
  (text: string, name: string): T;
  readonly complete?: Completion | undefined;
}

/** An argument of a verb. `T` is what the verb's action gets. */
export interface Argument<T> {
  /** `<id>`, `[message]`, `<id...>` or `[id...]`. */
  readonly term: string;
  readonly description: string;
  readonly complete?: Completion | undefined;
  /** The typed value of what commander collected. @throws ZwarmError `usage` */
  read(given: unknown): T;
}

/** An option of a verb: its term is as the help shows it, `-n, --limit <count>`. */
export interface Option<T> extends Argument<T> {
  /** May be given several times. */
  readonly repeats?: boolean;
  /** Long names, without dashes, of the options that may not be given with it. */
  readonly conflicts?: readonly string[];
}

/** The names of an option, as they are typed, by its term: `-n, --limit <count>`. */
export function optionNames(term: string) {
  const [, letter = null, long = ''] = /^(?:(-\w), )?(--[\w-]+)/.exec(term) ?? [];
  return { letter, long, takesValue: /[<[]/.test(term) };
}

type Arguments = Readonly<Record<string, Argument<unknown>>>;

/** A table of options; its keys are what the action calls them. */
export type Options = Readonly<Record<string, Option<unknown>>>;

/** What an action gets for a table of options or arguments. */
export type Values<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Argument<infer T> ? T : never;
};

/** A command line, alone or with a comment. */
export type Example = string | readonly [command: string, comment: string];

/** Everything that there is to know of a verb. */
export interface VerbDefinition<A extends Arguments = Arguments, O extends Options = Options> {
  readonly name: string;
  readonly summary: string;
  readonly aliases?: readonly string[];
  readonly hidden?: boolean;
  readonly args?: A;
  readonly options?: O;
  /** Paragraphs below the options. A line break within one is a space, unless the next line is indented. */
  readonly notes?: string;
  readonly examples?: readonly Example[];
  readonly subcommands?: readonly VerbDefinition[];
  run?(verb: Verb, args: Values<A>, options: Values<O>): Promise<void>;
}

/** A verb whose action gets what its own tables say; outside of it, all verbs are of one type. */
export function defineVerb<const A extends Arguments, const O extends Options>(
  definition: VerbDefinition<A, O>,
): VerbDefinition {
  return definition;
}

/** An option without a value: true or false. */
export function flag(term: string, description: string, conflicts: readonly string[] = []): Option<boolean> {
  return { term, description, conflicts, read: (given) => given === true };
}

/** An option with a value; undefined where it is not given. */
export function value<T>(term: string, description: string, parse: Parser<T>): Option<T | undefined> {
  const [name = ''] = term.split(/[, ]/);
  const read = (given: unknown) => (typeof given === 'string' ? parse(given, name) : undefined);
  return { term, description, complete: parse.complete, read };
}

/** An option that can be given several times; undefined where it is not given. */
export function values(
  term: string,
  description: string,
  { complete }: Parser<string>,
): Option<readonly string[] | undefined> {
  const read = (given: unknown) => (Array.isArray(given) ? given : undefined);
  return { term, description, complete, repeats: true, read };
}

type Given<Term extends string, T> = Term extends `${string}...${string}`
  ? readonly T[]
  : Term extends `[${string}`
    ? T | undefined
    : T;

/** An argument, by how the help shows it; commander has seen to it that what must be given is. */
export function argument<const Term extends string, T>(
  term: Term,
  description: string,
  parse: Parser<T>,
): Argument<Given<Term, T>> {
  const name = term.replace(/\W/g, '');
  const parsed = (given: unknown) => (typeof given === 'string' ? parse(given, name) : undefined);
  const read = (given: unknown) =>
    (Array.isArray(given) ? given.map(parsed) : parsed(given)) as Given<Term, T>;
  return { term, description, complete: parse.complete, read };
}
