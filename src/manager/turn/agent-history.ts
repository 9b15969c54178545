import type { AgentAdapter } from '../../agents/agent.ts';
import { findHistory, type HistoryFile } from '../../store/agent-history.ts';
import type { ManagerContext } from '../context.ts';

/** The agent's own file of a thread: null when it is gone, undefined where nobody can tell. */
export function historyOf(
  { env }: Pick<ManagerContext, 'env'>,
  { history }: AgentAdapter,
  threadId: string,
): HistoryFile | null | undefined {
  const directory = history?.directory(env) ?? null;
  if (history === null || directory === null) return undefined;
  return findHistory(directory, history.patterns(threadId));
}
