import { findAgent } from '../../agents/registry.ts';
import { stepsOf } from '../../core/conversation/session-reader.ts';
import {
  type TimedItem,
  type TrajectoryStep,
  timesOfSteps,
  trajectoryOf,
} from '../../core/conversation/trajectory.ts';
import { parseIso } from '../../core/time.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { readLines } from '../../store/read-forward.ts';
import type { ManagerContext } from '../context.ts';
import { type ConversationReader, onlyTurn } from './read-session.ts';
import { historyOf } from './turn-lineage.ts';

/** The two clocks are one, but for the moment between an act and its record. */
const SLACK_MS = 2000;

/** The items in the agent's own file of a thread; none where it cannot be read. */
function itemsOf(context: ManagerContext, agent: string, threadId: string): readonly TimedItem[] {
  const adapter = findAgent(agent);
  const file = adapter === null || threadId === '' ? null : historyOf(context, adapter, threadId);
  if (adapter?.history == null || file == null) return [];
  const { timedItem } = adapter.history;
  const read = (): TimedItem[] => {
    const found: TimedItem[] = [];
    for (const { text } of readLines(file.path, { limit: null, ended: true })) {
      const item = text === null ? null : timedItem(text);
      if (item !== null) found.push(item);
    }
    return found;
  };
  return unlessDamaged(read) ?? [];
}

/**
 * The steps of a session, numbered through all turns, or those of one turn. When they were done, the agent's own files of
 * its threads tell: an item belongs to the turn in whose time it was done.
 * @throws ZwarmError `usage` where there is no such turn
 */
export function trajectory(
  context: ManagerContext,
  session: ConversationReader,
  turn?: number,
): readonly TrajectoryStep[] {
  onlyTurn(session, turn);
  const { turns, threads } = session;
  const agents = new Map(turns.map(({ view }) => [threads.get(view.turn) ?? '', view.agent]));
  const items = new Map([...agents].map(([thread, agent]) => [thread, itemsOf(context, agent, thread)]));
  const steps = turns.map(stepsOf);
  const times = turns.map(({ view }, i) => {
    const [started, ended] = [parseIso(view.started_at), parseIso(view.ended_at)];
    const within = ({ startedMs, endedMs }: TimedItem): boolean =>
      started !== null && startedMs >= started - SLACK_MS && (ended === null || endedMs <= ended + SLACK_MS);
    const keyOf = findAgent(view.agent)?.history?.stepKey;
    const done = (items.get(threads.get(view.turn) ?? '') ?? []).filter(within);
    return [view.turn, timesOfSteps(steps[i]?.steps ?? [], done, keyOf ?? (() => null))] as const;
  });
  return trajectoryOf(steps, new Map(times)).filter((step) => turn === undefined || step.turn === turn);
}
