import { mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where programs keep what they can make again for whoever runs the tests. */
export const CACHE_HOME = join(homedir(), '.cache');

/** The same for zwarm in tests, whose own home lies in a temporary directory: there nothing compiled is kept. */
export const TEST_CACHE_HOME = join(CACHE_HOME, 'zwarm-tests');

function isShared(path: string): boolean {
  return (statSync(path).mode & 0o002) !== 0 || (dirname(path) !== path && isShared(dirname(path)));
}

/** A directory in which nobody else can write, nor above it; null for a user who has none. */
export function privatePlace(): string | null {
  try {
    mkdirSync(TEST_CACHE_HOME, { recursive: true });
  } catch {
    return null;
  }
  return isShared(TEST_CACHE_HOME) ? null : TEST_CACHE_HOME;
}
