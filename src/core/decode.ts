import * as z from 'zod/mini';
import { parseIso } from './time.ts';

/** A schema of which the values are of type T. */
export type Schema<T> = z.ZodMiniType<T>;

type Issue = z.core.$ZodIssue;

function complaintOf(issue: Issue): string {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'is missing' : `is not of type ${issue.expected}`;
  return issue.code === 'invalid_value' ? `is not one of ${issue.values.join(', ')}` : 'is not valid';
}

/** What is wrong, and where: `field forked_from.turn is missing`, `field tags[2] is not of type string`. */
function problemOf(issue: Issue): string {
  const path = issue.path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return `${path === '' ? 'the value' : `field ${path.replace(/^\./, '')}`} ${complaintOf(issue)}`;
}

// The first problem is enough: a hostile list may have half a million.
const CONTEXT = { reportInput: true, abortEarly: true };

/** The decoded value, without fields that the schema does not name. @throws what `refuse` makes of the problem in words */
export function decode<T>(schema: Schema<T>, value: unknown, refuse: (problem: string) => Error): T {
  const result = schema.safeParse(value, CONTEXT);
  if (result.success) return result.data;
  throw refuse(result.error.issues.map(problemOf)[0] ?? 'the value is not valid');
}

/** The decoded value, or null where the value does not have the shape: cheaper than to ask for the problem. */
export function decodeOrNull<T>(schema: Schema<T>, value: unknown): T | null {
  const result = schema.safeParse(value, CONTEXT);
  return result.success ? result.data : null;
}

/** A whole number from 0 on that a double holds exactly. */
export const count = z.int().check(z.minimum(0));

/** A finite number from 0 on. */
export const amount = z.number().check(z.minimum(0));

/** A point in time as records hold it: UTC, with `Z`. */
export const isoTime = z.string().check(z.refine((value) => parseIso(value) !== null));

/** A path, of which the system takes any text without a NUL. */
export const path = z.string().check(z.refine((value) => !value.includes('\0')));

/** Null where the value is null or there is none. */
export function orNull<S extends z.ZodMiniType>(schema: S) {
  return z._default(z.nullable(schema), null);
}

/** What `read` makes of any value, absent ones too. A `catch` would do the same, and build an error for each. */
function anyValue<T>(read: (value: unknown) => T) {
  return z.pipe(z.optional(z.unknown()), z.transform(read));
}

/** Null where the value is of any other shape, or there is none. */
export function lenient<T>(schema: Schema<T>) {
  return anyValue((value) => decodeOrNull(schema, value));
}

/** One of these words; any other value, and none, is taken for `fallback`. */
export function oneOfOr<const Word extends string>(words: readonly Word[], fallback: Word) {
  return anyValue((value) => words.find((word) => word === value) ?? fallback);
}

/** Whether the value is `true`. */
export const flag = anyValue((value) => value === true);
