import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty directory, removed when the test ends; its real path. */
export function emptyDirectory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'zwarm-unit-')));
  onTestFinished(() => removeTree(path));
  return path;
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
