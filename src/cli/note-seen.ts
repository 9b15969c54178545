import { toZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import type { Verb } from './context.ts';

/** Marks the end of a turn as seen, after it was printed. A failure is only reported: the verb has done its work. */
export async function noteSeen(verb: Verb, id: SessionId, turn: number | null): Promise<void> {
  if (turn === null) return;
  const failed = (why: unknown) =>
    verb.warn(`could not record that you have seen ${id}: ${toZwarmError(why).message}`);
  await verb.manager.markSeen(id, turn).catch(failed);
}
