import { expect, test } from 'vitest';
import type { SessionReader } from '../../../src/core/conversation/session-reader.ts';
import type { Step } from '../../../src/core/conversation/steps.ts';
import type { SessionSummary } from '../../../src/core/session.ts';
import { CONTINUE_HINT, LONGEST_RESPONSE, standingOf, turnAnswer } from '../../../src/mcp/answer.ts';
import { lastFailure } from '../../../src/mcp/step-fields.ts';

const LOOK = 'get_trajectory(session_id="abcdefghjk", turn=2) shows what it did';
const error = { code: 'exit_code', message: 'why', hint: null, retryable: false, retry_at: null };
const USER = 'tell the user: log in; ';
const AGAIN = `a retry may succeed: converse(session_id="abcdefghjk", message=…); ${LOOK}`;
const WAIT = 'still running: wait_sessions(ids=["abcdefghjk"]) waits for its end';

const STEPS = [
  { type: 'command', command: 'ls', status: 'completed', exit_code: 0, output: 'c' },
  { type: 'command', command: 'npm test', status: 'failed', exit_code: 1, output: 'a\nb\n' },
  { type: 'message', role: 'assistant', content: 'hm' },
];

/** Steps as a reader yields them. */
const placed = (steps: readonly object[]) =>
  steps.map((step, index) => ({ index, step: step as Step, open: false }));

/** A session with one turn to be read. */
function sessionOf(turn: object, session: object = {}) {
  const view = {
    turn: 2,
    status: 'completed',
    answer: 'yes',
    error: null,
    warnings: [],
    ...turn,
    log_file: 'log',
  };
  const reader = { view, whole: () => view, steps: () => placed(STEPS) };
  const summary = { id: 'abcdefghjk', token_usage: null, duration_ms: null, ...session };
  return { summary, turns: [reader] } as unknown as SessionReader;
}

/** What is answered about a turn of a session. */
const answered = (turn: object, session?: object) => turnAnswer(sessionOf(turn, session), 2, null);

test.each<[turn: object, success: boolean, error: string | null, response: string | null, hint: string]>([
  [{}, true, null, 'yes', CONTINUE_HINT],
  [{ answer: null }, true, null, null, `it ended without an answer; ${LOOK}`],
  [{ status: 'running' }, true, null, null, WAIT],
  [{ status: 'pending' }, true, null, null, WAIT],
  [{ status: 'running', answer: 'x'.repeat(2 * LONGEST_RESPONSE) }, true, null, null, WAIT],
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
    {
      status: 'failed',
      error: { ...error, hint: 'see what it did: zwarm show x; then go on with: zwarm inject x' },
    },
    false,
    'why',
    'yes',
    `${LOOK}; converse continues where it stopped`,
  ],
  [
    { status: 'failed', error: { ...error, code: 'usage_limit', message: 'limit', retryable: true } },
    false,
    'limit',
    'yes',
    AGAIN,
  ],
  [
    { status: 'lost', warnings: ['a', 'b'] },
    false,
    'the turn is lost; a; b',
    'yes',
    `${LOOK}; converse continues where it stopped`,
  ],
])('of a turn with %j', (turn, success, message, response, hint) => {
  const why = success || message === 'limit' ? null : '$ npm test [exit 1]\na\nb';
  expect(answered(turn)).toMatchObject({ success, error: message, response, hint, why });
});

test('of a long response both ends are told and where the rest is, and numbers are of the session', () => {
  const fits = 'x'.repeat(LONGEST_RESPONSE);
  expect(answered({ answer: fits })).toMatchObject({
    response: fits,
    hint: expect.stringMatching(/^converse/),
  });
  for (const status of ['completed', 'failed'])
    expect(answered({ status, answer: `first${fits}last` })).toMatchObject({
      response: expect.stringMatching(/^firstx+\n… 32 characters …\nx+last$/),
      hint: expect.stringMatching(/^the response was cut, all is in log; \w+/),
    });
  expect(turnAnswer(sessionOf({ answer: fits }), 2, null, 100)).toMatchObject({
    response: expect.stringMatching(/^x+\n… 39,923 characters …\nx+$/),
    hint: expect.stringMatching(/^the response was cut, check_session\(session_id="abcdefghjk"\) has more; /),
  });
  expect(answered({})).toMatchObject({ tokens: null, runtime: null });
  const session = { token_usage: { total_tokens: 7 }, duration_ms: 1260 };
  expect(answered({}, session)).toMatchObject({ tokens: 7, runtime: 1.3 });
});

test('a turn that is missing is damage', () => {
  expect(() => turnAnswer(sessionOf({}), 3, null)).toThrow(expect.objectContaining({ code: 'damaged' }));
});

const AT = Date.parse('2026-01-01T00:01:00Z');
const RUNNING = {
  status: 'running',
  name: 'n',
  turn: 2,
  turn_started_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:50.400Z',
  current_step: '$ ls',
};

test.each<[string, row: object, object]>([
  [
    'one that runs: since when it does so, and what it does',
    RUNNING,
    { is_running: true, age_sec: 60, idle_sec: 10, current_step: { summary: '$ ls', age_sec: 10 } },
  ],
  ['one that has said nothing yet', { ...RUNNING, current_step: null }, { idle_sec: 10, current_step: null }],
  ['one whose clock is ahead', { ...RUNNING, updated_at: '2026-01-01T00:02:00Z' }, { idle_sec: 0 }],
  [
    'one that has ended is not idle',
    { ...RUNNING, status: 'failed', current_step: null },
    { is_running: false, idle_sec: null, age_sec: 60 },
  ],
  [
    'one that is about to begin',
    { ...RUNNING, status: 'pending', turn_started_at: null, current_step: null },
    { is_running: true, idle_sec: null, age_sec: null },
  ],
])('at a glance: %s', (_, row, told) => {
  expect(standingOf(row as unknown as SessionSummary, AT)).toMatchObject({ name: 'n', turn: 2, ...told });
});

test.each<[why: string | null, last: object]>([
  [
    '$ make [exit 2]\nno',
    { type: 'command', command: 'bash -lc make', status: 'failed', exit_code: 2, output: 'no\n' },
  ],
  [
    '$ make [interrupted]',
    { type: 'command', command: 'make', status: 'interrupted', exit_code: null, output: null },
  ],
  [
    'web.get {"url":"x"} [failed]\n{"error":"no"}',
    { type: 'tool_call', name: 'web.get', args: { url: 'x' }, status: 'failed', result: { error: 'no' } },
  ],
  ['web.list [failed]', { type: 'tool_call', name: 'web.list', args: null, status: 'failed', result: null }],
  // What went wrong before that is not why.
  [null, { type: 'command', command: 'ls', status: 'completed', exit_code: 0, output: 'c' }],
  [null, { type: 'command', command: 'ls', status: 'in_progress', exit_code: null, output: 'c' }],
])('why: %j', (why, last) => {
  const said = { type: 'error', message: 'usage limit' };
  const steps = placed([...STEPS, last, said]);
  // The first one changes once more.
  expect(lastFailure([...steps, ...steps.slice(0, 1)])).toBe(why);
});
