import { z } from 'zod';
import type { SessionId } from '../../core/ids.ts';
import { cutText } from '../../core/session.ts';
import { isActive } from '../../core/status.ts';
import { LONGEST_RESPONSE, sessionId, turnAnswer, turnFields, turnOf, waitSec } from '../answer.ts';
import { defineTool, READS, type ToolCall } from '../tool.ts';
import { requireOther, waitWith } from '../waiting.ts';

/** The last message often comes a moment before the end: one call then reports both. */
const END_AFTER_MESSAGE_SEC = 2;

/** Waits until a turn has ended or has messages of its agent that the client does not know, or the time is up. */
async function waitForNews(call: ToolCall, id: SessionId, turn: number, seconds: number): Promise<void> {
  const { manager } = call;
  const known = call.known.get(`${id}.${turn}`) ?? 0;
  await waitWith(call, seconds, `${id} works on turn ${turn}`, ({ signal, end, endIn }) => {
    const untilNews = async (): Promise<void> => {
      const messages = new Set<number>();
      for await (const { type, step } of manager.followSteps(id, { follow: true, turn, signal })) {
        if (type === 'message') messages.add(step);
        if (messages.size > known) return endIn(END_AFTER_MESSAGE_SEC);
      }
    };
    return Promise.all([manager.wait(id, signal, turn).then(end), untilNews()]);
  });
}

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
      if (turn !== null) await waitForNews(call, id, turn, wait_sec);
    }
    const session = await manager.get(id);
    const turn = turnOf(session, session.turn);
    await call.markSeen(id, turn.turn);
    const said = session.messages.filter((one) => one.role === 'assistant' && one.turn === turn.turn);
    call.known.set(`${id}.${turn.turn}`, said.length);
    const runs = isActive(turn.status);
    const latest = runs ? said.at(-1)?.content : undefined;
    return {
      ...turnAnswer(session, turn, call.adviceSec),
      task: cutText(session.task ?? ''),
      is_running: runs,
      message_count: session.messages.length,
      latest_message: latest === undefined ? null : cutText(latest, LONGEST_RESPONSE),
    };
  },
});
