import { lstatSync, readFileSync } from 'node:fs';
import { digest } from '../core/digest.ts';

/** What it takes to remember that the user trusts a file as it is now. */
export interface TrustMark {
  /** Of the file's path: the name under which the user's trust in it is kept. */
  readonly name: string;
  /** Of the path and the content. */
  readonly digest: string;
}

/** The mark of a file with this content. */
export function markOf(path: string, text: string): TrustMark {
  return { name: digest(path), digest: digest(`${path}\0${text}`) };
}

/** Whether the user has trusted a file with this mark; `directory` is where such trust is kept, null for nowhere. */
export function isTrusted(directory: string | null, { name, digest }: TrustMark): boolean {
  if (directory === null) return false;
  const file = `${directory}/${name}`;
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return false;
  return readFileSync(file, 'utf8').trim() === digest;
}
