import { expect, test } from 'vitest';
import type { SessionDetail, TurnView } from '../../../src/core/session.ts';
import { LONGEST_RESPONSE, turnAnswer, turnOf } from '../../../src/mcp/answer.ts';

const LOOK = 'get_trajectory(session_id="abcdefghjk", turn=2) shows what it did';
const error = { code: 'x', message: 'why', hint: null, retryable: false, retry_at: null };
const USER = 'the user can do something about it (log in); ';
const AGAIN = 'a retry may succeed: converse(session_id="abcdefghjk", message=…)';
const WAIT =
  'it is still running: check_session(session_id="abcdefghjk", wait_sec=45) waits for its answer; do not start it again';

/** What is answered about a turn of a session. */
function answered(turn: object, session: object = {}) {
  const view = {
    turn: 2,
    status: 'completed',
    answer: 'yes',
    error: null,
    warnings: [],
    ...turn,
    log_file: 'log',
  };
  const usage = { token_usage: null, duration_ms: null, ...session };
  return turnAnswer({ id: 'abcdefghjk', ...usage } as SessionDetail, view as unknown as TurnView, 45);
}

test.each<[turn: object, success: boolean, error: string | null, response: string | null, hint: string]>([
  [{}, true, null, 'yes', `converse(session_id="abcdefghjk", message=…) continues it; ${LOOK}`],
  [{ answer: null }, true, null, null, `it ended without an answer; ${LOOK}`],
  [{ status: 'running' }, true, null, null, WAIT],
  [{ status: 'pending' }, true, null, null, WAIT],
  [
    { status: 'unknown' },
    true,
    null,
    null,
    'it runs on another machine; only there can its status be determined',
  ],
  [{ status: 'failed', error }, false, 'why', 'yes', `${LOOK}; converse continues where it stopped`],
  [{ status: 'failed', error: { ...error, retryable: true } }, false, 'why', 'yes', AGAIN],
  [
    { status: 'failed', error: { ...error, retryable: true, hint: 'log in' } },
    false,
    'why',
    'yes',
    USER + AGAIN,
  ],
  [
    { status: 'lost', warnings: ['a', 'b'] },
    false,
    'the turn is lost; a; b',
    'yes',
    `${LOOK}; converse continues where it stopped`,
  ],
])('of a turn with %j', (turn, success, why, response, hint) => {
  expect(answered(turn)).toMatchObject({ success, error: why, response, hint });
});

test('a response is cut, and numbers are of the session', () => {
  const fits = 'x'.repeat(LONGEST_RESPONSE);
  expect(answered({ answer: fits })).toMatchObject({
    response: fits,
    hint: expect.stringMatching(/^converse/),
  });
  const cut = answered({ answer: `${fits}x` });
  expect(cut).toMatchObject({
    response: `${fits.slice(1)}…`,
    hint: 'the response was cut; all of it is in log',
  });
  expect(cut).toMatchObject({ tokens: null, runtime: null });
  const session = { token_usage: { total_tokens: 7 }, duration_ms: 1260 };
  expect(answered({}, session)).toMatchObject({ tokens: 7, runtime: 1.3 });
});

test('a turn that is missing is damage', () => {
  const session = { id: 'abcdefghjk', turns: [{ turn: 1 }] } as unknown as SessionDetail;
  expect(turnOf(session, 1)).toEqual({ turn: 1 });
  expect(() => turnOf(session, 2)).toThrow(expect.objectContaining({ code: 'damaged' }));
});
