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

/** What a machine needs to find its programs and the network. */
const OF_MACHINE =
  /^(PATH|HOME|npm_config_.*|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|GIT_SSL_CAINFO|(https?|all|no)_proxy)$/i;
/** What says how these tests run, and how vitest prints what came of them. */
const OF_TESTS = /^((TEST|FUZZ|SOAK|VITEST)(_\w+)?|NODE_ENV|CI|NO_COLOR|FORCE_COLOR)$/;

/** A PATH without what npm puts before it: where this checkout lies, an agent may be able to write. */
const withoutPackages = (path = ''): string =>
  path
    .split(':')
    .filter((directory) => !directory.endsWith('/node_modules/.bin'))
    .join(':');

/**
 * Keeps the tests, which inherit environment and umask of this process, from everything else of the caller's: sessions,
 * settings and projects, language, terminal, time zone.
 */
export function leaveCaller(): void {
  const place = placeForTests();
  for (const name of Object.keys(process.env))
    if (!OF_MACHINE.test(name) && !OF_TESTS.test(name)) delete process.env[name];
  const path = withoutPackages(process.env['PATH']);
  Object.assign(process.env, { TMPDIR: place, TZ: 'UTC', PATH: path });
  process.umask(0o022);
}
