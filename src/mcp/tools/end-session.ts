import { z } from 'zod';
import { toZwarmError, usageError } from '../../core/errors.ts';
import { common, sessionId, status, succeeded } from '../answer.ts';
import { defineTool, ENDS } from '../tool.ts';
import { requireOther } from '../waiting.ts';

/** Ends a session. */
export const endSession = defineTool({
  name: 'end_session',
  description:
    'End a session: its agent and all that it runs are stopped. It succeeds for one that has already ended, too. Its ' +
    'records stay, and converse can continue it, unless delete=true.',
  input: z.strictObject({
    session_id: sessionId,
    reason: z.string().max(500).optional().describe('why, for the record'),
    delete: z
      .boolean()
      .default(false)
      .describe('also delete all its records, for good; session_id must be the whole id'),
  }),
  output: z.strictObject({
    ...common,
    session_id: z.string(),
    status,
    reason: z.string().nullable().describe('as it was recorded; null where nothing was running'),
    deleted: z.boolean(),
  }),
  annotations: ENDS,
  async run({ session_id, reason, delete: deletes }, call) {
    const { manager } = call;
    const id = manager.resolveForEnding(session_id);
    const deletion = `end_session(session_id="${id}", delete=true)`;
    // Another session may get the name or prefix of a deleted one.
    if (deletes && session_id !== id)
      throw usageError(
        `delete=true takes the whole id of a session, not ${JSON.stringify(session_id)}: nothing was ended`,
        `if you mean that session: ${deletion}`,
      );
    requireOther(call, id);
    const ended = manager.kill(id, { reason }).then(() => true);
    const wasRunning = await ended.catch((error: unknown) => {
      if (toZwarmError(error).code === 'not_running') return false;
      throw error;
    });
    const { status } = await manager.summary(id);
    if (deletes) await manager.remove(id);
    return {
      ...succeeded(deletes ? null : `its records stay; ${deletion} deletes them`),
      session_id: id,
      status,
      reason: wasRunning ? (reason ?? null) : null,
      deleted: deletes,
    };
  },
});
