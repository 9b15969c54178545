import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { ZwarmError } from '../core/errors.ts';
import { isSessionId, type SessionId } from '../core/ids.ts';
import type { RequestRecord } from '../core/session.ts';
import { discard, makeDirs, publishOnce } from './files.ts';
import { BUILDING_PREFIX, buildingDir, nameDir, namesDir, TURN_FILES } from './layout.ts';
import { requireOwn } from './own.ts';
import { entriesOf, readSmall, unlessDamaged } from './read-file.ts';
import { parseRequestRecord } from './records.ts';
import { hasSession } from './sessions.ts';

/*
 * names/<name>/<n> holds the id of the session that bears the name; the highest number counts. A number is given once,
 * and the highest is never taken away from a session that exists: so a name that has become free is taken once, too.
 */

const NUMBER = /^[1-9][0-9]{0,8}$/;

function numbersOf(root: string, name: string): number[] {
  const names = unlessDamaged(() => entriesOf(nameDir(root, name))) ?? [];
  return names.filter((entry) => NUMBER.test(entry.name)).map((entry) => Number(entry.name));
}

const newestOf = (root: string, name: string): number => Math.max(0, ...numbersOf(root, name));

const claimFile = (root: string, name: string, number: number): string =>
  join(nameDir(root, name), String(number));

/** The session that bears a name, or is about to; null where it is free. */
export function holderOf(root: string, name: string): SessionId | null {
  const file = unlessDamaged(() => readSmall(claimFile(root, name, newestOf(root, name))));
  const id = file?.bytes.toString().trim() ?? '';
  if (!isSessionId(id)) return null;
  const isBuilt = lstatSync(buildingDir(root, id), { throwIfNoEntry: false }) !== undefined;
  return isBuilt || hasSession(root, id) ? id : null;
}

/** The claim of a session that is being built, or null where it has none. */
export function readBuiltRequest(root: string, id: SessionId): RequestRecord | null {
  return unlessDamaged(() => {
    const file = readSmall(join(buildingDir(root, id), 'turns', '1', TURN_FILES.request));
    return file === null ? null : parseRequestRecord(file.bytes.toString());
  });
}

/** Removes a session that is being built by nobody any more. */
export function discardBuilt(root: string, id: SessionId): void {
  discard(buildingDir(root, id));
}

function refuseTaken(name: string): never {
  throw new ZwarmError(
    'name_taken',
    `the name ${name} was taken by another command at this moment`,
    'choose another name',
  );
}

/**
 * Claims a name for a session that has been built and is about to appear; returns the number of the claim.
 * @throws ZwarmError `name_taken`; DamagedRecord
 */
export function claimName(root: string, name: string, id: SessionId): number {
  makeDirs(namesDir(root));
  requireOwn(root, namesDir(root));
  makeDirs(nameDir(root, name));
  requireOwn(root, nameDir(root, name));
  const newest = newestOf(root, name);
  if (holderOf(root, name) !== null) refuseTaken(name);
  const number = newest + 1;
  const temporary = join(root, `${BUILDING_PREFIX}name-${id}`);
  if (!publishOnce(claimFile(root, name, number), `${id}\n`, temporary)) refuseTaken(name);
  const numbers = numbersOf(root, name);
  if (numbers.some((other) => other > number)) {
    // It was read before the numbers from here on were given, and cleared away again.
    giveUpName(root, name, number);
    refuseTaken(name);
  }
  for (const older of numbers) if (older < newest) giveUpName(root, name, older);
  return number;
}

/** Takes a claim away whose session did not come into being. */
export function giveUpName(root: string, name: string, number: number): void {
  discard(claimFile(root, name, number));
}
