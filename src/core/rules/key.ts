import { digest } from '../digest.ts';
import { usageError } from '../errors.ts';

const LONGEST = 200;

/** A key as given by `--key`. @throws ZwarmError `usage` */
export function parseKey(text: string): string {
  if (text.trim() !== '' && text.length <= LONGEST) return text;
  const what = text.trim() === '' ? 'the key is empty' : `a key of ${text.length} characters is too long`;
  throw usageError(what, `give a text of at most ${LONGEST} characters, such as build-4711/lint`);
}

/** Under which name a store keeps a key: none that a person can give. Each caller has keys of its own. */
export const nameOfKey = (source: string, key: string): string => `@${digest(`${source}\n${key}`)}`;

/** Whether a name in a store stands for a key. */
export const isKey = (name: string): boolean => name.startsWith('@');
