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
  const wanted = tmpdir() === '/tmp' ? [] : [tmpdir()];
  const places = [...wanted, '/var/tmp', '/dev/shm', tmpdir(), homedir()];
  const place = places.find(isUsable);
  if (place !== undefined) return place;
  throw new Error(
    `tests cannot run: each of ${places.join(', ')} is closed to you, or has a .git or .zwarm in it or above it; set TMPDIR to another directory`,
  );
}

/**
 * What a machine needs: its programs, a home, the way to npm's registry; and what is said to the tests themselves. Nothing
 * else of the caller reaches them: no sessions, settings, projects, language, time zone, terminal.
 */
const NEEDED =
  /^(PATH|HOME|USER|LOGNAME|npm_config_\w+|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|GIT_SSL_CAINFO|\w+_proxy|CI|TEST_\w+|FUZZ_\w+|SOAK_\w+|VITEST\w*|NODE_ENV|(NO|FORCE)_COLOR)$/i;

/** Makes the environment of the tests, which inherit that of this process, the same whoever runs them. */
export function leaveCaller(): void {
  const place = placeForTests();
  for (const name of Object.keys(process.env)) if (!NEEDED.test(name)) delete process.env[name];
  Object.assign(process.env, { TMPDIR: place, TZ: 'UTC' });
  process.umask(0o022);
}
