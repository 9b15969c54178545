import { z } from 'zod';
import { cutText } from '../../core/session.ts';
import { LONGEST_RESPONSE, turnAnswer, turnOf } from '../answer.ts';
import { sessionId, turnFields, waitSec } from '../fields.ts';
import { defineTool, READS } from '../tool.ts';
import { requireOther, secondsOf, waitForNews } from '../waiting.ts';

/** Tells how a session stands. */
export const checkSession = defineTool({
  name: 'check_session',
  description:
    'How a session stands, and its answer once its turn has ended. With wait_sec it waits and returns as soon as ' +
    'something changes: ask with a long wait_sec instead of often.',
  input: z.strictObject({ session_id: sessionId, wait_sec: waitSec }),
  output: z.strictObject({
    ...turnFields,
    task: z.string(),
    is_running: z.boolean(),
    message_count: z.number().describe('messages of the conversation so far, of both sides'),
    latest_message: z.string().nullable().describe('while it runs: what the agent has said last; else null'),
  }),
  annotations: READS,
  async run({ session_id, wait_sec }, call) {
    const { manager } = call;
    const id = manager.resolve(session_id);
    if (wait_sec) {
      requireOther(call, id);
      const { turn } = await manager.summary(id);
      if (turn !== null) {
        const known = call.told.get(`${id}.${turn}`) ?? 0;
        await waitForNews(call, id, turn, known, secondsOf(call, wait_sec));
      }
    }
    const session = await manager.get(id);
    const turn = turnOf(session, session.turn);
    await call.seen(id, turn.turn);
    let messages = 0;
    let said = 0;
    let latest: string | null = null;
    for (const message of session.messages) {
      messages += 1;
      if (message.role !== 'assistant' || message.turn !== turn.turn) continue;
      said += 1;
      latest = message.content;
    }
    call.told.set(`${id}.${turn.turn}`, said);
    const isRunning = turn.status === 'running' || turn.status === 'pending';
    return {
      ...turnAnswer(session, turn, call.adviceSec),
      task: cutText(session.task ?? ''),
      is_running: isRunning,
      message_count: messages,
      latest_message: latest === null || !isRunning ? null : cutText(latest, LONGEST_RESPONSE),
    };
  },
});
