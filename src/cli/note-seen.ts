import { toZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import type { SessionManager } from '../manager/session-manager.ts';
import { safeLine } from '../render/safe-text.ts';
import type { Verb } from './context.ts';

/** Marks the end of a turn as seen, after it was printed. A failure is only reported: the verb has done its work. */
export async function noteSeen(
  verb: Verb,
  manager: SessionManager,
  id: SessionId,
  turn: number | null,
): Promise<void> {
  if (turn === null) return;
  try {
    await manager.markSeen(id, turn);
  } catch (error) {
    const why = safeLine(toZwarmError(error).message);
    verb.context.stderr.write(`zwarm: could not record that you have seen ${id}: ${why}\n`);
  }
}
