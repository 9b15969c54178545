import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

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
 * A directory to make others in, below no repository and no project of zwarm's. Rather not /tmp, where every agent may
 * write: there no project could have its state.
 */
function placeForTests(): string {
  const places = ['/var/tmp', '/dev/shm', tmpdir(), homedir()];
  const place = places.find(isUsable);
  if (place !== undefined) return place;
  throw new Error(
    `tests cannot run: each of ${places.join(', ')} is closed to you, or has a .git or .zwarm in it or above it; set TMPDIR to another directory`,
  );
}

/** What leads zwarm, git or an agent to what belongs to whoever runs the tests. */
const OF_CALLER = /^(ZWARM|XDG|GIT|CODEX)_/;

/** Keeps the tests, which inherit the environment of this process, from the caller's sessions, settings and projects. */
export function leaveCaller(): void {
  for (const name of Object.keys(process.env)) if (OF_CALLER.test(name)) delete process.env[name];
  process.env['TMPDIR'] = placeForTests();
}
