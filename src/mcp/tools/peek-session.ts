import { z } from 'zod';
import { cutText } from '../../core/session.ts';
import { sessionId, status } from '../answer.ts';
import { defineTool, READS } from '../tool.ts';

/** Reports the status of a session in a line. */
export const peekSession = defineTool({
  name: 'peek_session',
  description: 'The status of a session, and the beginning of the last message of its agent, on one line.',
  input: z.strictObject({ session_id: sessionId }),
  output: z.strictObject({
    success: z.boolean(),
    session_id: z.string(),
    status,
    latest_message: z.string().nullable(),
  }),
  annotations: READS,
  async run({ session_id }, { manager }) {
    const { id, status, last_message } = await manager.summary(manager.resolve(session_id));
    const line = last_message === null ? null : cutText(last_message.replace(/\s+/g, ' ').trim(), 200);
    return { success: true, session_id: id, status, latest_message: line };
  },
});
