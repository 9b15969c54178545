import { z } from 'zod';
import { messagesOf } from '../../core/conversation/session-reader.ts';
import type { SessionId } from '../../core/ids.ts';
import { cutText } from '../../core/session.ts';
import { isActive } from '../../core/status.ts';
import { bothEnds } from '../../core/text-ends.ts';
import {
  LONGEST_RESPONSE,
  nullableText,
  sessionAnswer,
  standing,
  standingOf,
  turnFields,
  turnOf,
} from '../answer.ts';
import { choice, seconds, sessionId } from '../parameters.ts';
import { defineTool, READS, type ToolCall } from '../tool.ts';
import { requireOther, type Wait, waitForTurn, withCut } from '../waiting.ts';

/** The last message often comes a moment before the end: one call then reports both. */
const END_AFTER_MESSAGE_SEC = 2;

/** Ends a wait some time after a turn has a message of its agent that the client does not know. */
function endAfterNews({ manager, known }: ToolCall, id: SessionId, turn: number) {
  const before = known.get(`${id}.${turn}`) ?? 0;
  const messages = new Set<number>();
  return async ({ signal, endIn }: Wait): Promise<void> => {
    for await (const { type, step } of manager.followSteps(id, { follow: true, turn, signal })) {
      if (type === 'message') messages.add(step);
      if (messages.size > before) return endIn(END_AFTER_MESSAGE_SEC);
    }
  };
}

/** Reports the status of a session. */
export const checkSession = defineTool({
  name: 'check_session',
  description: 'Status of one session, what it does now, its answer. To wait, call wait_sessions.',
  input: z.strictObject({
    session_id: sessionId,
    wait_sec: seconds('default: 0'),
    until: choice(['end', 'news'], 'end of the turn (default), or news: also its next message'),
  }),
  output: z.strictObject({
    ...standing,
    ...turnFields,
    turn: standing.turn,
    by: nullableText.describe('who asked for that turn: user, orchestrator:<id> or mcp:<client>'),
    log_file: nullableText.describe('all that the agent printed in that turn, as JSON lines'),
    task: z.string(),
    message_count: z.number().describe('messages of the conversation so far, of both sides'),
    latest_message: nullableText.describe('while it runs: the last message of the agent; else null'),
  }),
  annotations: READS,
  async run({ session_id, wait_sec, until }, call) {
    const { manager } = call;
    const id = await manager.resolve(session_id);
    if (wait_sec) {
      requireOther(call, id);
      const { turn } = await manager.summary(id);
      if (turn !== null) {
        const more = until === 'news' ? endAfterNews(call, id, turn) : undefined;
        await waitForTurn(call, { id, turn }, wait_sec, more);
      }
    }
    const session = await manager.read(id);
    const { summary } = session;
    const messages = [...messagesOf(session, false)];
    const answer = sessionAnswer(session, await manager.budgetLeft(id));
    const { turn } = answer;
    const view = turn === null ? null : turnOf(session, turn).view;
    const said = messages.filter((one) => one.role === 'assistant' && one.turn === turn);
    if (turn !== null) {
      await call.markSeen(id, turn);
      call.known.set(`${id}.${turn}`, said.length);
    }
    const latest = isActive(answer.status) ? said.at(-1)?.content : undefined;
    return {
      ...standingOf(summary, manager.now()),
      ...answer,
      hint: withCut(answer.hint, isActive(answer.status), call, wait_sec),
      by: view?.by ?? null,
      log_file: view?.log_file ?? null,
      task: cutText(summary.task ?? ''),
      message_count: messages.length,
      latest_message: latest === undefined ? null : bothEnds(latest, LONGEST_RESPONSE),
    };
  },
});
