import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

function isBelowAProject(path: string): boolean {
  if (existsSync(join(path, '.git')) || existsSync(join(path, '.zwarm'))) return true;
  return dirname(path) !== path && isBelowAProject(dirname(path));
}

/** An empty directory below no repository and no state directory, removed when the test ends; its real path. */
export function emptyDirectory(): string {
  // Somebody may have run git or zwarm in the directory for temporary files.
  const places = [tmpdir(), '/var/tmp', '/dev/shm'].filter((place) => existsSync(place));
  const place = places.find((candidate) => !isBelowAProject(realpathSync(candidate)));
  if (place === undefined) throw new Error(`a .git or .zwarm lies above each of ${places.join(', ')}`);
  const path = realpathSync(mkdtempSync(join(place, 'zwarm-unit-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}
