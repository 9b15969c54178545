import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, ZwarmError } from '../core/errors.ts';
import { isSessionId, type SessionId } from '../core/ids.ts';
import type { RequestRecord } from '../core/session.ts';
import { discard, flush, makeLink, rename } from './files.ts';
import { BUILDING_PREFIX, buildingDir, nameLink, namesDir, TURN_FILES } from './layout.ts';
import { entriesOf, readSmall, unlessDamaged } from './read-file.ts';
import { parseRequestRecord } from './records.ts';
import { hasSession } from './sessions.ts';

/*
 * names/<name> is a symbolic link whose target is the id of the session that bears the name. It is the only record of a
 * name: made by one symlink(2), a name is taken once.
 */

function targetOf(link: string): SessionId | null {
  try {
    const target = readlinkSync(link);
    return isSessionId(target) ? target : null;
  } catch (error) {
    // EINVAL: not a link, so not one of ours.
    if (['ENOENT', 'ENOTDIR', 'EINVAL'].includes(errnoOf(error) ?? '')) return null;
    throw error;
  }
}

/** The session that a name leads to, whether it is there, being built, or gone; null where nobody has the name. */
export function holderOf(root: string, name: string): SessionId | null {
  return targetOf(nameLink(root, name));
}

/** The names of all sessions that have one. */
export function readNames(root: string): ReadonlyMap<SessionId, string> {
  const names = new Map<SessionId, string>();
  for (const { name } of unlessDamaged(() => entriesOf(namesDir(root))) ?? []) {
    const id = name.startsWith('.') ? null : holderOf(root, name);
    if (id !== null) names.set(id, name);
  }
  return names;
}

/** Whether a session is there or being built. */
export function isThereOrBuilt(root: string, id: SessionId): boolean {
  return hasSession(root, id) || lstatSync(buildingDir(root, id), { throwIfNoEntry: false }) !== undefined;
}

/** The claim of a session that is being built, or null where it has none. */
export function readBuiltRequest(root: string, id: SessionId): RequestRecord | null {
  return unlessDamaged(() => {
    const file = readSmall(join(buildingDir(root, id), 'turns', '1', TURN_FILES.request));
    return file === null ? null : parseRequestRecord(file.bytes.toString());
  });
}

/** Takes a name that nobody has. @throws ZwarmError `name_taken` */
export function takeName(root: string, name: string, id: SessionId): void {
  try {
    makeLink(id, nameLink(root, name));
    flush(namesDir(root));
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    throw new ZwarmError(
      'name_taken',
      `the name ${name} was taken by another command at this moment`,
      'choose another name',
      error,
    );
  }
}

/** Gives a name to a session, whoever has it now. */
export function moveName(root: string, name: string, id: SessionId, unique: string): void {
  const link = join(namesDir(root), `${BUILDING_PREFIX}${unique}`);
  makeLink(id, link);
  rename(link, nameLink(root, name));
  flush(namesDir(root));
}

/** Takes a name away from a session, and from no other: one that was given it in this moment keeps it. */
export function giveUpName(root: string, name: string, id: SessionId, unique: string): void {
  if (holderOf(root, name) !== id) return;
  const removed = join(namesDir(root), `${BUILDING_PREFIX}${unique}`);
  try {
    rename(nameLink(root, name), removed);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    throw error;
  }
  const holder = targetOf(removed);
  if (holder !== null && holder !== id) takeName(root, name, holder);
  discard(removed);
}
