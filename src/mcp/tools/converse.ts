import { z } from 'zod';
import { turnFields } from '../answer.ts';
import { flag, message, sessionId, waitSec } from '../parameters.ts';
import { defineTool, WORKS } from '../tool.ts';
import { answerOfNewTurn, requireOther } from '../waiting.ts';

/** Sends a session its next message. */
export const converse = defineTool({
  name: 'converse',
  description:
    'Send a worker its next message; it remembers the conversation. Waits for the answer; if status is "running", ' +
    'call wait_sessions, and do not send it again.',
  input: z.strictObject({
    session_id: sessionId,
    message,
    interrupt: flag('true: stop its turn first; default: refused while it runs'),
    wait: z.boolean().default(true).describe('false: return at once; default: wait'),
    wait_sec: waitSec,
  }),
  output: z.strictObject(turnFields),
  annotations: WORKS,
  async run({ session_id, message, interrupt, wait, wait_sec }, call) {
    const { manager } = call;
    const known = await manager.resolve(session_id);
    requireOther(call, known);
    const begin = () => manager.inject(known, message, { interrupt });
    return await answerOfNewTurn(call, begin, wait ? wait_sec : 0);
  },
});
