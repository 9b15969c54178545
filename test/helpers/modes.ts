import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What of a directory is not its owner's alone (0700, files 0600), itself included: each path with its mode. */
export function notPrivate(path: string): string[] {
  const stat = lstatSync(path);
  // A link has no permissions of its own.
  if (stat.isSymbolicLink()) return [];
  const mode = stat.mode & 0o777;
  const found = mode === (stat.isDirectory() ? 0o700 : 0o600) ? [] : [`${path} ${mode.toString(8)}`];
  if (!stat.isDirectory()) return found;
  return [...found, ...readdirSync(path).flatMap((name) => notPrivate(join(path, name)))];
}
