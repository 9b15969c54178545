import { readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isErrno, ZwarmError } from '../core/errors.ts';
import { isSessionId, type SessionId } from '../core/ids.ts';
import { isKey } from '../core/rules/key.ts';
import { discard, flush, rename, symlink } from './files.ts';
import { BUILDING_PREFIX, buildingDir, nameLink, namesDir, type SessionDir, TURN_FILES } from './layout.ts';
import { entriesOf, readText, unlessDamaged } from './read-file.ts';
import { parse, type RequestRecord } from './records.ts';

// names/<name> is a symbolic link to the id of the session with that name, and the only record of it; a key is a name, too.

function targetOf(link: string): SessionId | null {
  try {
    const target = readlinkSync(link);
    return isSessionId(target) ? target : null;
  } catch (error) {
    // EINVAL: it is not a link.
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EINVAL')) return null;
    throw error;
  }
}

/** A name in words. */
export const nameWords = (name: string): string => (isKey(name) ? 'that key' : `the name ${name}`);

/** The session that a name leads to, whether it exists, is being built, or is gone; null for a free name. */
export function holderOf(root: string, name: string): SessionId | null {
  return targetOf(nameLink(root, name));
}

/** The names and keys that are taken, and by which session; those of `wanted` alone, as each is a link to be read. */
export function linksIn(
  root: string,
  wanted: (name: string) => boolean = () => true,
): readonly { readonly name: string; readonly id: SessionId }[] {
  return (unlessDamaged(() => entriesOf(namesDir(root))) ?? []).flatMap(({ name }) => {
    const id = name.startsWith(BUILDING_PREFIX) || !wanted(name) ? null : holderOf(root, name);
    return id === null ? [] : [{ name, id }];
  });
}

/** The names of all sessions that have one. */
export function readNames(root: string): ReadonlyMap<SessionId, string> {
  const links = linksIn(root, (name) => !isKey(name));
  return new Map(links.map(({ name, id }) => [id, name]));
}

/** The claim of a session that is being built, or null where it has none. */
export function readBuiltRequest(session: SessionDir): RequestRecord | null {
  return unlessDamaged(() => {
    const text = readText(join(buildingDir(session), 'turns', '1', TURN_FILES.request));
    return text === null ? null : parse.request(text);
  });
}

/** Gives a session a free name. @throws ZwarmError `name_taken` */
export function takeName({ store, id }: SessionDir, name: string): void {
  try {
    symlink(id, nameLink(store.root, name));
    flush(namesDir(store.root));
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
    const what = `${nameWords(name)} was taken by another command at this moment`;
    throw new ZwarmError('name_taken', what, 'choose another name', error);
  }
}

/** Gives a session a name, whichever session has it now. */
export function moveName({ store, id }: SessionDir, name: string, unique: string): void {
  const link = join(namesDir(store.root), `${BUILDING_PREFIX}${unique}`);
  symlink(id, link);
  rename(link, nameLink(store.root, name));
  flush(namesDir(store.root));
}

/** Takes a name away from a session. Another session that was given the name at this moment keeps it. */
export function giveUpName({ store, id }: SessionDir, name: string, unique: string): void {
  if (holderOf(store.root, name) !== id) return;
  const removed = join(namesDir(store.root), `${BUILDING_PREFIX}${unique}`);
  try {
    rename(nameLink(store.root, name), removed);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return;
    throw error;
  }
  const holder = targetOf(removed);
  if (holder !== null && holder !== id) takeName({ store, id: holder }, name);
  discard(removed);
}
