import { expect, test } from 'vitest';
import { explainCodexFailure, innerMessage, usefulLine } from '../../../../src/agents/codex/explain.ts';

test('a failure of many words is explained by its beginning, without searching all of it', () => {
  for (const part of ['model ', 'x', ' ', '\n', '{"error":', '[', 'status: 4']) {
    const told = explainCodexFailure({ message: null, stderr: `Error: ${part.repeat(20_000)}` });
    expect(told?.message.length).toBeLessThanOrEqual(4096);
    expect(innerMessage(part.repeat(20_000))).toContain(part);
  }
});

test.each([
  ['plain words', 'plain words'],
  ['{"error":{"message":"inside"}}', 'inside'],
  ['{"message":"flat"}', 'flat'],
  ['status 400: {"error":{"message":"inside"}}', 'status 400: inside'],
  ['{"error":{"message":"cut"}}; retrying', '{"error":{"message":"cut"}}; retrying'],
  ['{"error":{"message":""}}', '{"error":{"message":""}}'],
  ['{"error":null}', '{"error":null}'],
  ['{not json', '{not json'],
])('the sentence inside %j', (text, expected) => {
  expect(innerMessage(text)).toBe(expected);
});

test.each<[string, string | null]>([
  ['', null],
  ['Reading additional input from stdin...\n', null],
  ['2026-11-20T10:30:29.333132Z ERROR x: y\n', null],
  ['first\nlast\n', 'last'],
  ['it says Error: no\nlast\n', 'last'],
  ['2026-11-20T10:30:29Z ERROR x\nError: why\n\nStack backtrace:\n   0: <unknown>\n', 'Error: why'],
  ["error: unexpected argument '--x' found\n\n  tip: y\n", "error: unexpected argument '--x' found"],
])('the useful line of %j', (stderr, expected) => {
  expect(usefulLine(stderr)).toBe(expected);
});

const THEN_CONTINUE = 'then continue with: zwarm inject ID "…"';
const WAIT = `wait a little, ${THEN_CONTINUE}`;
const RAISE = `wait until it ends or raise the limit, ${THEN_CONTINUE}`;
const BILL = `raise the limit of the account or pay its bill, ${THEN_CONTINUE}`;
const LOG_IN = `log in with \`codex login\` (or set the API key it asks for), ${THEN_CONTINUE}`;
const FULL = 'the conversation is too long for the model; start a new session: zwarm start "…"';
const CORRECT = 'correct the Codex configuration that the message names, then: zwarm start "…"';
const ADDRESS = 'check the address in the message: base_url in the Codex configuration, or a proxy';
const MODEL = 'start again with another model: zwarm start -m MODEL "…"';
const REPLAY = 'Codex no longer has this conversation; the next message replays it: zwarm inject ID "…"';
const OPEN = 'another Codex has this conversation open: close it, then zwarm inject ID "…"';
const NETWORK = `check the network, ${THEN_CONTINUE}`;
const ARGUMENT = 'this Codex does not know one of its arguments: check --agent-arg, or update Codex';
const [AGAIN, NO] = [true, false];

// Wordings of codex-cli 0.58 to 0.169; of two that fit a message, the first that is named here.
test.each<[code: string, retryable: boolean, hint: string, ...messages: string[]]>([
  ['usage_limit', AGAIN, RAISE, 'You’ve hit your usage limit. Too Many Requests', 'Usage Limit'],
  ['quota_exceeded', NO, BILL, 'Quota exceeded. 429', 'insufficient_quota'],
  [
    'rate_limited',
    AGAIN,
    WAIT,
    'status 429',
    'status: 429',
    'Too Many Requests',
    'rate-limit',
    'Rate limit',
    'ratelimit',
  ],
  ['login_required', NO, LOG_IN, 'status 401', 'status: 403 x', 'Unauthorized', 'Not logged in'],
  ['login_required', NO, LOG_IN, 'Missing environment variable: `KEY`'],
  ['context_full', NO, FULL, "ran out of room in the model's context window", 'context_length_exceeded'],
  [
    'answer_cut',
    NO,
    'the model hit its output limit: ask it to go on with zwarm inject ID "go on"',
    'reason: max_output_tokens',
  ],
  ['agent_configuration', NO, CORRECT, 'Error loading config', '~/.codex/config.toml: what?'],
  ['agent_configuration', NO, CORRECT, 'Model provider `x` not found'],
  [
    'model_unavailable',
    NO,
    MODEL,
    'model x does not exist',
    'The model was not found',
    'Model x is not supported',
  ],
  ['agent_configuration', NO, ADDRESS, 'status 404', 'Status: 404'],
  ['thread_gone', NO, REPLAY, 'no rollout found for thread id x', 'session x is archived'],
  ['thread_busy', AGAIN, OPEN, 'thread x already has an active writer'],
  [
    'not_a_repository',
    NO,
    'run `git init` there, then start again; or go without: zwarm start --agent-arg=--skip-git-repo-check "…"',
    'Not inside a trusted directory and …',
  ],
  [
    'prompt_too_long',
    NO,
    'Codex takes at most 1,048,576 characters: put the text into a file and name the file in the task',
    'Input exceeds the maximum length',
  ],
  [
    'agent_arguments',
    NO,
    ARGUMENT,
    "unexpected argument '--x'",
    'invalid value x',
    'unrecognized subcommand',
  ],
  ['overloaded', AGAIN, WAIT, 'high demand', 'The model is at capacity', 'overloaded: connection'],
  ['connection', AGAIN, NETWORK, 'stream disconnected', 'stream error', 'idle timeout', 'Connection failed'],
  ['connection', AGAIN, NETWORK, 'network is down', 'status 500', 'status: 502', 'database is locked'],
  [
    'agent_failed',
    NO,
    `see what it did: zwarm show ID --full; ${THEN_CONTINUE}`,
    'it broke',
    'status 4010',
    '40',
  ],
])('%s, retryable: %s, %s', (code, retryable, hint, ...messages) => {
  for (const message of messages)
    expect(explainCodexFailure({ message, stderr: 'Error: other' }), message).toEqual({
      code,
      message,
      hint,
      retryable,
    });
});

test('without a message of the stream, that of stderr counts, and none says nothing', () => {
  expect(explainCodexFailure({ message: null, stderr: 'Error: usage limit\n' })).toMatchObject({
    code: 'usage_limit',
    message: 'Error: usage limit',
  });
  expect(explainCodexFailure({ message: null, stderr: 'it broke\n' })).toEqual({
    code: 'agent_failed',
    message: 'it broke',
    hint: 'all that it printed is in the stderr_file that this names: zwarm show ID --json',
    retryable: false,
  });
  expect(explainCodexFailure({ message: null, stderr: '\n' })).toBeNull();
});
