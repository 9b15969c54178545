import { survey, turnsOfFile } from '../../core/conversation/session-file.ts';
import { isExternal } from '../../core/turn-kinds.ts';
import { createCensus } from '../../process/turn-processes.ts';
import { DamagedRecord, lookAt } from '../../store/read-file.ts';
import { copiedTurns, type OpenedThread, type RequestRecord, recordOfTurn } from '../../store/records.ts';
import { listTurns, readRequest, readSessionRecord } from '../../store/sessions.ts';
import { isOwn } from '../access/permissions.ts';
import type { ManagerContext, Session, Turn } from '../context.ts';
import { tryCacheState } from '../session/cache-state.ts';
import { readStateFromRecords, type SessionNow } from '../session/current-turn.ts';
import { orDamaged } from '../session/damage.ts';
import { recordEnd } from '../stop/record-exit.ts';
import { adapterOf, readHolder } from '../turn/turn-state.ts';
import { claimSaid } from './claim-said.ts';
import { linesOf } from './session-files.ts';

/** A turn that holds a session open in the agent's own program, or did. */
interface OpenTurn extends Turn {
  readonly request: RequestRecord & { readonly opened: OpenedThread };
}

/** What was taken in of what was said without zwarm. */
export interface TakenIn {
  /** How many turns were added. */
  readonly turns: number;
  readonly warning: string | null;
}

/** Makes turns of what the agent's file of a session that was open holds more than before. @throws DamagedRecord of that file */
async function claimMore(context: ManagerContext, { request, ...turn }: OpenTurn): Promise<TakenIn> {
  const { thread_id: threadId, path, bytes: before } = request.opened;
  const record = recordOfTurn(readSessionRecord(turn), request);
  const adapter = adapterOf(record, request);
  const files = adapter?.history?.files ?? null;
  if (adapter === null || files === null) return { turns: 0, warning: null };
  const there = lookAt(path);
  const file = { path, bytes: there?.size ?? 0 };
  if (!there?.isFile())
    return { turns: 0, warning: `nobody knows what was said in ${adapter.name}: its file is gone: ${path}` };
  if (file.bytes <= before) return { turns: 0, warning: null };
  const newReader = await files.loadReader();
  const whole = survey(linesOf(file), newReader());
  const old = survey(linesOf({ path, bytes: before }), newReader());
  const isWoundBack = old.last !== null && whole.branch !== null && !whole.branch.has(old.last);
  const turns = claimSaid(context, turn, {
    turns: turnsOfFile(linesOf(file, before), newReader(), whole),
    // What a command has taken in that was killed meanwhile.
    known: listTurns(turn).filter((number) => number > turn.turn).length,
    threadId,
    // Where the user went back there, the thread no longer holds what came before.
    continued: isWoundBack ? null : threadId,
    asked: { runs: request.runs, by: request.by },
    directory: record.working_dir,
    version: whole.thread?.version ?? null,
    isOver: true,
  });
  const wound = `the conversation was rewound in ${adapter.name} itself: the next message is told anew what was said`;
  return { turns, warning: isWoundBack ? wound : null };
}

/**
 * Makes turns of what was said while a session was open, as far as the agent's file shows it; from then on it is open no longer,
 * and what there is to warn of is kept with its turn. @throws ZwarmError `io`, `lost_race`, and then it can be done again
 */
export async function takeIn(context: ManagerContext, turn: OpenTurn): Promise<TakenIn> {
  const taken = await claimMore(context, turn).catch((error: unknown): TakenIn => {
    if (!(error instanceof DamagedRecord)) throw error;
    return { turns: 0, warning: `what was said cannot be read: ${error.message}` };
  });
  recordEnd(turn, { why: null, detail: taken.warning, cancelled: false });
  return taken;
}

/**
 * The turn that held a session open, where nothing does any longer and what was said was not taken in; else null. With `force` the
 * user knows that nothing does of which that cannot be determined here.
 */
function leftOpen({ store, id, turns, record }: SessionNow, force: boolean): OpenTurn | null {
  const others = Math.max(copiedTurns(record), record.unpacked?.turn ?? 0);
  for (const number of turns.toReversed()) {
    const turn = { store, id, turn: number };
    const request = readRequest(turn);
    const { kind, opened } = request;
    if (isExternal(kind)) continue;
    if (opened === null || number <= others) return null;
    const living = readHolder(turn, request, createCensus())?.living;
    const isLeft = living === 'no' || (force && living === 'cannot_tell');
    return isLeft ? { ...turn, request: { ...request, opened } } : null;
  }
  return null;
}

/**
 * The present state of a session that is to go on. What was said in the agent's own program becomes a part of it, where the command
 * that had opened that was killed, unless the session is another caller's. @throws ZwarmError as `readStateFromRecords`, `takeIn`
 */
export async function catchUp(context: ManagerContext, session: Session, force = false): Promise<SessionNow> {
  const now = await readStateFromRecords(session, context.now());
  const left = isOwn(context, session) ? await orDamaged(session, async () => leftOpen(now, force)) : null;
  if (left === null) return now;
  await orDamaged(session, () => takeIn(context, left));
  await tryCacheState(context, session);
  return readStateFromRecords(session, context.now());
}
