import { CLOCK_SLACK_MS } from '../../core/conversation/trajectory.ts';
import { cutLine } from '../../core/session.ts';
import { findHistory } from '../../store/agent-history.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { readFromEnd } from '../../store/read-from-end.ts';
import type { TurnReading } from '../turn/turn-state.ts';

/** The search in an agent's own file stops before a list becomes noticeably slow. */
const SEARCHED_BYTES = 1 << 22;

const LONGEST_MODEL = 100;

/**
 * The model that the agent's own file of a thread names last before a turn had ended; null where it is not found at once, or
 * not near the end of the file.
 */
function modelInFile({ adapter, outcome, store, exit }: TurnReading): string | null {
  const history = adapter?.history ?? null;
  const directory = history?.directory(store.env) ?? null;
  if (history === null || directory === null || outcome.threadId === null) return null;
  // A pattern that any directory fits would be a search through all of them.
  const patterns = history.patterns(outcome.threadId).filter((pattern) => !pattern.startsWith('*'));
  const file = patterns.length === 0 ? null : findHistory(directory, patterns);
  if (!file) return null;
  for (const { lines, behind } of readFromEnd(file.path, { limit: null, ended: true })) {
    if (behind >= SEARCHED_BYTES) return null;
    let found: string | null = null;
    for (const { text } of lines) {
      const used = text === null ? null : history.modelOf(text);
      // The thread may have gone on since, there or in a fork.
      if (used !== null && (exit === null || used.atMs <= exit.endedMs + CLOCK_SLACK_MS)) found = used.model;
    }
    if (found !== null) return found;
  }
  return null;
}

/** The model that ran a turn: its stream tells it, or the agent's own file of the thread; or null. */
export function modelUsedIn(turn: TurnReading): string | null {
  const model = turn.outcome.model ?? unlessDamaged(() => modelInFile(turn));
  return model === null ? null : cutLine(model, LONGEST_MODEL) || null;
}
