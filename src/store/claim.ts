import { join } from 'node:path';
import { errnoOf, ZwarmError } from '../core/errors.ts';
import { copyTurn } from './copy-turn.ts';
import { createFile, discard, flush, isDiskFull, linkName, makeDir, rename } from './files.ts';
import {
  BUILDING_PREFIX,
  buildingDir,
  type SessionDir,
  sessionDir,
  sessionFile,
  sessionsDir,
  TURN_FILES,
  type TurnDir,
  turnDir,
  turnsDir,
} from './layout.ts';
import { giveUpName, takeName } from './names.ts';
import { encode, encodeSession, type RequestRecord, type SessionRecord } from './records.ts';
import { hasSession, type SessionStore } from './sessions.ts';

/** A turn about to be claimed: what was asked, and the user's message byte for byte (null for a marker). */
export interface Claim {
  readonly request: RequestRecord;
  readonly prompt: Uint8Array | null;
}

function buildTurn(directory: string, { request, prompt }: Claim): void {
  makeDir(directory);
  createFile(join(directory, TURN_FILES.request), encode(request));
  if (prompt !== null) {
    createFile(join(directory, TURN_FILES.prompt), prompt);
    // There before the agent starts: opening them on a full disk cannot fail and pose as the agent's exit code.
    createFile(join(directory, TURN_FILES.events), '');
    createFile(join(directory, TURN_FILES.stderr), '');
  }
  flush(directory);
}

function isTaken(error: unknown): boolean {
  const code = errnoOf(error);
  // ENOTDIR: a file is in the way, such as the tombstone of a full disk.
  return code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR';
}

/** A turn of another session that becomes one of a new one: its directory, and how much of its stream counts. */
export interface Copied {
  readonly directory: string;
  readonly eventBytes: number | null;
}

/** A session about to be created. */
export interface NewSession extends SessionDir {
  readonly store: SessionStore;
  readonly record: SessionRecord;
  readonly name: string | null;
  /** Its first turn, or the one after the copies; null where a fork begins without one. */
  readonly claim: Claim | null;
  readonly copies: readonly Copied[];
  /** Keeps the temporary files of two commands apart. */
  readonly unique: string;
}

/**
 * Creates a session with its first turn, or with copies of the turns of another session and a next turn, if any.
 * Everything is built under a hidden name and appears by one rename. It is durable once `flushClaim` has returned.
 * @throws ZwarmError `lost_race` when the id is taken, `name_taken`
 */
export function createSession(session: NewSession): void {
  const { store, id, record, claim, copies, name } = session;
  const building = buildingDir(session);
  makeDir(building);
  let named = false;
  try {
    createFile(join(building, 'session.json'), encodeSession(record, store.projectRoot));
    makeDir(join(building, 'turns'));
    const directoryOf = (turn: number): string => join(building, 'turns', String(turn));
    for (const [i, { directory, eventBytes }] of copies.entries())
      copyTurn(directory, directoryOf(i + 1), eventBytes);
    if (claim !== null) buildTurn(directoryOf(copies.length + 1), claim);
    flush(join(building, 'turns'));
    flush(building);
    if (name !== null) takeName(session, name);
    named = name !== null;
    rename(building, sessionDir(session));
  } catch (error) {
    if (name !== null && named) giveUpName(session, name, session.unique);
    discard(building);
    if (isTaken(error)) throw new ZwarmError('lost_race', `the id ${id} is taken`, 'try again', error);
    throw error;
  }
}

/**
 * Claims a turn by renaming a complete directory onto its number: of several claimers exactly one wins. It is
 * durable once `flushClaim` has returned.
 * @throws ZwarmError `lost_race`, `not_found`; DamagedRecord; and then nothing was written
 */
export function claimTurn(turn: TurnDir, claim: Claim): void {
  const building = join(turnsDir(turn), `${BUILDING_PREFIX}${claim.request.nonce}`);
  try {
    buildTurn(building, claim);
    rename(building, turnDir(turn));
  } catch (error) {
    discard(building);
    throw claimError(turn, error);
  }
}

function claimError(turn: TurnDir, error: unknown): unknown {
  const { id } = turn;
  if (!hasSession(turn)) {
    return new ZwarmError('not_found', `${id} was removed by another command`, 'see: zwarm ls', error);
  }
  if (!isTaken(error)) return error;
  const what = `turn ${turn.turn} of ${id} was claimed by another command`;
  return new ZwarmError('lost_race', what, `see: zwarm show ${id}`, error);
}

/** Makes the claim of a turn survive a power cut; before that nobody may be told of it, and nothing may run. */
export function flushClaim(turn: TurnDir): void {
  flush(turn.turn === 1 ? sessionsDir(turn.store.root) : turnsDir(turn));
}

/**
 * Claims a session's next turn number for its removal: from here on nobody can go on with it, and readers see it no
 * longer. A full disk has no room for a request, but for a name: there the tombstone is a second name of session.json.
 * @throws ZwarmError `lost_race`, `not_found`; DamagedRecord
 */
export function claimTombstone(turn: TurnDir, request: RequestRecord): void {
  try {
    claimTurn(turn, { request, prompt: null });
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    try {
      linkName(sessionFile(turn), turnDir(turn));
    } catch (linkError) {
      throw claimError(turn, linkError);
    }
  }
  try {
    flushClaim(turn);
  } catch (error) {
    // Whoever saw the tombstone may have finished the removal by now.
    throw claimError(turn, error);
  }
}
