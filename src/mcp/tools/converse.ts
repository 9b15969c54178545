import { z } from 'zod';
import { cutText } from '../../core/session.ts';
import { sessionId, turnFields, waitSec } from '../answer.ts';
import { defineTool, WORKS } from '../tool.ts';
import { answerOfNewTurn, requireOther } from '../waiting.ts';

/** Sends a session its next message. */
export const converse = defineTool({
  name: 'converse',
  description:
    'Say something to an agent whose turn has ended; it remembers the conversation so far. Waits for its answer as ' +
    'long as this call may take; status "running" then means that it continues: call check_session, never converse ' +
    'again with the same message.',
  input: z.strictObject({
    session_id: sessionId,
    message: z.string(),
    wait: z.boolean().default(true).describe('false returns at once'),
    wait_sec: waitSec,
  }),
  output: z.strictObject({ ...turnFields, you_said: z.string() }),
  annotations: WORKS,
  async run({ session_id, message, wait, wait_sec }, call) {
    const { manager } = call;
    const known = manager.resolve(session_id);
    requireOther(call, known);
    const begin = () => manager.inject(known, message);
    return { ...(await answerOfNewTurn(call, begin, wait ? wait_sec : 0)), you_said: cutText(message) };
  },
});
