import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { removeTree } from './remove.ts';

/** An empty directory, removed when the test ends; its real path. */
export function emptyDirectory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'zwarm-unit-')));
  onTestFinished(() => removeTree(path));
  return path;
}
