import { z } from 'zod';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { cutText } from '../../core/session.ts';
import { isFinal } from '../../core/status.ts';
import { common, sessionId, status, succeeded, turnAnswer, turnOf, waitSec } from '../answer.ts';
import { defineTool, READS, type ToolCall } from '../tool.ts';
import { requireOther, waitWith } from '../waiting.ts';

const RESPONSE_CHARS = 4000;

const SESSION = z.strictObject({
  session_id: z.string(),
  status: status.nullable().describe('null: it is damaged or was removed; error says which'),
  turn: z.number().nullable(),
  response: z.string().nullable(),
  error: z.string().nullable(),
});
type SessionAnswer = z.infer<typeof SESSION>;

/** The status and answer of one of the sessions; one that cannot be read does not hide the others. */
async function answerOf({ manager, adviceSec }: ToolCall, id: SessionId): Promise<SessionAnswer> {
  try {
    const session = await manager.get(id);
    const { status, turn, response, error } = turnAnswer(session, turnOf(session, session.turn), adviceSec);
    const cut = response === null ? null : cutText(response, RESPONSE_CHARS);
    return { session_id: id, status, turn, response: cut, error };
  } catch (error) {
    if (!(error instanceof ZwarmError)) throw error;
    return { session_id: id, status: null, turn: null, response: null, error: error.message };
  }
}

/** A session that cannot be waited for counts as ended: the answer says why. */
function orGone(error: unknown): true {
  if (error instanceof ZwarmError) return true;
  throw error;
}

/** Waits for several sessions. */
export const waitSessions = defineTool({
  name: 'wait_sessions',
  description:
    'Wait for several sessions at once, until all of them (or, with mode "any", one of them) have ended or the time ' +
    'is up; then the status and answer of each. Leave out those that have ended when you call it again.',
  input: z.strictObject({
    ids: z.array(sessionId).min(1).max(100),
    mode: z.enum(['any', 'all']).default('all'),
    wait_sec: waitSec,
  }),
  output: z.strictObject({
    ...common,
    mode: z.enum(['any', 'all']),
    sessions: z.array(SESSION),
    count: z.number(),
    running: z.number(),
    completed: z.number(),
  }),
  annotations: READS,
  async run({ ids, mode, wait_sec }, call) {
    const { manager } = call;
    const known = ids.map((id) => manager.resolve(id));
    for (const id of known) requireOther(call, id);
    const any = mode === 'any';
    const what = `waiting for ${any ? 'one of ' : ''}${known.join(', ')}`;
    await waitWith(call, wait_sec, what, ({ signal, end }) => {
      const each = known.map(async (id) => {
        const hasEnded = await manager.wait(id, signal).then(isFinal, orGone);
        if (any && hasEnded) end();
      });
      return Promise.all(each);
    });
    const sessions: SessionAnswer[] = [];
    for (const id of known) sessions.push(await answerOf(call, id));
    // Only when the whole answer is there: what is not reported was not seen.
    for (const [i, id] of known.entries()) {
      const turn = sessions[i]?.turn;
      if (turn != null) await call.markSeen(id, turn);
    }
    const waiting = sessions.filter(({ status }) => status !== null && !isFinal(status));
    const cut = sessions.filter(({ response }) => (response?.length ?? 0) >= RESPONSE_CHARS);
    const idsOf = (some: readonly SessionAnswer[]) => some.map((one) => one.session_id).join(', ');
    const more = cut.length > 0 ? `cut here, check_session has more: ${idsOf(cut)}` : null;
    return {
      ...succeeded(waiting.length > 0 ? `continue waiting for: ${idsOf(waiting)}` : more),
      mode,
      sessions,
      count: sessions.length,
      running: waiting.length,
      completed: sessions.filter((one) => one.status === 'completed').length,
    };
  },
});
