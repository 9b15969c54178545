import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isErrno, ZwarmError } from '../core/errors.ts';
import { isWithin, upwards } from '../core/path.ts';
import { shellWord } from '../core/shell-word.ts';
import { readText, unlessDamaged } from './read-file.ts';
import { realPathOf } from './real-path.ts';

/*
 * Nothing is made where its owner could neither change nor remove it, as root would in the home of whoever ran sudo. What
 * belongs to root is an ordinary user's as far as they may write there.
 */

/** Who makes something, and what says where that user's places are. */
export interface Maker {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  /** From `--state-dir`, where it was given. */
  readonly stateDir?: string | null;
}

const ROOT = 0;
const HOMES = ['XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'HOME'];

/** A directory below which a user's things are kept, and what names it. */
interface Home {
  readonly name: string;
  readonly place: string;
}

/** The homes in which a path lies. A state directory that was named is the only one of what lies in it. */
function homesOf({ env, stateDir }: Maker, path: string): readonly Home[] {
  const among = (homes: readonly (readonly [name: string, place: string | null | undefined])[]) =>
    homes
      .flatMap(([name, place]) => (place?.startsWith('/') ? [{ name, place: resolve(place) }] : []))
      .filter(({ place }) => isWithin(path, place));
  const named = among([
    ['--state-dir', stateDir],
    ['ZWARM_DIR', env['ZWARM_DIR']],
  ]);
  return named.length > 0 ? named : among(HOMES.map((name) => [name, env[name]]));
}

/** The name of a local user; null for one whom only the network knows. */
function nameOf(uid: number): string | null {
  const users = unlessDamaged(() => readText('/etc/passwd')) ?? '';
  return (
    users
      .split('\n')
      .map((line) => line.split(':'))
      .find(([, , id]) => id === `${uid}`)?.[0] ?? null
  );
}

/** The error of a directory that belongs to somebody else, where something is to be made at `path`. */
export function foreignDirectory(
  maker: Maker,
  { directory, owner }: { readonly directory: string; readonly owner: number },
  path: string,
): ZwarmError {
  const name = nameOf(owner);
  const homes = homesOf(maker, path);
  const isBelow = homes.some(({ place }) => place !== directory && isWithin(directory, place));
  const ways = [
    owner === ROOT && isBelow
      ? `sudo chown -R "$(id -un)" ${shellWord(directory)}`
      : `run zwarm as ${name ?? 'that user'}`,
    ...homes.slice(0, 1).map((home) => `set ${home.name} to a directory of yours`),
  ];
  const message = `${directory} belongs to ${name ?? 'another user'} (uid ${owner})`;
  return new ZwarmError('foreign_directory', message, ways.join(', or '));
}

function lookAt(path: string): Stats | null {
  const real = realPathOf(path);
  return (real !== null && statSync(real, { throwIfNoEntry: false })) || null;
}

function isClosed(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return isErrno(error, 'EACCES', 'EPERM');
  }
}

/** Why nothing may be made at a path; null where it may. */
export function whyNotOurs(maker: Maker, path: string): ZwarmError | null {
  const wanted = resolve(path);
  const above = upwards(wanted).find((directory) => lookAt(directory) !== null) ?? '/';
  for (const directory of [above, ...homesOf(maker, wanted).map(({ place }) => place)]) {
    const stat = lookAt(directory);
    if (stat === null || stat.uid === maker.uid) continue;
    const isNearest = directory === above;
    // In a directory such as /tmp each user has their own, whoever owns it.
    if (isNearest && (stat.mode & 0o1002) === 0o1002) continue;
    if (stat.uid === ROOT && !(isNearest && isClosed(directory))) continue;
    return foreignDirectory(maker, { directory, owner: stat.uid }, wanted);
  }
  return null;
}

/** @throws ZwarmError `foreign_directory` where nothing may be made at a path */
export function requireOwnPlace(maker: Maker, path: string): void {
  const error = whyNotOurs(maker, path);
  if (error !== null) throw error;
}
