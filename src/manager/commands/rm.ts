import { errnoOf, ZwarmError } from '../../core/errors.ts';
import { isFinal } from '../../core/status.ts';
import { marksOfSession } from '../../core/turn-mark.ts';
import { livenessOf } from '../../process/identity.ts';
import { anyLives, type Census, createCensus } from '../../process/turn-processes.ts';
import { claimTombstone } from '../../store/claim.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { removeSession } from '../../store/remove.ts';
import { discardMarks } from '../../store/seen.ts';
import { isTombstone, listTurns, readExit, readRequest, readRunner } from '../../store/sessions.ts';
import type { ManagerContext, Session } from '../context.ts';
import { newRequest } from '../launch/new-request.ts';
import { readNow } from '../session/current-turn.ts';
import { declareNeverLaunched } from '../stop/request-cancel.ts';
import { elsewhereError, starterOf } from '../turn/where-it-ran.ts';

const hintFor = (id: string): string => `remove it there; if that is gone for good: zwarm rm --force ${id}`;

/** Refuses where a turn without a recorded end was started elsewhere. @throws ZwarmError `unknown_liveness` */
function refuseElsewhere(session: Session): void {
  const { id } = session;
  for (const number of unlessDamaged(() => listTurns(session)) ?? []) {
    const turn = { ...session, turn: number };
    if (unlessDamaged(() => readExit(turn)) !== null) continue;
    const request = unlessDamaged(() => readRequest(turn));
    const claimer = request?.kind === 'tombstone' ? null : request?.claimer;
    const starter = readRunner(turn)?.identity ?? claimer ?? null;
    if (starter !== null && livenessOf(starter) === 'cannot_tell')
      throw elsewhereError(id, starter, hintFor(id));
  }
}

/** How to remove: `force` also what may live where that cannot be seen; one `census` serves a whole `clean`. */
interface RemoveOptions {
  readonly force: boolean;
  readonly census: Census;
}

/** Claims the next turn with a tombstone: from here on it takes no message, and readers see the session no longer. */
async function bury(context: ManagerContext, session: Session, force: boolean): Promise<void> {
  const { id } = session;
  const now = await readNow(session, context.now());
  const { status } = now.current.verdict;
  if (status === 'unknown' && !force) throw elsewhereError(id, starterOf(now.current), hintFor(id));
  if (status !== 'unknown' && !isFinal(status))
    throw new ZwarmError('busy', `${id} is still ${status}`, `end it first: zwarm kill ${id}`);
  declareNeverLaunched(context, now);
  const turn = { ...session, turn: (now.turns.at(-1) ?? 0) + 1 };
  claimTombstone(turn, newRequest(context, 'tombstone'));
}

/** Refuses a damaged session that may still run. @throws ZwarmError `busy`, `unknown_liveness` */
function requireDead(session: Session, { force, census }: RemoveOptions): void {
  if (!force) refuseElsewhere(session);
  if (!anyLives(marksOfSession(session), census)) return;
  const { id } = session;
  const what = `${id} is damaged, but its agent still runs`;
  throw new ZwarmError('busy', what, `end it first: zwarm kill ${id}`);
}

/** Deletes a session that is not running, damaged or not; returns the bytes freed. @throws ZwarmError `busy`, … */
export async function remove(
  context: ManagerContext,
  session: Session,
  { force = false, census = createCensus() }: Partial<RemoveOptions> = {},
): Promise<number> {
  const { store, id } = session;
  const isBuried = unlessDamaged(() => {
    const last = listTurns(session).at(-1);
    return last !== undefined && isTombstone({ ...session, turn: last });
  });
  if (isBuried) {
    if (!force) refuseElsewhere(session);
  } else {
    await bury(context, session, force).catch((error: unknown) => {
      if (!(error instanceof ZwarmError && error.code === 'damaged')) throw error;
      requireDead(session, { force, census });
    });
  }
  try {
    const bytes = removeSession(session, store.names.get(id) ?? null, context.newNonce());
    discardMarks(store.state, store.id, (marked) => marked === id);
    return bytes;
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    throw new ZwarmError('not_found', `${id} was removed by another command`, 'see: zwarm ls');
  }
}
