import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Everything below a directory: each path with its kind, mode and content, so that any change shows. */
export function snapshot(directory: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const visit = (path: string): void => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    const mode = (stat.mode & 0o7777).toString(8);
    if (stat.isDirectory()) {
      found[path] = `directory ${mode}`;
      for (const name of readdirSync(path)) visit(join(path, name));
    } else if (stat.isSymbolicLink()) {
      found[path] = `link to ${readlinkSync(path)}`;
    } else {
      found[path] = `file ${mode} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
    }
  };
  visit(directory);
  return found;
}

/** What git makes, and makes read-only. */
const OBJECT = /\/snapshots\.git\/objects\/(?:[0-9a-f]{2}|pack)\/[^/]+$/;

/** What of a directory is not its owner's alone (0700, files 0600), itself included: each path with its mode. */
export function notPrivate(path: string): string[] {
  const stat = lstatSync(path);
  // A link has no permissions of its own.
  if (stat.isSymbolicLink()) return [];
  const mode = stat.mode & 0o777;
  const meant = stat.isDirectory() ? 0o700 : OBJECT.test(path) ? 0o400 : 0o600;
  const found = mode === meant ? [] : [`${path} ${mode.toString(8)}`];
  if (!stat.isDirectory()) return found;
  return [...found, ...readdirSync(path).flatMap((name) => notPrivate(join(path, name)))];
}
