import type { Verb } from './context.ts';

/** Reads what was typed for an option; errors call the option `flag`. @throws ZwarmError `usage` */
export type Parser<T> = (text: string, flag: string) => T;

/** An option of a verb. `T` is what the verb's action gets. */
export interface Option<T> {
  /** As the help shows it: `-n, --limit <count>`. */
  readonly flags: string;
  readonly description: string;
  /** May be given several times. */
  readonly repeats: boolean;
  /** Long names, without dashes, of the options that may not be given with it. */
  readonly conflicts: readonly string[];
  /** The typed value of what commander collected. @throws ZwarmError `usage` */
  read(given: unknown): T;
}

/** An argument of a verb. `T` is what the verb's action gets. */
export interface Argument<T> {
  /** `<id>`, `[message]`, `<id...>` or `[id...]`. */
  readonly term: string;
  readonly description: string;
  /** The typed value of what commander collected. @throws ZwarmError `usage` */
  read(given: unknown): T;
}

type Arguments = Readonly<Record<string, Argument<unknown>>>;

/** A table of options; its keys are what the action calls them. */
export type Options = Readonly<Record<string, Option<unknown>>>;

/** What an action gets for a table of options or arguments. */
export type Values<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Option<infer T> | Argument<infer T> ? T : never;
};

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
  /** Command lines, each alone or with a comment. */
  readonly examples?: readonly Example[];
  readonly subcommands?: readonly VerbDefinition[];
  run?(verb: Verb, args: Values<A>, options: Values<O>): Promise<void>;
}

/** A command line, alone or with a comment. */
export type Example = string | readonly [command: string, comment: string];

/** A verb whose action gets what its own tables say; outside of it, all verbs are of one type. */
export function defineVerb<const A extends Arguments, const O extends Options>(
  definition: VerbDefinition<A, O>,
): VerbDefinition {
  return definition;
}

/** An option without a value: true or false. */
export function flag(flags: string, description: string, conflicts: readonly string[] = []): Option<boolean> {
  return { flags, description, conflicts, repeats: false, read: (given) => given === true };
}

/** An option with a value; undefined where it is not given. */
export function value(flags: string, description: string): Option<string | undefined>;
export function value<T>(flags: string, description: string, parse: Parser<T>): Option<T | undefined>;
export function value(
  flags: string,
  description: string,
  parse: Parser<unknown> = (text) => text,
): Option<unknown> {
  const [name = ''] = flags.split(/[, ]/);
  const read = (given: unknown): unknown => (typeof given === 'string' ? parse(given, name) : undefined);
  return { flags, description, conflicts: [], repeats: false, read };
}

/** An option that can be given several times; undefined where it is not given. */
export function values(flags: string, description: string): Option<readonly string[] | undefined> {
  const read = (given: unknown) => (Array.isArray(given) ? given : undefined);
  return { flags, description, conflicts: [], repeats: true, read };
}

type ArgumentValue<Term extends string, T> = Term extends `${string}...${string}`
  ? readonly T[]
  : Term extends `[${string}`
    ? T | undefined
    : T;

/** An argument, by how the help shows it. */
export function argument<const Term extends string>(
  term: Term,
  description: string,
): Argument<ArgumentValue<Term, string>>;
export function argument<const Term extends string, T>(
  term: Term,
  description: string,
  parse: Parser<T>,
): Argument<ArgumentValue<Term, T>>;
export function argument(
  term: string,
  description: string,
  parse: Parser<unknown> = (text) => text,
): Argument<unknown> {
  const read = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.map((text) => parse(text, term));
    return typeof given === 'string' ? parse(given, term) : undefined;
  };
  return { term, description, read };
}
