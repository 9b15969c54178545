import { join } from 'node:path';
import { isErrno, ZwarmError } from '../core/errors.ts';
import { copyFile, createFile, discard, flush, isDiskFull, link, makeDir, rename } from './files.ts';
import * as layout from './layout.ts';
import { giveUpName, takeName } from './names.ts';
import { DamagedRecord, entriesOf, lookAt, withFile } from './read-file.ts';
import { encode, encodeSession, type RequestRecord, type SessionRecord } from './records.ts';
import { hasSession, type StoredSession } from './sessions.ts';

/** A turn about to be claimed: what was asked, and the user's message byte for byte (null for a marker). */
export interface Claim {
  readonly request: RequestRecord;
  readonly prompt: Uint8Array | null;
}

function buildTurn(directory: string, { request, prompt }: Claim): void {
  makeDir(directory);
  createFile(join(directory, layout.TURN_FILES.request), encode(request));
  if (prompt !== null) {
    createFile(join(directory, layout.TURN_FILES.prompt), prompt);
    // There before the agent starts: opening them on a full disk cannot fail and pose as the agent's exit code.
    createFile(join(directory, layout.TURN_FILES.events), '');
    createFile(join(directory, layout.TURN_FILES.stderr), '');
  }
  flush(directory);
}

/** A turn of another session that becomes one of a new one: its directory, and how much of its stream counts. */
export interface Copied {
  readonly directory: string;
  /** Null for all of it. */
  readonly eventBytes: number | null;
}

/** The records of a turn; whether it was settled matters only to the session that it ran in. */
const COPIED = new Set<string>(
  Object.values(layout.TURN_FILES).filter((name) => name !== layout.TURN_FILES.notified),
);
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
  readonly name: string | null;
  /** Its first turn, or the one after the copies; null where a fork begins without one. */
  readonly claim: Claim | null;
  readonly copies: readonly Copied[];
  /** Keeps the temporary files of two commands apart. */
  readonly unique: string;
}

/**
 * Creates a session: built under a hidden name, it appears by one rename, and is durable once `flushClaim` has returned.
 * @throws ZwarmError `lost_race` when the id is taken, `name_taken`
 */
export function createSession(session: NewSession): void {
  const { store, id, record, claim, copies, name } = session;
  const building = layout.buildingDir(session);
  makeDir(building);
  let named = false;
  try {
    createFile(join(building, 'session.json'), encodeSession(record, store.projectRoot));
    const turns = join(building, 'turns');
    makeDir(turns);
    for (const [i, copied] of copies.entries()) copyTurn(copied, join(turns, String(i + 1)));
    if (claim !== null) buildTurn(join(turns, String(copies.length + 1)), claim);
    flush(turns);
    flush(building);
    if (name !== null) takeName(session, name);
    named = true;
    rename(building, layout.sessionDir(session));
  } catch (error) {
    if (name !== null && named) giveUpName(session, name, session.unique);
    discard(building);
    if (isTaken(error)) throw new ZwarmError('lost_race', `the id ${id} is taken`, 'try again', error);
    throw error;
  }
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
