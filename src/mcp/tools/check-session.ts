import { z } from 'zod';
import { cutText } from '../../core/session.ts';
import { LONGEST_RESPONSE, turnAnswer, turnOf } from '../answer.ts';
import { sessionId, turnFields, waitSec } from '../fields.ts';
import { defineTool, READS } from '../tool.ts';
import { requireOther, secondsOf, waitForNews } from '../waiting.ts';

/** Reports the status of a session. */
export const checkSession = defineTool({
  name: 'check_session',
  description:
    'The status of a session, and its answer once its turn has ended. With wait_sec it waits and returns as soon as ' +
    'something changes: ask with a long wait_sec instead of often.',
  input: z.strictObject({ session_id: sessionId, wait_sec: waitSec }),
  output: z.strictObject({
    ...turnFields,
    task: z.string(),
    is_running: z.boolean(),
    message_count: z.number().describe('messages of the conversation so far, of both sides'),
    latest_message: z.string().nullable().describe('while it runs: the last message of the agent; else null'),
  }),
  annotations: READS,
  async run({ session_id, wait_sec }, call) {
    const { manager } = call;
    const id = manager.resolve(session_id);
    if (wait_sec) {
      requireOther(call, id);
      const { turn } = await manager.summary(id);
      if (turn !== null) {
        const known = call.known.get(`${id}.${turn}`) ?? 0;
        await waitForNews(call, { id, turn, known }, secondsOf(call, wait_sec));
      }
    }
    const session = await manager.get(id);
    const turn = turnOf(session, session.turn);
    await call.markSeen(id, turn.turn);
    const ofTurn = session.messages.filter(
      (message) => message.role === 'assistant' && message.turn === turn.turn,
    );
    const latest = ofTurn.at(-1)?.content ?? null;
    call.known.set(`${id}.${turn.turn}`, ofTurn.length);
    const isRunning = turn.status === 'running' || turn.status === 'pending';
    return {
      ...turnAnswer(session, turn, call.adviceSec),
      task: cutText(session.task ?? ''),
      is_running: isRunning,
      message_count: session.messages.length,
      latest_message: latest === null || !isRunning ? null : cutText(latest, LONGEST_RESPONSE),
    };
  },
});
