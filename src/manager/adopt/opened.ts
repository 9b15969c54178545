import { survey, turnsOfFile } from '../../core/conversation/session-file.ts';
import { isSaidInOpen } from '../../core/turn-kinds.ts';
import type { HistoryFile } from '../../store/agent-history.ts';
import { lookAt } from '../../store/read-file.ts';
import { type OpenedThread, type RequestRecord, recordOfTurn } from '../../store/records.ts';
import { listTurns, readRequest, readSessionRecord } from '../../store/sessions.ts';
import type { ManagerContext, Session, Turn } from '../context.ts';
import { tryCacheState } from '../session/cache-state.ts';
import { readNow, type SessionNow } from '../session/current-turn.ts';
import { orDamaged } from '../session/damage.ts';
import { historyOf } from '../session/turn-lineage.ts';
import { recordEnd } from '../stop/record-exit.ts';
import { adapterOf, holdsOpen } from '../turn/turn-state.ts';
import { claimSaid } from './claim-said.ts';
import { linesOf } from './session-files.ts';

/** A turn that held a session open in the agent's own program. */
interface OpenTurn extends Turn {
  readonly request: RequestRecord & { readonly opened: OpenedThread };
}

/** What became of a session that was open. */
export interface TakenIn {
  /** How many turns were added. */
  readonly turns: number;
  readonly warning: string | null;
}

/** The agent's file of a thread as it is now; null where it is gone. */
function fileNow(
  context: ManagerContext,
  adapter: NonNullable<ReturnType<typeof adapterOf>>,
  { path, thread_id }: OpenedThread,
): HistoryFile | null {
  const there = lookAt(path);
  return !there?.isFile() ? (historyOf(context, adapter, thread_id) ?? null) : { path, bytes: there.size };
}

/**
 * Makes turns of what was said while a session was open, as far as the agent's file shows it; what an earlier command has
 * taken in before it was killed is not taken in again. Then the session is open no longer. @throws ZwarmError `io`, `lost_race`
 */
export async function takeIn(context: ManagerContext, { request, ...turn }: OpenTurn): Promise<TakenIn> {
  const { opened, runs } = request;
  const stored = readSessionRecord(turn);
  const adapter = adapterOf(stored, request);
  const files = adapter?.history?.files ?? null;
  const done = (turns: number, warning: string | null = null): TakenIn => {
    recordEnd(turn, { why: null, detail: null, cancelled: false });
    return { turns, warning };
  };
  if (adapter === null || files === null) return done(0);
  const file = fileNow(context, adapter, opened);
  if (file === null)
    return done(
      0,
      `the file of ${adapter.name} is gone, so that nobody knows what was said there: ${opened.path}`,
    );
  if (file.bytes <= opened.bytes) return done(0);
  const newReader = await files.loadReader();
  const before = { ...file, bytes: opened.bytes };
  const whole = survey(linesOf(file), newReader());
  const old = survey(linesOf(before), newReader());
  const isWoundBack = old.last !== null && whole.branch !== null && !whole.branch.has(old.last);
  const added = claimSaid(context, turn, {
    turns: turnsOfFile(linesOf(file, opened.bytes), newReader(), whole),
    known: listTurns(turn).filter((number) => number > turn.turn).length,
    threadId: opened.thread_id,
    continued: isWoundBack ? null : opened.thread_id,
    runs,
    directory: recordOfTurn(stored, request).working_dir,
    version: whole.thread?.version ?? null,
  });
  const wound = `the conversation was wound back in ${adapter.name} itself: the next message is told anew what was said`;
  return done(added, isWoundBack ? wound : null);
}

/** The turn that held a session open, where the command that did is gone and what was said there was not taken in; or null. */
function leftOpen({ store, id, turns }: SessionNow): OpenTurn | null {
  for (const number of turns.toReversed()) {
    const turn = { store, id, turn: number };
    const request = readRequest(turn);
    const { kind, opened } = request;
    if (isSaidInOpen(kind)) continue;
    return opened !== null && holdsOpen(turn, request) === 'left'
      ? { ...turn, request: { ...request, opened } }
      : null;
  }
  return null;
}

/**
 * The present state of a session that is to go on, with all that was said in the agent's own program, also where the command
 * that had opened that was killed. @throws ZwarmError as `readNow`, `takeIn`
 */
export async function catchUp(context: ManagerContext, session: Session): Promise<SessionNow> {
  const now = await readNow(session, context.now());
  const left = await orDamaged(session, async () => leftOpen(now));
  if (left === null) return now;
  await orDamaged(session, () => takeIn(context, left));
  await tryCacheState(context, session);
  return readNow(session, context.now());
}
