import { usageError, ZwarmError } from './errors.ts';

declare const brand: unique symbol;

/** The name of a session: 10 characters, made by us, also the name of its directory. */
export type SessionId = string & { readonly [brand]: 'SessionId' };

/** Lower-case letters and digits without look-alikes (no 0 1 i l o): read aloud, typed, and safe on any file system. */
export const ID_LETTERS = 'abcdefghjkmnpqrstuvwxyz';
export const ID_ALPHABET = `${ID_LETTERS}23456789`;
export const ID_LENGTH = 10;

const ID = new RegExp(`^[${ID_LETTERS}][${ID_ALPHABET}]{${ID_LENGTH - 1}}$`);
const NAME = /^[a-z][a-z0-9_.-]{0,40}$/;

/** How most agents call their threads. */
export const THREAD = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What to type for a text that names no session. */
const otherwise = (text: string, hint: string): string =>
  THREAD.test(text)
    ? `that is how agents call their threads; to make it a session: zwarm import ${text}`
    : hint;

/** Whether a text, such as the name of a directory, is a session id. */
export function isSessionId(text: string): text is SessionId {
  return ID.test(text);
}

/** The turn number that a directory's name stands for, or null for anything else. */
export function parseTurnNumber(text: string): number | null {
  return /^[1-9][0-9]{0,6}$/.test(text) ? Number(text) : null;
}

/** A session's name as given by `--name`; never one that could be an id. @throws ZwarmError `usage` */
export function parseName(text: string): string {
  if (isSessionId(text))
    throw usageError(`${text} could be an id, so it cannot be a name`, `add something to it: ${text}-1`);
  if (NAME.test(text)) return text;
  throw usageError(
    `${JSON.stringify(text)} is not a valid name`,
    'a name begins with a lower-case letter and has at most 41 characters of a-z 0-9 _ . -',
  );
}

/**
 * How a user points at a session: by a text (id, name or prefix), as the n-th newest, as the newest that works here, or as
 * the newest that runs or has failed.
 * @throws ZwarmError `usage`
 */
export function parseRef(text: string) {
  const last = /^@last(?:~([0-9]{1,4}))?$/.exec(text);
  if (last) return { kind: 'last', back: Number(last[1] ?? 0) } as const;
  if (text === '@here') return { kind: 'here' } as const;
  if (text === '@running' || text === '@failed')
    return { kind: 'status', status: text === '@running' ? 'running' : 'failed' } as const;
  if (NAME.test(text)) return { kind: 'text', text } as const;
  throw usageError(
    text === '' ? 'the id is empty' : `${JSON.stringify(text.slice(0, 80))} is not a session id`,
    otherwise(
      text,
      'give an id, the beginning of one, a --name, @last, @last~1, @here, @running or @failed; see: zwarm ls',
    ),
  );
}

/** What decides the place in a list: a time. */
export interface Dated {
  readonly id: SessionId;
  readonly at: string;
}

/** Newest first; equal times are ordered by id, so that the order is total. */
export function newestFirst(a: Dated, b: Dated): number {
  if (a.at !== b.at) return a.at < b.at ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}

/** The only id that begins with a text, of at least `minPrefix` characters. @throws ZwarmError `not_found`, `ambiguous` */
export function matchPrefix(text: string, ids: readonly SessionId[], minPrefix: number): SessionId {
  const matches = ids.filter((id) => id.startsWith(text));
  const [match] = matches;
  if (match === undefined)
    throw new ZwarmError('not_found', `no session ${text}`, otherwise(text, 'see: zwarm ls --all'));
  const hint = `type at least ${minPrefix} characters of the id`;
  if (text.length < minPrefix) throw new ZwarmError('not_found', `${text} is too short`, hint);
  if (matches.length === 1) return match;
  throw new ZwarmError(
    'ambiguous',
    `${text} is the beginning of ${matches.length} ids`,
    `type more of: ${matches.toSorted().join(', ')}`,
  );
}
