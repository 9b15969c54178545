import { join } from 'node:path';
import { isErrno, ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import {
  copyFile,
  createFile,
  createFileOfLines,
  discard,
  flush,
  isDiskFull,
  link,
  makeDir,
  rename,
} from './files.ts';
import * as layout from './layout.ts';
import { giveUpName, takeName } from './names.ts';
import { DamagedRecord, entriesOf, lookAt, withFile } from './read-file.ts';
import {
  type DeferralRecord,
  type EnvironmentRecord,
  type ExitRecord,
  encode,
  encodeSession,
  type LaunchRecord,
  type RequestRecord,
  type SessionRecord,
} from './records.ts';
import { hasSession, type StoredSession } from './sessions.ts';

/** A turn about to be claimed: what was asked, and the user's message byte for byte (null for a marker). */
export interface Claim {
  readonly request: RequestRecord;
  readonly prompt: Uint8Array | null;
  /** Of a queued turn: with what it is to run. */
  readonly environment?: EnvironmentRecord | undefined;
  /** Of one that waits for a time. */
  readonly deferral?: DeferralRecord | undefined;
  /** Of a turn that something else ran: all that is known of it. */
  readonly done?: DoneTurn;
}

/** A turn that has ended before it was claimed. */
export interface DoneTurn {
  /** Its whole stream, or the lines of it. */
  readonly events: Uint8Array | Iterable<string>;
  readonly launch: LaunchRecord;
  /** Its end, which is known once its lines were read: so many bytes. */
  exit(eventBytes: number): ExitRecord;
}

function createEvents(path: string, events: DoneTurn['events']): number {
  if (!(events instanceof Uint8Array)) return createFileOfLines(path, events);
  createFile(path, events);
  return events.length;
}

function buildTurn(directory: string, { request, prompt, environment, deferral, done }: Claim): void {
  const create = (file: layout.TurnFile, content: string | Uint8Array): void =>
    createFile(join(directory, layout.TURN_FILES[file]), content);
  makeDir(directory);
  create('request', encode(request));
  if (prompt !== null) create('prompt', prompt);
  if (environment !== undefined) create('environment', encode(environment));
  if (deferral !== undefined) create('deferral', encode(deferral));
  // There before the agent starts: opening them on a full disk cannot fail and pose as the agent's exit code.
  if (prompt !== null || done !== undefined) create('stderr', '');
  if (done === undefined) {
    if (prompt !== null || request.opened !== null) create('events', '');
  } else {
    const { events, launch } = done;
    const bytes = createEvents(join(directory, layout.TURN_FILES.events), events);
    create('launch', encode(launch));
    create('exit', encode(done.exit(bytes)));
  }
  flush(directory);
}

/** A turn of another session that becomes one of a new one: its directory, and how much of its stream counts. */
export interface Copied {
  readonly directory: string;
  /** Null for all of it. */
  readonly eventBytes: number | null;
}

/** What matters only to the session that a turn ran in: that it was settled, with what it runs, what its snapshots are. */
const { notified, environment, before, after } = layout.TURN_FILES;
const ITS_OWN: readonly string[] = [notified, environment, before, after];
/** The records of a turn. */
const COPIED = new Set(Object.values<string>(layout.TURN_FILES).filter((name) => !ITS_OWN.includes(name)));
/** What a full disk leaves of them. */
const SHORT_RECORD = /^(cancel|exit)\.[a-z0-9-]+$/;

/** Copies the records of a turn that has ended, durable when this returns. @throws DamagedRecord */
function copyTurn({ directory: from, eventBytes }: Copied, to: string): void {
  makeDir(to);
  for (const { name } of entriesOf(from)) {
    if (!COPIED.has(name) && !SHORT_RECORD.test(name)) continue;
    const limit = name === layout.TURN_FILES.events ? eventBytes : null;
    withFile(join(from, name), ({ fd, size, mtimeMs }) =>
      copyFile(fd, join(to, name), Math.min(size, limit ?? size), mtimeMs),
    );
  }
  // The other session was removed meanwhile.
  if (lookAt(join(to, layout.TURN_FILES.request)) === null)
    throw new DamagedRecord(`${from} cannot be copied`);
  flush(to);
}

/** A session about to be created. */
interface NewSession extends StoredSession {
  readonly record: SessionRecord;
  /** The names that it takes. */
  readonly names: readonly string[];
  /** Its first turns, or those after the copies. */
  readonly claims: Iterable<Claim>;
  readonly copies: readonly Copied[];
  /** Keeps the temporary files of two commands apart. */
  readonly unique: string;
}

/**
 * Where a session is built. A name leads to what is built under the id of its session; without one, two commands that make
 * the same session do not meet there, and what one that was killed has left is in no other one's way.
 */
export const buildingOf = (session: StoredSession, names: readonly string[], unique: string): string =>
  layout.buildingDir(names.length === 0 ? { ...session, id: unique as SessionId } : session);

/**
 * Makes a session appear that was built, by one rename; or takes away what was built. It is durable once `flushClaim` has
 * returned. @throws ZwarmError `lost_race` when the id is taken, `name_taken`
 */
export function publishSession(session: StoredSession, names: readonly string[], unique: string): void {
  const building = buildingOf(session, names, unique);
  const taken: string[] = [];
  try {
    for (const name of names) {
      takeName(session, name);
      taken.push(name);
    }
    rename(building, layout.sessionDir(session));
  } catch (error) {
    for (const name of taken) giveUpName(session, name, unique);
    discard(building);
    if (isTaken(error))
      throw new ZwarmError('lost_race', `the id ${session.id} is taken`, 'try again', error);
    throw error;
  }
}

/** Creates a session: built under a hidden name, it appears like any other. @throws ZwarmError likewise */
export function createSession(session: NewSession): void {
  const { store, record, claims, copies, names, unique } = session;
  const building = buildingOf(session, names, unique);
  makeDir(building);
  try {
    createFile(join(building, 'session.json'), encodeSession(record, store.projectRoot));
    const turns = join(building, 'turns');
    makeDir(turns);
    for (const [i, copied] of copies.entries()) copyTurn(copied, join(turns, String(i + 1)));
    let turn = copies.length;
    for (const claim of claims) buildTurn(join(turns, String(++turn)), claim);
    flush(turns);
    flush(building);
  } catch (error) {
    discard(building);
    throw error;
  }
  publishSession(session, names, unique);
}

function isTaken(error: unknown): boolean {
  // ENOTDIR: a file is in the way, such as the tombstone of a full disk.
  return isErrno(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR');
}

/** Takes a step of the claim of a turn. @throws ZwarmError `lost_race`, `not_found` where another command was first */
function stepOfClaim(turn: layout.TurnDir, step: () => void): void {
  try {
    step();
  } catch (error) {
    const { id } = turn;
    if (!hasSession(turn))
      throw new ZwarmError('not_found', `${id} was removed by another command`, 'see: zwarm ls', error);
    if (!isTaken(error)) throw error;
    const what = `turn ${turn.turn} of ${id} was claimed by another command`;
    throw new ZwarmError('lost_race', what, `see: zwarm show ${id}`, error);
  }
}

/**
 * Claims a turn by renaming a complete directory onto its number: of several claimers exactly one wins. It is durable
 * once `flushClaim` has returned. @throws ZwarmError `lost_race`, `not_found`, and then nothing was written
 */
export function claimTurn(turn: layout.TurnDir, claim: Claim): void {
  const building = join(layout.turnsDir(turn), `${layout.BUILDING_PREFIX}${claim.request.nonce}`);
  stepOfClaim(turn, () => {
    try {
      buildTurn(building, claim);
      rename(building, layout.turnDir(turn));
    } catch (error) {
      discard(building);
      throw error;
    }
  });
}

/** Makes the claim of a turn survive a power cut; before that nobody may be told of it, and nothing may run. */
export function flushClaim(turn: layout.TurnDir): void {
  flush(turn.turn === 1 ? layout.sessionsDir(turn.store.root) : layout.turnsDir(turn));
}

/**
 * Claims a session's next turn number for its removal: nobody can go on with it, and readers see it no longer. On a full
 * disk the tombstone is a second name of session.json. @throws ZwarmError `lost_race`, `not_found`
 */
export function claimTombstone(turn: layout.TurnDir, request: RequestRecord): void {
  try {
    claimTurn(turn, { request, prompt: null });
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    stepOfClaim(turn, () => link(layout.sessionFile(turn), layout.turnDir(turn)));
  }
  // Whoever saw the tombstone may have finished the removal by now.
  stepOfClaim(turn, () => flushClaim(turn));
}
