import { foldEvents } from '../../core/conversation/fold.ts';
import { lineageOf } from '../../core/conversation/lineage.ts';
import {
  type FileTurn,
  type HistoryReader,
  type Survey,
  turnsOfFile,
} from '../../core/conversation/session-file.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { AgentEvent } from '../../core/events.ts';
import { isFinal } from '../../core/status.ts';
import { isAdopted } from '../../core/turn-kinds.ts';
import { lookAt } from '../../store/read-file.ts';
import { recordOfTurn, type SessionRecord } from '../../store/records.ts';
import { listTurns, readPrompt } from '../../store/sessions.ts';
import type { ManagerContext, Session } from '../context.ts';
import { tryCacheState } from '../session/cache-state.ts';
import { orDamaged } from '../session/damage.ts';
import { readLineageTurns } from '../session/turn-lineage.ts';
import { unknownWordsIn } from '../session/unknown-words.ts';
import { readTurnWithOutcome, type TurnReading } from '../turn/turn-state.ts';
import { claimSaid } from './claim-said.ts';
import { catchUp, type TakenIn } from './opened.ts';
import { linesOf, type SessionFile } from './session-files.ts';

/** What a turn asked in its thread; undefined where that is not what the user said, as where all that was before is told with it. */
function askedIn(
  turn: TurnReading,
  { orchestrates, work_in: workIn }: SessionRecord,
): string | null | undefined {
  const how = isAdopted(turn.request.kind) ? 'native' : (turn.launch?.how ?? null);
  if (how !== 'native' && (how !== 'fresh' || orchestrates || workIn !== null)) return undefined;
  return readPrompt(turn)?.toString().trim() ?? null;
}

function* eventsOf(lines: Iterable<string>, read: HistoryReader): Generator<AgentEvent> {
  let seq = 0;
  for (const text of lines) yield* read({ seq: seq++, text }).events;
}

/** Whether a turn of the session is that turn of its thread; of the newest one the answer tells that, too, once it has ended well. */
function isSame(
  turn: TurnReading,
  said: FileTurn | undefined,
  record: SessionRecord,
  read: HistoryReader | null,
): boolean {
  const asked = askedIn(turn, record);
  if (said === undefined || (asked !== undefined && asked !== (said.prompt?.trim() ?? null))) return false;
  if (read === null || (turn.verdict.status !== 'completed' && !isAdopted(turn.request.kind))) return true;
  return (turn.outcome.answer ?? '').trim() === (foldEvents(eventsOf(said.lines, read)).answer ?? '').trim();
}

/**
 * Makes turns of what was said in the thread of a session without zwarm since that is a session: what follows in the agent's
 * file (`whole` is what that says as a whole) behind all that the session has of the thread. Where the file does not begin
 * with that, nobody can tell what is new: nothing is taken in, and the warning says so. Nothing is done to a session that
 * runs, or may run elsewhere, or that a newer zwarm has written. @throws ZwarmError as `catchUp`, `claimSaid`
 */
export async function takeInMore(
  context: ManagerContext,
  session: Session,
  file: SessionFile,
  whole: Survey,
): Promise<TakenIn> {
  const before = await orDamaged(session, async () => listTurns(session).length);
  const now = await catchUp(context, session);
  const { id, current, last, record, turns: numbers } = now;
  const done = (warning: string | null = null): TakenIn => ({
    turns: listTurns(session).length - before,
    warning,
  });
  const isAtRest = current === null || isFinal(current.verdict.status);
  const threadId = whole.thread?.id ?? null;
  // The file was written before the session's newest turn had ended.
  const isOld = (lookAt(file.path)?.mtimeMs ?? 0) <= (last?.exit?.endedMs ?? 0);
  if (!isAtRest || isOld || threadId === null || unknownWordsIn(now).length > 0) return done();
  const lineage = await orDamaged(session, () => readLineageTurns(session, numbers, context.now()));
  const { thread, parts } = lineageOf(lineage);
  const untold = 'what may have been said there since is not taken in';
  if (thread !== threadId) return done(`${id} goes on without that thread: ${untold}`);
  const newReader = await file.files.loadReader();
  const turns = turnsOfFile(linesOf(file), newReader(), whole);
  // What was told anew is in the first message of the thread.
  const first = parts.findLastIndex(({ turn }) =>
    lineage.some((one) => one.turn === turn && one.how === 'replay'),
  );
  const held = parts.slice(Math.max(0, first));
  for (const [i, { turn }] of held.entries()) {
    const reading = await orDamaged(session, () =>
      readTurnWithOutcome({ ...session, turn }, record, context.now()),
    );
    const { value } = turns.next();
    if (!isSame(reading, value ?? undefined, record, i === held.length - 1 ? newReader() : null))
      return done(`the thread does not hold turn ${turn} as ${id} does: ${untold}`);
  }
  const request = last?.request;
  const working = request === undefined ? record : recordOfTurn(record, request);
  const added = { turns, known: 0, threadId, continued: threadId, isOver: false } as const;
  const about = { directory: working.working_dir, version: whole.thread?.version ?? null };
  const end = { ...session, turn: numbers.at(-1) ?? 0 };
  try {
    claimSaid(context, end, { ...added, ...about, asked: { runs: request?.runs ?? null } });
  } catch (error) {
    // Whoever does the same at this moment adds it.
    if (!(error instanceof ZwarmError) || error.code !== 'lost_race') throw error;
  }
  const taken = done();
  if (taken.turns > 0) await tryCacheState(context, session);
  return taken;
}
