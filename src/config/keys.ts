import * as z from 'zod/mini';
import { decodeOrNull, type Schema } from '../core/decode.ts';
import { isModelName } from '../core/model.ts';
import { NOTIFIED_EVENTS, type NotifiedEvent, type Notify, QUIET_HOURS } from '../core/rules/notification.ts';
import { ANY_DIRECTORY } from '../core/rules/policy.ts';
import { cutText, SANDBOXES, type Sandbox } from '../core/session.ts';
import type { Key } from './key-names.ts';

/** What each key comes to; null where nothing was chosen. */
export interface Values {
  readonly agent: string | null;
  readonly model: string | null;
  readonly sandbox: Sandbox;
  readonly allowed_dirs: readonly string[];
  readonly max_depth: number;
  readonly max_sessions: number;
  readonly max_running: number | null;
  readonly end_others: boolean;
  readonly unconfined: boolean;
  readonly allow_land: boolean;
  readonly wait_sec: number | null;
  readonly reachable_state: boolean;
  readonly reachable_installation: boolean;
  readonly worktree_dir: string | null;
  readonly notify: Notify['to'] | null;
  readonly notify_events: readonly NotifiedEvent[];
  readonly quiet_hours: string | null;
}

/** What one source says; a key that is left out is unset there. */
export type Given = { readonly [K in Key]?: NonNullable<Values[K]> | undefined };

interface KeyRow<T> {
  /** What a value may be, for the program and in words. */
  readonly schema: Schema<NonNullable<T>>;
  readonly expected: string;
  /** The same of the project's file, where that is something else. */
  readonly inProject?: Pick<KeyRow<T>, 'schema' | 'expected'>;
  readonly fallback: T;
  /** Why the project's wish has no effect on the value that holds without it; null where the wish counts. */
  readonly refusal: (wish: NonNullable<T>, held: T, isTrusted: boolean) => string | null;
  /** The variable that goes before both files. It never changes the policy: an agent sets its own environment. */
  readonly variable?: string;
}

// An agent can write the project's file.
const ifTrusted = (_wish: unknown, _held: unknown, isTrusted: boolean): string | null =>
  isTrusted ? null : 'an agent could have written that; see: zwarm config trust';
const never = (): string => 'only your own file decides this';

/** The project may narrow a value, and never widen it. */
function narrows<T>(width: (value: NonNullable<T>) => number) {
  return (wish: NonNullable<T>, held: T): string | null => {
    if (held === null || held === undefined || width(wish) < width(held)) return null;
    return `a project may narrow ${JSON.stringify(held)}, never widen it`;
  };
}

const wholeNumber = (least: number, most: number, of = '') => ({
  schema: z.int().check(z.minimum(least), z.maximum(most)),
  expected: `a whole number ${of}from ${least} to ${most}`,
});
const flag = { schema: z.boolean(), expected: 'true or false' };

const DIRECTORY = z.string().check(z.regex(/^[^\0]+$/));

/** Whether a path means the same directory wherever it is read. */
function isFixed(path: string): boolean {
  return path === ANY_DIRECTORY || path === '~' || /^~?\//.test(path);
}

/** A program that means the same wherever it is read, and its arguments. */
const COMMAND = z
  .array(z.string().check(z.regex(/^[^\0]*$/)))
  .check(z.refine(([program = '']) => /^(~?\/.|[^/]+$)/.test(program)));

