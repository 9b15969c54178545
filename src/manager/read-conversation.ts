import type { SessionId } from '../core/ids.ts';
import type { Store } from './context.ts';
import { type Conversation, conversationView, type ReadSession, sessionView } from './conversation.ts';
import { damageError, orDamaged, readWhole } from './read.ts';
import { readWords } from './said.ts';
import { readSteps } from './stream.ts';

/** What `items` gives when it is walked through, a DamagedRecord told as an error of ours. */
function orDamagedLater<T>(store: Store, id: SessionId, items: Iterable<T>): Iterable<T> {
  return {
    *[Symbol.iterator]() {
      try {
        yield* items;
      } catch (error) {
        throw damageError(store, id, error);
      }
    },
  };
}

/**
 * What was said in a session; the messages are read when somebody walks through them.
 * @throws ZwarmError `not_found`, `damaged`; and so does whoever walks through the messages
 */
export async function readConversation(store: Store, id: SessionId, nowMs: number): Promise<Conversation> {
  return orDamaged(store, id, async () => {
    const reading = await readWhole(store, id, nowMs, readWords);
    const view = conversationView(store, reading, nowMs);
    const said = [...view.said].map(
      ([turn, messages]) => [turn, orDamagedLater(store, id, messages)] as const,
    );
    return { ...view, said: new Map(said) };
  });
}

/** Everything about a session; all that its agent said and did is held in memory. @throws ZwarmError likewise */
export async function readSession(store: Store, id: SessionId, nowMs: number): Promise<ReadSession> {
  return orDamaged(store, id, async () =>
    sessionView(store, await readWhole(store, id, nowMs, readSteps), nowMs),
  );
}
