import { z } from 'zod';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isFinal } from '../../core/status.ts';
import {
  CONTINUE_HINT,
  common,
  LONGEST_RESPONSE,
  sessionAnswer,
  standing,
  standingOf,
  status,
  succeeded,
  turnFields,
  withoutNulls,
} from '../answer.ts';
import { choice, sessionId, waitSec } from '../parameters.ts';
import { defineTool, READS, type ToolCall } from '../tool.ts';
import { requireOther, waitWith, withCut } from '../waiting.ts';

/** Of each response at least so much is told; more where there are few. */
const RESPONSE_CHARS = 4000;

const { response, error, why, hint, tokens, budget } = turnFields;
const SESSION = z.strictObject({
  ...standing,
  status: status.nullable().describe('null: it is damaged or was removed; error says which'),
  ...{ response, error, why, hint, tokens, budget },
});
type SessionAnswer = z.infer<typeof SESSION>;

/** What is told of a session that cannot be read. */
const UNREADABLE = {
  ...{ status: null, name: null, turn: null, is_running: false, idle_sec: null, age_sec: null },
  ...{ current_step: null, response: null, why: null, hint: null, tokens: null, budget: null },
};

/** How one of the sessions stands, and its answer; one that cannot be read does not hide the others. */
async function answerOf({ manager }: ToolCall, id: SessionId, longest: number): Promise<SessionAnswer> {
  try {
    const session = await manager.read(id);
    const { summary } = session;
    const budget = await manager.budgetLeft(id);
    const { response, error, why, hint, tokens } = sessionAnswer(session, budget, longest);
    const known = { ...standingOf(summary, manager.now()), response, error, why, tokens, budget };
    return { ...known, hint: hint === CONTINUE_HINT ? null : hint };
  } catch (error) {
    if (!(error instanceof ZwarmError)) throw error;
    return { session_id: id, ...UNREADABLE, error: error.message };
  }
}

/** A session that cannot be waited for counts as ended: the answer says why. */
function orGone(error: unknown): true {
  if (error instanceof ZwarmError) return true;
  throw error;
}

/** How to wait for those that run, and how to learn why others failed. */
function hintOf(waiting: readonly SessionAnswer[], failed: readonly SessionAnswer[]): string | null {
  const left = waiting.map((one) => `"${one.session_id}"`).join(', ');
  const [first] = failed;
  const why = `${failed.length} failed; why: get_trajectory(session_id="${first?.session_id}")`;
  const calls = [
    ...(left === '' ? [] : [`still running: wait_sessions(ids=[${left}]) goes on waiting`]),
    ...(first === undefined ? [] : [why]),
  ];
  return calls.join('; ') || null;
}

/** Waits for several sessions. */
export const waitSessions = defineTool({
  name: 'wait_sessions',
  description:
    'Wait until one worker, or several in parallel, have ended: status and answer of each, or why it failed. If the ' +
    'time is up first, call it again.',
  input: z.strictObject({
    ids: z.array(sessionId).min(1).max(100).describe('ids or names'),
    mode: choice(['all', 'any'], 'until all (default) or any has ended'),
    wait_sec: waitSec,
  }),
  output: z.strictObject({
    ...common,
    sessions: z.array(SESSION.partial()),
    count: z.number(),
    running: z.number(),
    completed: z.number(),
    failed: z.number(),
  }),
  annotations: READS,
  async run({ ids, mode, wait_sec }, call) {
    const { manager } = call;
    const known = await Promise.all(ids.map((id) => manager.resolve(id)));
    for (const id of known) requireOther(call, id);
    const any = mode === 'any';
    const awaited = { words: `waiting for ${any ? 'one of ' : ''}${known.join(', ')}`, ids: known };
    await waitWith(call, wait_sec, awaited, ({ signal, end }) => {
      const each = known.map(async (id) => {
        const hasEnded = await manager.wait(id, signal).then(isFinal, orGone);
        if (any && hasEnded) end();
      });
      return Promise.all(each);
    });
    const sessions: SessionAnswer[] = [];
    const longest = Math.max(RESPONSE_CHARS, Math.floor(LONGEST_RESPONSE / known.length));
    for (const id of known) sessions.push(await answerOf(call, id, longest));
    // Only when the whole answer is there: what is not reported was not seen.
    for (const [i, id] of known.entries()) {
      const turn = sessions[i]?.turn;
      if (turn != null) await call.markSeen(id, turn);
    }
    const waiting = sessions.filter((one) => one.is_running);
    const failed = sessions.filter((one) => one.status === 'failed');
    return {
      ...succeeded(withCut(hintOf(waiting, failed), waiting.length > 0, call, wait_sec)),
      sessions: sessions.map(withoutNulls),
      count: sessions.length,
      running: waiting.length,
      completed: sessions.filter((one) => one.status === 'completed').length,
      failed: failed.length,
    };
  },
});
