import { z } from 'zod';
import { cutText } from '../../core/session.ts';
import { turnFields } from '../answer.ts';
import { flag, sessionId, waitSec } from '../parameters.ts';
import { defineTool, WORKS } from '../tool.ts';
import { answerOfNewTurn, requireOther } from '../waiting.ts';

/** Sends a session its next message. */
export const converse = defineTool({
  name: 'converse',
  description:
    'Send a message to an agent whose turn has ended, or with interrupt=true stop what it is doing first. It remembers ' +
    'the conversation. Waits for its answer as long as this call may; if status is "running" then, call wait_sessions, ' +
    'and never send the same message again.',
  input: z.strictObject({
    session_id: sessionId,
    message: z.string().describe('what to tell the agent'),
    interrupt: flag(
      'true: stop its running turn first, then give it the message; left out: a running turn is a refusal',
    ),
    wait: z.boolean().default(true).describe('false: return at once; left out: wait for the answer'),
    wait_sec: waitSec,
  }),
  output: z.strictObject({ ...turnFields, you_said: z.string() }),
  annotations: WORKS,
  async run({ session_id, message, interrupt, wait, wait_sec }, call) {
    const { manager } = call;
    const known = await manager.resolve(session_id);
    requireOther(call, known);
    const begin = () => manager.inject(known, message, { interrupt });
    return { ...(await answerOfNewTurn(call, begin, wait ? wait_sec : 0)), you_said: cutText(message) };
  },
});
