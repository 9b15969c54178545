import { errnoOf, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { ProcessIdentity } from '../../core/session.ts';
import { isFinal } from '../../core/status.ts';
import { marksOf } from '../../core/turn-mark.ts';
import { anyBears, type Census, createCensus } from '../../process/bearers.ts';
import { livenessOf } from '../../process/identity.ts';
import { claimTombstone } from '../../store/claim.ts';
import { DamagedRecord, unlessDamaged } from '../../store/read-file.ts';
import { removeSession } from '../../store/remove.ts';
import { discardMarks } from '../../store/seen.ts';
import { isTombstone, listTurns, readExit, readRequest, readRunner } from '../../store/sessions.ts';
import type { ManagerContext, Store } from '../context.ts';
import { newRequest } from '../launch/launch-turn.ts';
import { readNow } from '../session/current-turn.ts';
import { declareNeverLaunched } from '../stop/never-launched.ts';
import { elsewhereError, whoRan } from '../turn/where-it-ran.ts';

function isTombstoned({ root }: Store, id: SessionId): boolean {
  try {
    const last = listTurns(root, id).at(-1);
    return last !== undefined && isTombstone(root, id, last);
  } catch (error) {
    if (error instanceof DamagedRecord) return false;
    throw error;
  }
}

function elsewhere(id: SessionId, who: ProcessIdentity): ZwarmError {
  return elsewhereError(id, who, `remove it there; if that is gone for good: zwarm rm --force ${id}`);
}

/**
 * Refuses where a turn without a recorded end was begun where nobody can look from here, as far as its records can be
 * read. @throws ZwarmError `unknown_liveness`
 */
function refuseElsewhere({ root }: Store, id: SessionId): void {
  for (const turn of unlessDamaged(() => listTurns(root, id)) ?? []) {
    if (unlessDamaged(() => readExit(root, id, turn)) !== null) continue;
    const request = unlessDamaged(() => readRequest(root, id, turn));
    const claimer = request?.kind === 'tombstone' ? null : request?.claimer;
    for (const who of [readRunner(root, id, turn)?.identity, claimer])
      if (who != null && livenessOf(who) === 'cannot_tell') throw elsewhere(id, who);
  }
}

/** How to remove: `force` also what may live where nobody can look; one `census` serves a whole `clean`. */
interface RemoveOptions {
  readonly force: boolean;
  readonly census: Census;
}

/** Claims the next turn with a tombstone: from here on nobody can inject, and readers see the session no longer. */
async function bury(context: ManagerContext, store: Store, id: SessionId, force: boolean): Promise<void> {
  const now = await readNow(store, id, context.now());
  const { status } = now.current.verdict;
  if (status === 'unknown' && !force) throw elsewhere(id, whoRan(now.current));
  if (status !== 'unknown' && !isFinal(status))
    throw new ZwarmError('busy', `${id} is still ${status}`, `end it first: zwarm kill ${id}`);
  declareNeverLaunched(context, store, now);
  const next = (now.turns.at(-1) ?? 0) + 1;
  claimTombstone(store.root, id, next, newRequest(context, 'tombstone'));
}

/**
 * Removes a session that is not running, for good, and returns the bytes that this freed. A damaged one can be
 * removed too.
 * @throws ZwarmError `busy`, `lost_race`, `unknown_liveness`, `not_found`
 */
export async function remove(
  context: ManagerContext,
  store: Store,
  id: SessionId,
  options: Partial<RemoveOptions> = {},
): Promise<number> {
  const { force = false, census = createCensus() } = options;
  if (isTombstoned(store, id)) {
    if (!force) refuseElsewhere(store, id);
  } else {
    try {
      await bury(context, store, id, force);
    } catch (error) {
      if (!(error instanceof ZwarmError && error.code === 'damaged')) throw error;
      if (!force) refuseElsewhere(store, id);
      if (anyBears(marksOf(store, id), census)) {
        throw new ZwarmError(
          'busy',
          `${id} is damaged, but its agent still runs`,
          `end it first: zwarm kill ${id}`,
        );
      }
    }
  }
  try {
    const name = store.names.get(id) ?? null;
    const bytes = removeSession(store.root, { id, name }, context.newNonce());
    discardMarks(store.state, store.id, (marked) => marked === id);
    return bytes;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    throw new ZwarmError('not_found', `${id} was removed by another command`, 'see: zwarm ls');
  }
}
