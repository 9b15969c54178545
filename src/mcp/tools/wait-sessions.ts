import { z } from 'zod';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { cutText, type SessionStatus } from '../../core/session.ts';
import { isFinal } from '../../core/status.ts';
import { turnAnswer, turnOf } from '../answer.ts';
import { common, sessionId, status, waitSec } from '../fields.ts';
import { defineTool, READS, type ToolCall } from '../tool.ts';
import { requireOther, secondsOf, waitForSessions } from '../waiting.ts';

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

function hasEnded(status: SessionStatus): boolean {
  return status === 'damaged' || isFinal(status);
}

function hintOf(waiting: readonly SessionAnswer[], cut: readonly SessionAnswer[]): string | null {
  const idsOf = (some: readonly SessionAnswer[]) => some.map((one) => one.session_id).join(', ');
  if (waiting.length > 0) return `continue waiting for: ${idsOf(waiting)}`;
  return cut.length > 0 ? `cut here, check_session has more: ${idsOf(cut)}` : null;
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
    await waitForSessions(call, known, mode === 'any', secondsOf(call, wait_sec));
    const sessions: SessionAnswer[] = [];
    for (const id of known) sessions.push(await answerOf(call, id));
    // Only when the whole answer is there: what is not reported was not seen.
    for (const [i, { turn }] of sessions.entries()) {
      const id = known[i];
      if (id !== undefined && turn !== null) await call.markSeen(id, turn);
    }
    const waiting = sessions.filter(({ status }) => status !== null && !hasEnded(status));
    const cut = sessions.filter(({ response }) => response !== null && response.length >= RESPONSE_CHARS);
    return {
      success: true,
      error: null,
      hint: hintOf(waiting, cut),
      mode,
      sessions,
      count: sessions.length,
      running: waiting.length,
      completed: sessions.filter((one) => one.status === 'completed').length,
    };
  },
});
