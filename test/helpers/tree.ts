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
