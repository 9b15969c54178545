import { z } from 'zod';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { SessionManager } from '../../manager/session-manager.ts';
import { common, sessionId, status } from '../fields.ts';
import { defineTool, ENDS } from '../tool.ts';
import { requireOther } from '../waiting.ts';

/** Ends a session; false where it had already ended by itself. */
async function end(manager: SessionManager, id: SessionId, reason: string | undefined): Promise<boolean> {
  try {
    await manager.kill(id, { reason });
    return true;
  } catch (error) {
    if (error instanceof ZwarmError && error.code === 'not_running') return false;
    throw error;
  }
}

/** Another session may get the name or prefix of a deleted one: only a whole id is deleted. @throws ZwarmError `usage` */
function requireWholeId(text: string, id: SessionId): void {
  if (text === id) return;
  throw new ZwarmError(
    'usage',
    `delete=true takes the whole id of a session, not ${JSON.stringify(text)}: nothing was ended`,
    `if you mean that session: end_session(session_id="${id}", delete=true)`,
  );
}

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
    if (deletes) requireWholeId(session_id, id);
    requireOther(call, id);
    const wasEnded = await end(manager, id, reason);
    const { status } = await manager.summary(id);
    if (deletes) await manager.remove(id);
    return {
      success: true,
      error: null,
      hint: deletes ? null : `its records stay; end_session(session_id="${id}", delete=true) deletes them`,
      session_id: id,
      status,
      reason: wasEnded ? (reason ?? null) : null,
      deleted: deletes,
    };
  },
});
