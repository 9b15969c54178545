import { bytesOf, type ChangedFiles, changedIn } from '../../core/conversation/session-reader.ts';
import { isAtRest } from '../../core/status.ts';
import { listTurns } from '../../store/sessions.ts';
import { writeSummary } from '../../store/summary.ts';
import type { ManagerContext, Session } from '../context.ts';
import { conversationOf } from './read-session.ts';
import type { SessionReading } from './session-state.ts';
import { FOLD_VERSION, listedOf, readSessionFromStreams } from './session-summary.ts';

/**
 * Caches for lists how a session stands, if it is at rest and no turn was claimed since it was read; true if it has.
 * `changed` is what its page shows besides.
 */
export function cacheState(
  context: ManagerContext,
  reading: SessionReading,
  changed?: ChangedFiles,
): boolean {
  const listed = listedOf(reading, context.now());
  const newest = reading.turns.at(-1)?.turn ?? 0;
  if (!isAtRest(listed.status)) return false;
  if (listTurns(reading).at(-1) !== newest) return false;
  writeSummary(reading, FOLD_VERSION, { newest, listed, ...(changed && { changed }) }, context.newNonce());
  return true;
}

/** A conversation whose streams are longer tells at the end of its page which files it changed. */
const LONGEST = 64 << 20;
/** Paths have no limit, but a list reads all summaries. */
const LONGEST_NAMES = 1000;

/** What only a reading of all streams tells, or null where that is too much. @throws DamagedRecord */
function changedFiles(reading: SessionReading, nowMs: number): ChangedFiles | null {
  const conversation = conversationOf(reading, nowMs);
  const changed = bytesOf(conversation.turns) > LONGEST ? null : changedIn(conversation);
  return changed !== null && changed.first.join('').length < LONGEST_NAMES ? changed : null;
}

/** Caches what a reading of all streams tells, too. @throws DamagedRecord */
export function cacheChanged(context: ManagerContext, reading: SessionReading): void {
  const changed = changedFiles(reading, context.now());
  if (changed !== null) cacheState(context, reading, changed);
}

/** Both, where the verb has done its work by now: without a summary readers compute, so that nothing is lost. */
export async function tryCacheState(context: ManagerContext, session: Session): Promise<void> {
  await readSessionFromStreams(session, context.now())
    .then((reading) => {
      if (cacheState(context, reading)) cacheChanged(context, reading);
    })
    .catch(() => undefined);
}