/** What each key may be, and who decides it. */
export const KEYS: { readonly [K in Key]: KeyRow<Values[K]> } = {
  agent: {
    schema: z.string().check(z.regex(/^[a-z][a-z0-9-]{0,39}$/)),
    expected: 'the name of an agent, such as "codex"',
    fallback: null,
    refusal: ifTrusted,
    variable: 'ZWARM_AGENT',
  },
  model: {
    schema: z.string().check(z.refine(isModelName)),
    expected: 'the name of a model, as the agent writes it',
    fallback: null,
    refusal: ifTrusted,
    variable: 'ZWARM_MODEL',
  },
  sandbox: {
    schema: z.enum(SANDBOXES),
    expected: `one of ${SANDBOXES.join(', ')}`,
    fallback: 'workspace-write',
    refusal: narrows((sandbox) => SANDBOXES.indexOf(sandbox)),
    variable: 'ZWARM_SANDBOX',
  },
  allowed_dirs: {
    schema: z.array(DIRECTORY.check(z.refine(isFixed))),
    expected: 'a list of directories, each absolute or below ~, or "*" for any',
    // The real default and what a project may narrow depend on where the directories are: see merge.ts.
    fallback: [],
    refusal: never,
    inProject: { schema: z.array(DIRECTORY), expected: 'a list of directories' },
  },
  max_depth: { ...wholeNumber(0, 9), fallback: 1, refusal: narrows(Number) },
  max_sessions: { ...wholeNumber(1, 1000), fallback: 8, refusal: narrows(Number) },
  max_running: { ...wholeNumber(1, 1000), fallback: null, refusal: narrows<number | null>(Number) },
  end_others: { ...flag, fallback: false, refusal: narrows(Number) },
  unconfined: { ...flag, fallback: false, refusal: narrows(Number) },
  allow_land: { ...flag, fallback: false, refusal: never },
  wait_sec: {
    ...wholeNumber(1, 86_400, 'of seconds '),
    fallback: null,
    refusal: narrows<number | null>(Number),
    variable: 'ZWARM_WAIT_SEC',
  },
  reachable_state: { ...flag, fallback: false, refusal: never },
  reachable_installation: { ...flag, fallback: false, refusal: never },
  worktree_dir: {
    schema: DIRECTORY.check(z.refine((path) => path !== ANY_DIRECTORY && isFixed(path))),
    expected: 'a directory, absolute or below ~',
    fallback: null,
    refusal: never,
  },
  notify: {
    schema: z.union([z.literal('desktop'), COMMAND]),
    expected: '"desktop", or a program (absolute, below ~, or a name on your PATH) with its arguments',
    fallback: null,
    refusal: never,
  },
  notify_events: {
    schema: z.array(z.enum(NOTIFIED_EVENTS)),
    expected: `a list of ${NOTIFIED_EVENTS.join(', ')}`,
    // Not needs_attention: the end of the same turn is told already.
    fallback: NOTIFIED_EVENTS.filter((event) => event !== 'needs_attention'),
    refusal: never,
  },
  quiet_hours: {
    schema: z.string().check(z.regex(QUIET_HOURS)),
    expected: 'hours of the day, such as "22:00-07:00"',
    fallback: null,
    refusal: never,
  },
};

/** A value from a file, as it may stand in a message. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part));
  return cutText(text ?? String(value), 80);
}

/** A value of the shape that the key has in that file; else `refuse` gets what is wrong with it, in words. */
export function checked<K extends Key>(
  key: K,
  value: unknown,
  file: 'user' | 'project',
  refuse: (why: string) => Error,
): NonNullable<Values[K]> {
  const row = KEYS[key];
  const { schema, expected } = (file === 'project' && row.inProject) || row;
  const taken = decodeOrNull(schema, value);
  if (taken !== null) return taken;
  throw refuse(`${key} must be ${expected}, not ${shown(value)}`);
}

/** Whether a command line may give several words for a key. */
export const takesWords = (key: Key): boolean => ['array', 'union'].includes(KEYS[key].schema.def.type);

/** The value that the words of a command line or of a variable stand for; else `refuse` gets what is wrong. */
export function fromWords<K extends Key>(
  key: K,
  words: readonly string[],
  refuse: (why: string) => Error,
): NonNullable<Values[K]> {
  const word = words.join(' ');
  const readings: Readonly<Record<string, unknown>> = {
    array: words,
    union: decodeOrNull<unknown>(KEYS[key].schema, word) ?? words,
    boolean: /^(true|false)$/.test(word) ? word === 'true' : word,
    number: /^\d{1,9}$/.test(word) ? Number(word) : word,
  };
  return checked(key, readings[KEYS[key].schema.def.type] ?? word, 'user', refuse);
}
