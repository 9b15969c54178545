import type { AgentAdapter } from '../../agents/agent.ts';
import { type LineageTurn, lineageOf } from '../../core/conversation/lineage.ts';
import { isMarkerKind, kindOf } from '../../core/turn-kinds.ts';
import { findHistory, type HistoryFile } from '../../store/agent-history.ts';
import type { LaunchRecord, SessionRecord } from '../../store/records.ts';
import { readCancel, readRequest, readRunner, readSessionRecord } from '../../store/sessions.ts';
import type { ManagerContext, Session, Turn } from '../context.ts';
import { adapterOf, readTurnWithOutcome, type TurnReading, threadOfTurn } from '../turn/turn-state.ts';
import { launchOf, stderrTail } from '../turn/turn-stream.ts';

/** Whether the agent ended at once because it no longer has the thread that it was to continue. */
function isThreadGone(turn: Turn, adapter: AgentAdapter, launch: LaunchRecord | null): boolean {
  if (launch?.how !== 'native') return false;
  return adapter.explain({ message: null, stderr: stderrTail(turn) })?.code === 'thread_gone';
}

function lineageTurn(
  turn: Turn & Pick<TurnReading, 'request' | 'launch' | 'adapter'>,
  threadId: string | null,
  summarised: boolean,
): LineageTurn {
  const { request, launch, adapter } = turn;
  return {
    turn: turn.turn,
    kind: request.kind,
    agent: adapter?.name ?? null,
    to: request.to,
    how: launch?.how ?? null,
    asked: launch?.thread_id ?? null,
    forks: launch?.forks ?? false,
    threadId,
    summarised,
    withdrawn: request.queued && readRunner(turn) === null && readCancel(turn) !== null,
    threadGone: threadId === null && adapter !== null && isThreadGone(turn, adapter, launch),
  };
}

/** What the lineage of a conversation depends on, of a turn that was read. */
export function lineageTurnOf(turn: TurnReading): LineageTurn {
  const { request, outcome, verdict } = turn;
  const summarised = kindOf(request.kind).sumsUp && verdict.status === 'completed' && outcome.answer !== null;
  return lineageTurn(turn, outcome.threadId, summarised);
}

/** The same of turns of a session, without reading more of them than that needs. @throws DamagedRecord */
export async function readLineageTurns(
  { store, id }: Session,
  turns: readonly number[],
  nowMs: number,
): Promise<readonly LineageTurn[]> {
  const record = readSessionRecord({ store, id });
  const found: LineageTurn[] = [];
  for (const number of turns) {
    const turn = { store, id, turn: number };
    const request = readRequest(turn);
    if (kindOf(request.kind).sumsUp) {
      found.push(lineageTurnOf(await readTurnWithOutcome(turn, record, nowMs)));
      continue;
    }
    const adapter = adapterOf(record, request);
    const threadId =
      isMarkerKind(request.kind) || adapter === null
        ? null
        : await threadOfTurn({ ...turn, request }, adapter);
    found.push(lineageTurn({ ...turn, adapter, request, launch: launchOf(turn) }, threadId, false));
  }
  return found;
}

/** The agent's own file of a thread: null when it is gone, undefined where that is unknown. */
export function historyOf(
  { env }: Pick<ManagerContext, 'env'>,
  { history }: AgentAdapter,
  threadId: string,
): HistoryFile | null | undefined {
  const directory = history?.directory(env) ?? null;
  if (history === null || directory === null) return undefined;
  return findHistory(directory, history.patterns(threadId));
}

/**
 * Whether an agent does not have a thread, of which `file` is what was found. Where nobody can look, one that ran here is
 * taken to be there; one that is only known from elsewhere is not: the agent may never have been here.
 */
function isThreadMissing(
  file: HistoryFile | null | undefined,
  { history }: AgentAdapter,
  turnsInIt: readonly LineageTurn[],
): boolean {
  if (file !== undefined) return file === null;
  return history !== null && turnsInIt.every(({ kind }) => kind === 'imported');
}

/**
 * The thread of an agent that holds exactly the conversation of these turns, and its file (null where that is not known); or
 * in words why there is none to go on with.
 */
export function threadToGoOn(
  context: Pick<ManagerContext, 'env'>,
  { adapter, record }: { readonly adapter: AgentAdapter; readonly record: SessionRecord },
  turns: readonly LineageTurn[],
): { readonly thread: string; readonly file: HistoryFile | null } | string {
  const { name } = adapter;
  const { thread, parts } = lineageOf(turns);
  if (thread === null) {
    if (turns.every(({ threadId }) => threadId === null))
      return `${name} ended before it had named its conversation`;
    if (parts.some(({ kind }) => kind === 'summary')) return 'the conversation goes on from a summary';
    return turns.some(({ kind }) => kind === 'rewind')
      ? 'the conversation was rewound'
      : 'no thread of the agent holds the whole conversation';
  }
  const inIt = turns.filter(({ threadId }) => threadId === thread);
  const other = inIt[0]?.agent;
  if (other !== name) return `${name} has not had this conversation; ${other ?? 'another agent'} had it`;
  const file = historyOf(context, adapter, thread);
  if (isThreadMissing(file, adapter, inIt)) return `${name} no longer has its thread ${thread}`;
  const { unpacked } = record;
  const isFromArchive = unpacked !== null && inIt.every(({ turn }) => turn <= unpacked.turn);
  if (isFromArchive && file?.bytes !== unpacked.history_bytes)
    return `${name} does not have its thread ${thread} here as it was packed`;
  return { thread, file: file ?? null };
}
