import { join } from 'node:path';
import { isSessionId, parseTurnNumber } from '../core/ids.ts';
import type { ProcessIdentity } from '../core/session.ts';
import { flushClaim } from './claim.ts';
import { createFile, discard, flush, isFirst, makeDirs } from './files.ts';
import { queueDir, type SessionDir, type TurnDir } from './layout.ts';
import { entriesOf, readText, unlessDamaged } from './read-file.ts';
import { encode, type PlaceRecord, parse } from './records.ts';

/*
 * Which turns of a store wait, and in which order: for each a file `queue/<number>-<id>.<turn>`. It is there before its
 * turn is claimed, and is removed after the turn has begun or was cancelled: a turn that waits always has one.
 */

/** A place in the queue of a store. */
export interface Place<Store extends SessionDir['store']> extends TurnDir {
  readonly store: Store;
  readonly path: string;
}

const NAME = /^([0-9]{10})-([a-z0-9]+)\.([0-9]+)$/;

/** The places in the queue, in their order; also of turns that wait no longer. */
export function readQueue<Store extends SessionDir['store']>(store: Store): readonly Place<Store>[] {
  const directory = queueDir(store.root);
  const names = entriesOf(directory).map(({ name }) => name);
  return names.sort().flatMap((name) => {
    const [, , id = '', number = ''] = NAME.exec(name) ?? [];
    const turn = parseTurnNumber(number);
    return isSessionId(id) && turn !== null ? [{ store, id, turn, path: join(directory, name) }] : [];
  });
}

/** Takes the last place for a turn that is about to be claimed; durable when this returns. Its path. */
function joinQueue({ store, id, turn }: TurnDir, claimer: ProcessIdentity): string {
  const directory = queueDir(store.root);
  makeDirs(directory);
  flush(store.root);
  const last = entriesOf(directory).flatMap(({ name }) => Number(NAME.exec(name)?.[1] ?? 0));
  const record: PlaceRecord = { v: 1, claimer };
  const place = (number: number): string =>
    join(directory, `${String(number).padStart(10, '0')}-${id}.${turn}`);
  let number = Math.max(0, ...last) + 1;
  // Another command may take that place for the same turn: then there are two, and the claim decides between them.
  while (!isFirst(() => createFile(place(number), encode(record)))) number += 1;
  flush(directory);
  return place(number);
}

/** Takes the last place for a turn and claims it; both are durable when this returns. @throws as `claim`, without the place then */
export function claimInQueue(turn: TurnDir, claimer: ProcessIdentity, claim: () => void): void {
  const path = joinQueue(turn, claimer);
  try {
    claim();
  } catch (error) {
    discard(path);
    throw error;
  }
  flushClaim(turn);
}

/** Who took a place, or null where that cannot be read: a full disk cut it short, or it was given up. */
export function claimerOfPlace({ path }: Pick<Place<SessionDir['store']>, 'path'>): ProcessIdentity | null {
  const text = unlessDamaged(() => readText(path));
  return text === null ? null : unlessDamaged(() => parse.place(text).claimer);
}

/** Gives a place up. */
export function leaveQueue({ path }: Pick<Place<SessionDir['store']>, 'path'>): void {
  discard(path);
}
