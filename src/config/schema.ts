import {
  array,
  boolean,
  int,
  maximum,
  minimum,
  enum as oneOf,
  refine,
  regex,
  string,
  type ZodMiniType,
} from 'zod/mini';
import { isModelName } from '../core/model.ts';
import { ANY_DIRECTORY } from '../core/rules/policy.ts';
import { cutText, SANDBOXES } from '../core/session.ts';
import type { Key, Values } from './values.ts';

/** What the values of a key may be, for the program and in words. */
interface Rule<T> {
  readonly type: ZodMiniType<T>;
  readonly expected: string;
}

export type Rules = { readonly [K in Key]: Rule<Values[K]> };

const count = (least: number, most: number) => int().check(minimum(least), maximum(most));
const DIRECTORY = string().check(regex(/^[^\0]+$/));

/** Whether a path means the same directory wherever it is read. */
function isFixed(path: string): boolean {
  return path === ANY_DIRECTORY || path === '~' || /^~?\//.test(path);
}

/** The rules for the user's own file, and for what is set in other ways. */
export const USER_RULES: Rules = {
  agent: {
    type: string().check(regex(/^[a-z][a-z0-9-]{0,39}$/)),
    expected: 'the name of an agent, such as "codex"',
  },
  model: {
    type: string().check(refine(isModelName)),
    expected: 'the name of a model, as the agent writes it',
  },
  sandbox: { type: oneOf(SANDBOXES), expected: `one of ${SANDBOXES.join(', ')}` },
  allowed_dirs: {
    type: array(DIRECTORY.check(refine(isFixed))),
    expected: 'a list of directories, each absolute or below ~, or "*" for any',
  },
  max_depth: { type: count(0, 9), expected: 'a whole number from 0 to 9' },
  max_sessions: { type: count(1, 1000), expected: 'a whole number from 1 to 1000' },
  end_others: { type: boolean(), expected: 'true or false' },
  wait_sec: { type: count(1, 86_400), expected: 'a whole number of seconds from 1 to 86400' },
  reachable_state: { type: boolean(), expected: 'true or false' },
};

/** The rules for a project's file: there a relative path begins at the project's root. */
export const PROJECT_RULES: Rules = {
  ...USER_RULES,
  allowed_dirs: { type: array(DIRECTORY), expected: 'a list of directories' },
};

/** A value of anybody's, as it may stand in a message. */
export function shown(value: unknown): string {
  return cutText(JSON.stringify(value) ?? String(value), 80);
}

/** A value that follows its rule; else what is wrong with it, in words, is given to `refuse`. */
export function checked<K extends Key>(
  rules: Rules,
  key: K,
  value: unknown,
  refuse: (why: string) => Error,
): Values[K] {
  const { type, expected } = rules[key];
  const result = type.safeParse(value);
  if (result.success) return result.data;
  throw refuse(`${key} is to be ${expected}, and not ${shown(value)}`);
}

/** What the words of a command line or of a variable stand for, not checked yet. */
export function fromWords(key: Key, words: readonly string[]): unknown {
  if (key === 'allowed_dirs') return words;
  const word = words.join(' ');
  const isFlag = key === 'end_others' || key === 'reachable_state';
  if (isFlag && /^(true|false)$/.test(word)) return word === 'true';
  const isNumber = key === 'max_depth' || key === 'max_sessions' || key === 'wait_sec';
  return isNumber && /^\d{1,9}$/.test(word) ? Number(word) : word;
}
