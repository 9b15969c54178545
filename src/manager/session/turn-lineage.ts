import type { AgentAdapter } from '../../agents/agent.ts';
import type { LineageTurn } from '../../core/conversation/lineage.ts';
import { findHistory, type HistoryFile } from '../../store/agent-history.ts';
import { turnFile } from '../../store/layout.ts';
import { readTail } from '../../store/read-from-end.ts';
import type { LaunchRecord } from '../../store/records.ts';
import { readRequest } from '../../store/sessions.ts';
import type { ManagerContext, Session, Turn } from '../context.ts';
import { readTurn, type TurnReading, threadOfTurn } from '../turn/turn-state.ts';
import { launchOf } from '../turn/turn-stream.ts';

const STDERR_TAIL = 1 << 16;

/** Whether the agent ended at once because it no longer has the thread that it was to continue. */
function isThreadGone(turn: Turn, adapter: AgentAdapter, launch: LaunchRecord | null): boolean {
  if (launch?.how !== 'native') return false;
  const stderr = readTail(turnFile(turn, 'stderr'), STDERR_TAIL);
  return adapter.explain({ message: null, stderr })?.code === 'thread_gone';
}

function lineageTurn(
  turn: Turn & Pick<TurnReading, 'request' | 'launch'>,
  adapter: AgentAdapter | null,
  threadId: string | null,
  summarised: boolean,
): LineageTurn {
  const { request, launch } = turn;
  return {
    turn: turn.turn,
    kind: request.kind,
    to: request.to,
    how: launch?.how ?? null,
    asked: launch?.thread_id ?? null,
    forks: launch?.forks ?? false,
    threadId,
    summarised,
    threadGone: threadId === null && adapter !== null && isThreadGone(turn, adapter, launch),
  };
}

/** What the lineage of a conversation depends on, of a turn that was read. */
export function lineageTurnOf(turn: TurnReading, adapter: AgentAdapter | null): LineageTurn {
  const { request, outcome, verdict } = turn;
  const summarised = request.kind === 'compact' && verdict.status === 'completed' && outcome.answer !== null;
  return lineageTurn(turn, adapter, outcome.threadId, summarised);
}

/** The same of turns of a session, without reading more of them than that needs. @throws DamagedRecord */
export async function readLineageTurns(
  { store, id }: Session,
  adapter: AgentAdapter,
  turns: readonly number[],
  nowMs: number,
): Promise<readonly LineageTurn[]> {
  const found: LineageTurn[] = [];
  for (const number of turns) {
    const turn = { store, id, turn: number };
    const request = readRequest(turn);
    if (request.kind === 'compact') {
      found.push(lineageTurnOf(await readTurn(turn, adapter, nowMs), adapter));
      continue;
    }
    const threadId = request.kind === 'rewind' ? null : await threadOfTurn(turn, adapter);
    found.push(lineageTurn({ ...turn, request, launch: launchOf(turn) }, adapter, threadId, false));
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
