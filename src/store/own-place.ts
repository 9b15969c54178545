import { accessSync, constants, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isErrno, ZwarmError } from '../core/errors.ts';
import { isWithin, upwards } from '../core/path.ts';
import { shellWord } from '../core/shell-word.ts';
import { readText, unlessDamaged } from './read-file.ts';
import { realPathOf } from './real-path.ts';

/*
 * Nothing is made where the owner of a directory could neither change nor remove it, as root would in the home of whoever
 * ran sudo. A home of root's is no other user's: root gives homes away. Outside of homes an ordinary user makes something
 * wherever somebody lets them.
 */

/** Who makes something, and what says where that user's places are. */
export interface Maker {
  /** Against which a relative `ZWARM_DIR` counts. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  /** From `--state-dir`, where it was given. */
  readonly stateDir?: string | null;
}

const ROOT = 0;

/** Whom a user namespace shows in the place of all users that it does not know, root among them. */
const UNKNOWN = 65_534;

/** Whether this user namespace knows all users. */
function knowsAll(): boolean {
  try {
    return /^\s*0\s+0\s+4294967295\s*$/.test(readFileSync('/proc/self/uid_map', 'utf8'));
  } catch {
    // Not Linux.
    return true;
  }
}

/** Whether an owner may be root. */
const mayBeRoot = (uid: number): boolean => uid === ROOT || (uid === UNKNOWN && !knowsAll());

/** The directories above a path below which a user's own things are kept; none above a state directory that was named. */
function homesAbove({ cwd, env, stateDir }: Maker, path: string): readonly string[] {
  const { ZWARM_DIR, ZWARM_STORE } = env;
  const named = [
    stateDir,
    ZWARM_DIR && resolve(cwd, ZWARM_DIR),
    // The state directory of the session whose agent this is.
    ZWARM_STORE && dirname(dirname(ZWARM_STORE)),
  ];
  if (named.some((place) => place && isWithin(path, resolve(place)))) return [];
  return ['XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'HOME'].flatMap((name) => {
    const place = env[name];
    return place?.startsWith('/') && isWithin(path, resolve(place)) ? [resolve(place)] : [];
  });
}

/** The name of a local user; null for one whom only the network knows. */
function nameOf(uid: number): string | null {
  const users = (unlessDamaged(() => readText('/etc/passwd')) ?? '')
    .split('\n')
    .map((line) => line.split(':'));
  return users.find(([, , id]) => id === `${uid}`)?.[0] ?? null;
}

function statAt(path: string): Stats | null {
  const real = realPathOf(path);
  return (real !== null && statSync(real, { throwIfNoEntry: false })) || null;
}

/** The error of a directory that belongs to somebody else; its hint ends with `more`. */
export function foreignDirectory({ env, uid }: Maker, path: string, owner: number, more: string): ZwarmError {
  const name = nameOf(owner);
  const [real, home] = [realPathOf(path) ?? path, realPathOf(env['HOME'] ?? '')];
  // What root has left in a user's home is theirs to take back.
  const isLost =
    owner === ROOT && home !== null && real !== home && isWithin(real, home) && statAt(home)?.uid === uid;
  const first = isLost
    ? `sudo chown -R "$(id -un)" ${shellWord(real)}`
    : `run zwarm as ${name ?? 'that user'}`;
  const message = `${path} belongs to ${name ?? 'another user'} (uid ${owner})`;
  return new ZwarmError('foreign_directory', message, first + more);
}

function isClosed(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return isErrno(error, 'EACCES', 'EPERM');
  }
}

/** Whether a user may not make something in a directory of somebody else. */
function mayNotMake(uid: number, directory: string, { uid: owner, mode }: Stats): boolean {
  // In a directory such as /tmp each user has their own, whoever owns it.
  if (uid === ROOT) return !mayBeRoot(owner) && (mode & 0o1002) !== 0o1002;
  return isClosed(directory);
}

/** Why nothing may be made at a path, null where it may; the hint ends with `more`. */
export function whyNotOurs(maker: Maker, path: string, more = ''): ZwarmError | null {
  const wanted = resolve(path);
  const above = upwards(wanted).find((directory) => statAt(directory) !== null) ?? '/';
  const asked: readonly (readonly [directory: string, refuses: (stat: Stats) => boolean])[] = [
    [above, (stat) => mayNotMake(maker.uid, above, stat)],
    ...homesAbove(maker, wanted).map((home) => [home, ({ uid }: Stats) => !mayBeRoot(uid)] as const),
  ];
  for (const [directory, refuses] of asked) {
    const stat = statAt(directory);
    if (stat !== null && stat.uid !== maker.uid && refuses(stat))
      return foreignDirectory(maker, directory, stat.uid, more);
  }
  return null;
}

/** @throws ZwarmError `foreign_directory` where nothing may be made at a path; its hint ends with `more` */
export function requireOwnPlace(maker: Maker, path: string, more = ''): void {
  const error = whyNotOurs(maker, path, more);
  if (error !== null) throw error;
}
