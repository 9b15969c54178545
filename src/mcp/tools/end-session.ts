import { z } from 'zod';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { SessionManager } from '../../manager/session-manager.ts';
import { common, sessionId, status } from '../fields.ts';
import { defineTool, ENDS } from '../tool.ts';
import { requireOther } from '../waiting.ts';

/** Ends what runs of a session, and whether that was needed: that it has ended by itself is as good. */
async function end(manager: SessionManager, id: SessionId, reason: string | undefined): Promise<boolean> {
  try {
    await manager.kill(id, { reason });
    return true;
  } catch (error) {
    if (error instanceof ZwarmError && error.code === 'not_running') return false;
    throw error;
  }
}

/** A name may be given to another session once this one is gone: only a whole id is deleted. @throws ZwarmError `usage` */
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
    'End a session: what its agent runs is stopped. One that has ended already is a success, too. Its records stay, ' +
    'and converse can go on, unless delete=true.',
  input: z.strictObject({
    session_id: sessionId,
    reason: z.string().max(500).optional().describe('why, for whoever looks at it later'),
    delete: z
      .boolean()
      .default(false)
      .describe('also delete all its records, for good; session_id must be the whole id'),
  }),
  output: z.strictObject({
    ...common,
    session_id: z.string(),
    status,
    reason: z.string().nullable().describe('as it was recorded; null where nothing ran any more'),
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
