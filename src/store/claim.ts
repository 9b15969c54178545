import { join } from 'node:path';
import { errnoOf, ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import type { RequestRecord, SessionRecord } from '../core/session.ts';
import { createFile, flush, makeDir, makeDirs, removeTree, rename } from './files.ts';
import { BUILDING_PREFIX, sessionDir, sessionsDir, TURN_FILES, turnDir, turnsDir } from './layout.ts';
import { encode } from './records.ts';
import { seal } from './seals.ts';

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
  return code === 'ENOTEMPTY' || code === 'EEXIST';
}

/**
 * Creates a session with its first turn, durable when this returns: everything is built under a hidden name and
 * appears by one rename. @throws ZwarmError `lost_race` when the id is taken
 */
export function createSession(
  root: string,
  sealsDir: string,
  id: SessionId,
  record: SessionRecord,
  claim: Claim,
): void {
  const building = join(sessionsDir(root), `${BUILDING_PREFIX}${id}`);
  const text = encode(record);
  makeDirs(sessionsDir(root));
  makeDir(building);
  try {
    createFile(join(building, 'session.json'), text);
    makeDir(join(building, 'turns'));
    buildTurn(join(building, 'turns', '1'), claim);
    flush(join(building, 'turns'));
    flush(building);
    // Before the session shows itself: a session without a seal could never be continued.
    seal(sealsDir, root, id, text);
    rename(building, sessionDir(root, id));
    flush(sessionsDir(root));
  } catch (error) {
    removeTree(building);
    if (isTaken(error)) throw new ZwarmError('lost_race', `the id ${id} is taken`, 'try again');
    throw error;
  }
}

/**
 * Claims turn `turn` by renaming a complete directory onto its number: of several claimers exactly one wins.
 * Durable when this returns. @throws ZwarmError `lost_race`, `not_found`, and then nothing was written
 */
export function claimTurn(root: string, id: SessionId, turn: number, claim: Claim): void {
  const building = join(turnsDir(root, id), `${BUILDING_PREFIX}${claim.request.nonce}`);
  try {
    buildTurn(building, claim);
    rename(building, turnDir(root, id, turn));
    flush(turnsDir(root, id));
  } catch (error) {
    removeTree(building);
    if (errnoOf(error) === 'ENOENT') {
      throw new ZwarmError('not_found', `${id} was removed by another command`, 'see: zwarm ls');
    }
    if (isTaken(error)) {
      throw new ZwarmError(
        'lost_race',
        `turn ${turn} of ${id} was claimed by another command`,
        `see: zwarm show ${id}`,
      );
    }
    throw error;
  }
}
