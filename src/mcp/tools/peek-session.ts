import { z } from 'zod';
import { cutText } from '../../core/session.ts';
import { sessionId, status } from '../fields.ts';
import { defineTool, READS } from '../tool.ts';

const ONE_LINE = 200;

/** A glance at a session. */
export const peekSession = defineTool({
  name: 'peek_session',
  description:
    'A glance at a session: its status, and the beginning of what its agent said last, on one line.',
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
    const line = last_message === null ? null : cutText(last_message.replace(/\s+/g, ' ').trim(), ONE_LINE);
    return { success: true, session_id: id, status, latest_message: line };
  },
});
