import type { z } from 'zod';
import { cutText } from '../core/session.ts';

/** The answer to a call with an argument that does not fit: nothing was done. */
export interface Unfit {
  readonly success: false;
  readonly error: string;
  /** What fits, in words. */
  readonly hint: string;
  /** The parameter, or what the call took for one; of a list with the place in it. */
  readonly field: string;
  /** As it was given, a long one as the beginning of its text; null where it is missing. */
  readonly value: unknown;
  /** The words that fit, or what does otherwise. */
  readonly allowed: readonly unknown[] | string;
}

const VALUE_CHARS = 200;
/** What a limit counts. */
const UNITS: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

function allowedBy(issue: z.core.$ZodIssue): Unfit['allowed'] {
  if (issue.code === 'invalid_value') return issue.values;
  if (issue.code === 'invalid_type')
    return `${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
  if (issue.code === 'too_small') return `at least ${issue.minimum}${UNITS[issue.origin] ?? ''}`;
  if (issue.code === 'too_big') return `at most ${issue.maximum}${UNITS[issue.origin] ?? ''}`;
  return issue.message;
}

/**
 * Refuses a call for the first of its arguments that does not fit.
 * @param issues at least one
 * @param parameters the names of all that there are
 */
export function unfitOf(
  issues: readonly z.core.$ZodIssue[],
  args: object,
  parameters: readonly string[],
): Unfit {
  const [issue] = issues;
  if (issue === undefined) throw new RangeError('nothing that does not fit');
  const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  const path = unknown === undefined ? issue.path : [unknown];
  const given = path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | null)?.[key], args);
  const field = cutText(path.join('.'), VALUE_CHARS);
  const told = typeof given === 'string' ? given : JSON.stringify(given ?? null);
  const value = told.length > VALUE_CHARS ? cutText(told, VALUE_CHARS) : (given ?? null);
  const allowed = unknown === undefined ? allowedBy(issue) : parameters;
  const what = given === undefined ? 'is missing' : `cannot be ${JSON.stringify(value)}`;
  return {
    success: false,
    error: unknown === undefined ? `${field} ${what}` : `there is no parameter ${JSON.stringify(field)}`,
    // A rule of the core speaks in sentences.
    hint:
      issue.code === 'custom'
        ? issue.message
        : `it takes ${typeof allowed === 'string' ? allowed : allowed.join(', ')}`,
    ...{ field, value, allowed },
  };
}
