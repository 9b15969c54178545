import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const ELSEWHERE = ['/var/tmp', '/dev/shm', homedir()];

function isBelowAProject(path: string): boolean {
  if (existsSync(join(path, '.git')) || existsSync(join(path, '.zwarm'))) return true;
  return dirname(path) !== path && isBelowAProject(dirname(path));
}

function isUsable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return !isBelowAProject(realpathSync(path));
  } catch {
    // Not there, or not for us.
    return false;
  }
}

/**
 * A directory to make others in, below no repository and no state directory: somebody may have run git or zwarm in the
 * one for temporary files. The first that will do of `preferred` and some others.
 */
export function placeForTests(preferred: readonly string[]): string {
  const places = [...preferred, ...ELSEWHERE];
  const place = places.find(isUsable);
  if (place !== undefined) return place;
  throw new Error(
    `tests cannot run: each of ${places.join(', ')} is closed to you, or has a .git or .zwarm in it or above it; set TMPDIR to another directory`,
  );
}
