import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty directory, removed when the test ends; its real path. */
export function emptyDirectory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'zwarm-unit-')));
  onTestFinished(() => removeTree(path));
  return path;
}

/** Whether it is told when the directories of tests were born: not on every file system, nor by every system. */
export function tellsBirths(): boolean {
  const path = mkdtempSync(join(tmpdir(), 'zwarm-unit-'));
  const { birthtimeNs } = statSync(path, { bigint: true });
  rmSync(path, { recursive: true });
  const proc = statSync('/proc', { bigint: true, throwIfNoEntry: false });
  return birthtimeNs !== 0n && (proc === undefined || proc.birthtimeNs !== proc.ctimeNs);
}

/** A new directory with these files `below` it, by their paths: a text, `@target` for a link, null for a directory. */
export function directoryWith(files: Readonly<Record<string, string | null>>, below = ''): string {
  const base = emptyDirectory();
  for (const [name, text] of Object.entries(files)) {
    const path = join(base, below, name);
    mkdirSync(text === null ? path : dirname(path), { recursive: true });
    if (text?.startsWith('@')) symlinkSync(text.slice(1), path);
    else if (text !== null) writeFileSync(path, text);
  }
  return base;
}

/** Opens a directory and all directories below it to us. */
function open(directory: string): void {
  chmodSync(directory, 0o700);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) open(join(directory, entry.name));
  }
}

/** Removes a directory with all that is in it, also what a test has closed to us; nothing where there is none. */
export function removeTree(directory: string): void {
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    remove();
  } catch {
    open(directory);
    remove();
  }
}
