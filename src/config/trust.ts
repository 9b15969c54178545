import { lstatSync, readFileSync } from 'node:fs';
import { digest } from '../core/digest.ts';

/** What it takes to remember that the user trusts a file as it is now: where that is kept, and what. */
export function trustKeyOf(path: string, text: string) {
  return { name: digest(path), digest: digest(`${path}\0${text}`) } as const;
}
export type TrustKey = ReturnType<typeof trustKeyOf>;

/** Whether the user has trusted a file under this key; `directory` is where such trust is kept, null for nowhere. */
export function isTrusted(directory: string | null, { name, digest }: TrustKey): boolean {
  if (directory === null) return false;
  const file = `${directory}/${name}`;
  if (!lstatSync(file, { throwIfNoEntry: false })?.isFile()) return false;
  return readFileSync(file, 'utf8').trim() === digest;
}
