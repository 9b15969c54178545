import { join } from 'node:path';
import { errnoOf, ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import type { RequestRecord, SessionRecord } from '../core/session.ts';
import { copyTurn } from './copy-turn.ts';
import { createFile, discard, flush, isDiskFull, linkName, makeDir, makeDirs, rename } from './files.ts';
import {
  BUILDING_PREFIX,
  buildingDir,
  cancelNameOf,
  sessionDir,
  sessionFile,
  sessionsDir,
  TURN_FILES,
  turnDir,
  turnsDir,
} from './layout.ts';
import { claimName, giveUpName } from './names.ts';
import { requireOwn } from './own.ts';
import { entriesOf, readSmall, unlessDamaged } from './read-file.ts';
import { encode } from './records.ts';
import { discardSeal, seal } from './seals.ts';
import { hasSession } from './sessions.ts';

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

/**
 * Creates a session with its first turn, or with copies of the turns of another one and a next turn (if any): everything is built under a hidden name and appears by one rename. It is
 * durable once `flushClaim` has returned. @throws ZwarmError `lost_race` when the id is taken, `name_taken`
 */
export function createSession(
  root: string,
  sealsDir: string,
  id: SessionId,
  record: SessionRecord,
  claim: Claim | null,
  copies: readonly Copied[] = [],
): void {
  const building = buildingDir(root, id);
  const text = encode(record);
  makeDirs(sessionsDir(root));
  requireOwn(root, sessionsDir(root));
  makeDir(building);
  const { name } = record;
  let sealed = false;
  let claimed: number | null = null;
  try {
    createFile(join(building, 'session.json'), text);
    makeDir(join(building, 'turns'));
    const place = (turn: number): string => join(building, 'turns', String(turn));
    for (const [i, { directory, eventBytes }] of copies.entries())
      copyTurn(directory, place(i + 1), eventBytes);
    if (claim !== null) buildTurn(place(copies.length + 1), claim);
    flush(join(building, 'turns'));
    flush(building);
    // Before the session shows itself: a session without a seal could never be continued.
    seal(sealsDir, root, id, text, record.source);
    sealed = true;
    if (name !== null) claimed = claimName(root, name, id);
    rename(building, sessionDir(root, id));
  } catch (error) {
    if (name !== null && claimed !== null) giveUpName(root, name, claimed);
    discard(building);
    if (sealed) discardSeal(sealsDir, root, id);
    if (isTaken(error)) throw new ZwarmError('lost_race', `the id ${id} is taken`, 'try again', error);
    throw error;
  }
}

/**
 * Claims turn `turn` by renaming a complete directory onto its number: of several claimers exactly one wins. It is
 * durable once `flushClaim` has returned.
 * @throws ZwarmError `lost_race`, `not_found`; DamagedRecord; and then nothing was written
 */
export function claimTurn(root: string, id: SessionId, turn: number, claim: Claim): void {
  const building = join(turnsDir(root, id), `${BUILDING_PREFIX}${claim.request.nonce}`);
  try {
    requireOwn(root, turnsDir(root, id));
    buildTurn(building, claim);
    rename(building, turnDir(root, id, turn));
  } catch (error) {
    discard(building);
    throw claimError(root, id, turn, error);
  }
}

function claimError(root: string, id: SessionId, turn: number, error: unknown): unknown {
  if (!hasSession(root, id)) {
    return new ZwarmError('not_found', `${id} was removed by another command`, 'see: zwarm ls', error);
  }
  if (!isTaken(error)) return error;
  const what = `turn ${turn} of ${id} was claimed by another command`;
  return new ZwarmError('lost_race', what, `see: zwarm show ${id}`, error);
}

/** Makes the claim of a turn survive a power cut; before that nobody may be told of it, and nothing may run. */
export function flushClaim(root: string, id: SessionId, turn: number): void {
  flush(turn === 1 ? sessionsDir(root) : turnsDir(root, id));
}

/**
 * Claims a session's next turn number for its removal: from here on nobody can go on with it, and readers see it no
 * longer. A full disk has no room for a request, but for a name: there the tombstone is a second name of session.json.
 * @throws ZwarmError `lost_race`, `not_found`; DamagedRecord
 */
export function claimTombstone(root: string, id: SessionId, turn: number, request: RequestRecord): void {
  try {
    claimTurn(root, id, turn, { request, prompt: null });
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    try {
      linkName(sessionFile(root, id), turnDir(root, id, turn));
    } catch (linkError) {
      throw claimError(root, id, turn, linkError);
    }
  }
  try {
    flushClaim(root, id, turn);
  } catch (error) {
    // Whoever saw the tombstone may have finished the removal by now.
    throw claimError(root, id, turn, error);
  }
}

/** Whether a turn that was claimed holds nothing but that claim, or was called off. @throws DamagedRecord */
export function isAsClaimed(root: string, id: SessionId, turn: number, { request, prompt }: Claim): boolean {
  const directory = turnDir(root, id, turn);
  const expected = new Map<string, Uint8Array>([
    [TURN_FILES.request, Buffer.from(encode(request))],
    [TURN_FILES.events, Buffer.alloc(0)],
    [TURN_FILES.stderr, Buffer.alloc(0)],
    ...(prompt === null ? [] : [[TURN_FILES.prompt, prompt] as const]),
  ]);
  const names = entriesOf(directory).map(({ name }) => name);
  // It was called off, and whoever did so may be recording that: the runner will not begin it.
  if (names.some((name) => name === TURN_FILES.cancel || cancelNameOf(name))) return true;
  if (!names.every((name) => expected.has(name) || name.startsWith(BUILDING_PREFIX))) return false;
  return [...expected].every(([name, bytes]) => {
    const file = unlessDamaged(() => readSmall(join(directory, name), bytes.length));
    return file?.bytes.equals(bytes) ?? false;
  });
}
