import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty directory, removed when the test ends; its real path. */
export function emptyDirectory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'zwarm-unit-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}
