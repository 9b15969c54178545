import { z } from 'zod';
import { toZwarmError, usageError } from '../../core/errors.ts';
import { common, nullableNumber, nullableText, status, succeeded } from '../answer.ts';
import { flag, sessionId } from '../parameters.ts';
import { defineTool, ENDS } from '../tool.ts';
import { requireOther } from '../waiting.ts';

/** Ends a session. */
export const endSession = defineTool({
  name: 'end_session',
  description:
    'Stop the agent of a session and all that it runs. Its records stay; converse can continue it.',
  input: z.strictObject({
    session_id: sessionId,
    reason: z.string().max(500).optional(),
    delete: flag('true: delete its records (whole id only); default: keep'),
  }),
  output: z.strictObject({
    ...common,
    session_id: z.string(),
    status,
    turn: nullableNumber.describe('the turn that the status is about'),
    tokens: nullableNumber.describe('total tokens of the session'),
    reason: nullableText.describe('as it was recorded; null where nothing was running'),
    deleted: z.boolean(),
  }),
  annotations: ENDS,
  async run({ session_id, reason, delete: deletes }, call) {
    const { manager } = call;
    const id = await manager.resolveForEnding(session_id);
    const deletion = `end_session(session_id="${id}", delete=true)`;
    // Another session may get the name or prefix of a deleted one.
    if (deletes && session_id !== id)
      throw usageError(
        `delete=true takes the whole id of a session, not ${JSON.stringify(session_id)}: nothing was ended`,
        `if you mean that session: ${deletion}`,
      );
    requireOther(call, id);
    const ended = manager.kill(id, { reason }).then(({ left }) => left === null);
    const wasRunning = await ended.catch(async (error: unknown) => {
      const hasEnded = toZwarmError(error).code === 'not_running';
      // Nothing of one that is ready has begun.
      if (hasEnded && (deletes || (await manager.summary(id)).status !== 'ready')) return false;
      throw error;
    });
    const { status, turn, token_usage: usage } = await manager.summary(id);
    if (deletes) await manager.remove(id);
    else if (turn !== null) await call.markSeen(id, turn);
    return {
      ...succeeded(deletes ? null : 'its records stay; delete=true deletes them'),
      session_id: id,
      status,
      turn,
      tokens: usage?.total_tokens ?? null,
      reason: wasRunning ? (reason ?? null) : null,
      deleted: deletes,
    };
  },
});
