import { z } from 'zod';
import { nullableText, shortLine, standing, standingOf } from '../answer.ts';
import { sessionId } from '../parameters.ts';
import { defineTool, READS } from '../tool.ts';

/** Reports the status of a session in a line. */
export const peekSession = defineTool({
  name: 'peek_session',
  description: 'A glance at one session: status, what it does now, the beginning of its last message.',
  input: z.strictObject({ session_id: sessionId }),
  output: z.strictObject({ success: z.boolean(), ...standing, latest_message: nullableText }),
  annotations: READS,
  async run({ session_id }, { manager }) {
    const row = await manager.summary(await manager.resolve(session_id));
    const latest_message = shortLine(row.last_message);
    return { success: true, ...standingOf(row, manager.now()), latest_message };
  },
});
