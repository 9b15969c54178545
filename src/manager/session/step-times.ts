import { findAgent } from '../../agents/registry.ts';
import { type StepTime, type TimedItem, timesOfSteps } from '../../core/conversation/trajectory.ts';
import type { TurnSteps } from '../../core/session.ts';
import { parseIso } from '../../core/time.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { readLines } from '../../store/read-forward.ts';
import type { ManagerContext } from '../context.ts';
import { historyOf } from '../turn/agent-history.ts';
import type { ConversationReader } from './read-session.ts';

/** The two clocks are one, but for the moment between an act and its record. */
const SLACK_MS = 2000;

/** The items in the agent's own file of a thread; none where it cannot be read. */
function itemsOf(context: ManagerContext, agent: string, threadId: string): readonly TimedItem[] {
  const adapter = findAgent(agent);
  const file = adapter === null ? null : historyOf(context, adapter, threadId);
  if (adapter?.history == null || file == null) return [];
  const { timedItem } = adapter.history;
  const items = unlessDamaged(() => {
    const found: TimedItem[] = [];
    for (const { text } of readLines(file.path, { limit: null, ended: true })) {
      const item = text === null ? null : timedItem(text);
      if (item !== null) found.push(item);
    }
    return found;
  });
  return items ?? [];
}

/**
 * When the steps of a session were done, by turn, from the agent's own files of its threads: an item belongs to the
 * turn in whose time it was done. Where no file has it, the time stays unknown.
 */
export function stepTimes(
  context: ManagerContext,
  { summary, turns, threads }: ConversationReader,
  steps: readonly TurnSteps[],
): ReadonlyMap<number, readonly (StepTime | null)[]> {
  const { agent } = summary;
  const keyOf = findAgent(agent ?? '')?.history?.stepKey ?? null;
  if (agent === null || keyOf === null) return new Map();
  const known = new Map(
    [...new Set(threads.values())].map((thread) => [thread, itemsOf(context, agent, thread)]),
  );
  return new Map(
    turns.map(({ view: { turn, started_at: from, ended_at: to } }) => {
      const [started, ended] = [parseIso(from), parseIso(to)];
      const within = ({ startedMs, endedMs }: TimedItem): boolean =>
        started !== null &&
        startedMs >= started - SLACK_MS &&
        (ended === null || endedMs <= ended + SLACK_MS);
      const items = (known.get(threads.get(turn) ?? '') ?? []).filter(within);
      return [turn, timesOfSteps(steps.find((one) => one.turn === turn)?.steps ?? [], items, keyOf)];
    }),
  );
}
