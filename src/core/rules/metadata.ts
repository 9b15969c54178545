import { usageError } from '../errors.ts';

/** What a program has written on a session, for itself. */
export type Metadata = Readonly<Record<string, string>>;

const KEY = /^[a-z0-9][a-z0-9_.-]{0,39}$/;
const MOST_KEYS = 20;
/** The summary of a session holds all of them. */
const LONGEST_VALUE = 200;

/** The metadata of a session as it was given. @throws ZwarmError `usage` */
export function parseMetadata(given: Metadata): Metadata {
  const entries = Object.entries(given);
  const hint = `at most ${MOST_KEYS} keys of at most 40 characters of a-z 0-9 _ . -, and texts of at most ${LONGEST_VALUE} characters`;
  const wrong = entries.find(([key, value]) => !KEY.test(key) || !isValue(value));
  if (wrong !== undefined)
    throw usageError(`metadata: ${JSON.stringify(wrong[0].slice(0, 80))} is not valid`, hint);
  if (entries.length > MOST_KEYS) throw usageError(`metadata: ${entries.length} keys are too many`, hint);
  return Object.fromEntries(entries);
}

// Programs in JavaScript give whatever they like.
const isValue = (value: unknown): boolean => typeof value === 'string' && value.length <= LONGEST_VALUE;
