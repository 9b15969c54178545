import {
  CLOCK_SLACK_MS,
  createStepClock,
  type StepClock,
  type TimedItem,
} from '../../core/conversation/trajectory.ts';
import { digest } from '../../core/digest.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { readLines } from '../../store/read-forward.ts';
import type { Store } from '../context.ts';
import type { TurnReading } from '../turn/turn-state.ts';
import { startedMs } from './session-state.ts';
import { historyOf } from './turn-lineage.ts';

/*
 * When steps were done, an agent's own file of the thread tells: an item belongs to the turn in whose time it was done.
 */

/** A key holds all that was said: of a long one the digest is kept. */
const shortKey = (key: string): string => (key.length > 500 ? digest(key) : key);

/** The items in an agent's own file of a thread; none where it cannot be read. */
function itemsOf(store: Store, adapter: TurnReading['adapter'], threadId: string): readonly TimedItem[] {
  const file = adapter === null ? null : historyOf(store, adapter, threadId);
  const timedItem = adapter?.history?.timedItem;
  if (timedItem === undefined || file == null) return [];
  const read = (): TimedItem[] => {
    const found: TimedItem[] = [];
    for (const { text } of readLines(file.path, { limit: null, ended: true })) {
      const item = text === null ? null : timedItem(text);
      if (item !== null) found.push({ ...item, key: shortKey(item.key) });
    }
    return found;
  };
  return unlessDamaged(read) ?? [];
}

/** Makes clocks for the turns of a session. The file of a thread is read when a time in it is first asked for. */
export function createClocks(store: Store): (turn: TurnReading) => StepClock {
  const known = new Map<string, readonly TimedItem[]>();
  return (turn) => {
    const { adapter, outcome, exit } = turn;
    const { threadId } = outcome;
    const started = startedMs(turn);
    const stepKey = adapter?.history?.stepKey;
    if (stepKey === undefined || threadId === null || started === null) return () => null;
    let clock: StepClock | undefined;
    const begin = (): StepClock => {
      const items = known.get(threadId) ?? itemsOf(store, adapter, threadId);
      known.set(threadId, items);
      const within = ({ startedMs: from, endedMs: to }: TimedItem): boolean =>
        from >= started - CLOCK_SLACK_MS && (exit === null || to <= exit.endedMs + CLOCK_SLACK_MS);
      return createStepClock(items.filter(within), (step) => {
        const key = stepKey(step);
        return key && shortKey(key);
      });
    };
    return (step) => {
      clock ??= begin();
      return clock(step);
    };
  };
}
