import { z } from 'zod';
import { cutText } from '../../core/session.ts';
import { isFinal } from '../../core/status.ts';
import { turnAnswer, turnOf } from '../answer.ts';
import { common, sessionId, status, waitSec } from '../fields.ts';
import { defineTool, READS } from '../tool.ts';
import { waitForSessions } from '../waiting.ts';

const RESPONSE_CHARS = 4000;

/** Waits for a swarm. */
export const waitSessions = defineTool({
  name: 'wait_sessions',
  description:
    'Wait for several sessions at once, until all of them (or, with mode "any", one of them) have ended or the time ' +
    'is up; then how each stands, with its answer. Leave out those that have ended before you ask again.',
  input: z.strictObject({
    ids: z.array(sessionId).min(1).max(100),
    mode: z.enum(['any', 'all']).default('all'),
    wait_sec: waitSec,
  }),
  output: z.strictObject({
    ...common,
    mode: z.enum(['any', 'all']),
    sessions: z.array(
      z.strictObject({
        session_id: z.string(),
        status,
        turn: z.number().nullable(),
        response: z.string().nullable(),
        error: z.string().nullable(),
      }),
    ),
    count: z.number(),
    running: z.number(),
    completed: z.number(),
  }),
  annotations: READS,
  async run({ ids, mode, wait_sec }, call) {
    const { manager } = call;
    const known = ids.map((id) => manager.resolve(id));
    await waitForSessions(call, known, mode === 'any', await call.budget(wait_sec));
    const sessions = [];
    for (const id of known) {
      const session = await manager.get(id);
      const { status, turn, response, error } = turnAnswer(session, turnOf(session, session.turn));
      await call.seen(id, turn);
      const told = response === null ? null : cutText(response, RESPONSE_CHARS);
      sessions.push({ session_id: id, status, turn, response: told, error });
    }
    const waiting = sessions.filter((one) => !isFinal(one.status));
    return {
      success: true,
      error: null,
      hint:
        waiting.length === 0 ? null : `go on waiting for: ${waiting.map((one) => one.session_id).join(', ')}`,
      mode,
      sessions,
      count: sessions.length,
      running: waiting.length,
      completed: sessions.filter((one) => one.status === 'completed').length,
    };
  },
});
