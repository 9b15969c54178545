import { lineageOf } from '../../core/conversation/lineage.ts';
import { type Survey, turnsOfFile } from '../../core/conversation/session-file.ts';
import { isActive } from '../../core/status.ts';
import { isAdopted } from '../../core/turn-kinds.ts';
import { recordOfTurn } from '../../store/records.ts';
import { listTurns, readPrompt, readRequest } from '../../store/sessions.ts';
import type { ManagerContext, Session } from '../context.ts';
import { tryCacheState } from '../session/cache-state.ts';
import { orDamaged } from '../session/damage.ts';
import { readLineageTurns } from '../session/turn-lineage.ts';
import { unknownWordsIn } from '../session/unknown-words.ts';
import { claimSaid } from './claim-said.ts';
import { catchUp, type TakenIn } from './opened.ts';
import { linesOf, type SessionFile } from './session-files.ts';

/** What a turn asked in its thread; null where that is not known, as of a message that was told with all that was before it. */
function promptIn(session: Session, turn: number, how: string | null): string | null {
  const at = { ...session, turn };
  if (how !== 'native' && !isAdopted(readRequest(at).kind)) return null;
  return readPrompt(at)?.toString().trim() ?? null;
}

/**
 * Makes turns of what was said in the thread of a session without zwarm since that is a session. What the session has of the
 * thread is the beginning of the agent's file, and what follows it there is new; where it is not, nobody can tell what is.
 * Nothing is done to one that runs, or that a newer zwarm has written. `whole` is what the file says as a whole. @throws ZwarmError as `catchUp`, `claimSaid`
 */
export async function takeInMore(
  context: ManagerContext,
  session: Session,
  file: SessionFile,
  whole: Survey,
): Promise<TakenIn> {
  const before = await orDamaged(session, async () => listTurns(session).length);
  const now = await catchUp(context, session);
  const { current, record, turns: numbers } = now;
  const isBusy = current !== null && isActive(current.verdict.status);
  const lineage = await orDamaged(session, () => readLineageTurns(session, numbers, context.now()));
  const { thread, parts } = lineageOf(lineage);
  const threadId = whole.thread?.id ?? null;
  const isNewer = unknownWordsIn(now).length > 0;
  if (isBusy || isNewer || threadId === null || thread !== threadId)
    return { turns: numbers.length - before, warning: null };
  const newReader = await file.files.loadReader();
  const turns = turnsOfFile(linesOf(file), newReader(), whole);
  for (const { turn } of parts) {
    const prompt = promptIn(session, turn, lineage.find((one) => one.turn === turn)?.how ?? null);
    const said = turns.next().value?.prompt?.trim() ?? null;
    if (prompt === null || said === null || prompt === said) continue;
    const warning = `turn ${turn} of ${session.id} was asked something else in its thread: what was said there since is not taken in`;
    return { turns: numbers.length - before, warning };
  }
  const last = { ...session, turn: parts.at(-1)?.turn ?? 0 };
  const request = readRequest(last);
  const added = claimSaid(
    context,
    { ...session, turn: numbers.at(-1) ?? 0 },
    {
      ...{ turns, known: 0, threadId, continued: threadId, isOver: false },
      asked: { runs: request.runs },
      directory: recordOfTurn(record, request).working_dir,
      version: whole.thread?.version ?? null,
    },
  );
  if (added > 0) await tryCacheState(context, session);
  return { turns: numbers.length - before + added, warning: null };
}
