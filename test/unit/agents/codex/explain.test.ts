import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { explainCodexFailure, innerMessage, usefulLine } from '../../../../src/agents/codex/explain.ts';
import { createCodexParser } from '../../../../src/agents/codex/translate.ts';
import { foldEvents } from '../../../../src/core/conversation/fold.ts';
import { repositoryFile } from '../../../helpers/project.ts';

function explainStream(name: string): ReturnType<typeof explainCodexFailure> {
  const path = repositoryFile(`fixtures/streams/${name}`);
  const parse = createCodexParser(null);
  const lines = readFileSync(`${path}.jsonl`, 'utf8').split('\n').filter(Boolean);
  const fold = foldEvents(lines.flatMap((text, seq) => parse({ seq, text })));
  const message = fold.terminal?.kind === 'failed' ? fold.terminal.message : null;
  const stderr = existsSync(`${path}.stderr.txt`) ? readFileSync(`${path}.stderr.txt`, 'utf8') : '';
  return explainCodexFailure({ message, stderr });
}

// What was recorded, what it is called, whether trying again may help, and what the hint speaks of.
test.each<[string, string, boolean, RegExp]>([
  ['codex-0.169/http-400', 'model_unavailable', false, /start -m/],
  ['codex-0.169/http-401', 'login_required', false, /codex login/],
  ['codex-0.169/http-429', 'rate_limited', true, /wait a little/],
  ['codex-0.169/http-500', 'overloaded', true, /wait a little/],
  ['codex-0.169/usage-limit', 'usage_limit', true, /wait until then/],
  ['codex-0.169/context-full', 'context_full', false, /new session/],
  ['codex-0.169/incomplete', 'answer_cut', false, /go on/],
  ['codex-0.169/stream-cut-forever', 'connection', true, /network/],
  ['codex-0.169/idle-timeout', 'connection', true, /network/],
  ['codex-0.169/missing-env-key', 'login_required', false, /API key/],
  ['codex-0.169/fail-late', 'agent_failed', false, /see what it did/],
  ['codex-0.169/bad-flag', 'agent_arguments', false, /--agent-arg/],
  ['codex-0.169/resume-bad-flag', 'agent_arguments', false, /--agent-arg/],
  ['codex-0.169/bad-config', 'agent_configuration', false, /configuration/],
  ['codex-0.169/bad-dir', 'agent_failed', false, /stderr_file/],
  ['codex-0.169/no-prompt', 'agent_failed', false, /stderr_file/],
  ['codex-0.169/not-a-git-repo', 'not_a_repository', false, /--skip-git-repo-check/],
  ['codex-0.169/prompt-too-long', 'prompt_too_long', false, /into a file/],
  ['codex-0.169/resume-missing', 'thread_gone', false, /replays it: zwarm inject/],
  ['codex-0.169/thread-resume-busy', 'thread_busy', true, /close it/],
  ['codex-older/0.36.0-failed', 'model_unavailable', false, /start -m/],
  ['codex-older/0.58.0-failed', 'model_unavailable', false, /start -m/],
  ['codex-older/0.104.0-failed', 'model_unavailable', false, /start -m/],
])('%s is explained as %s', (name, code, retryable, hint) => {
  const told = explainStream(name);
  expect(told).toMatchObject({ code, retryable });
  expect(told?.hint).toMatch(hint);
  expect(told?.message).not.toMatch(/Stack backtrace|\n|^$/);
});

test('a Codex that said nothing useful is not explained', () => {
  expect(explainStream('codex-0.169/message')).toBeNull();
  expect(explainStream('codex-0.169/sigint-during-command')).toBeNull();
  expect(explainCodexFailure({ message: null, stderr: '' })).toBeNull();
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
  ['2026-11-20T10:30:29Z ERROR x\nError: why\n\nStack backtrace:\n   0: <unknown>\n', 'Error: why'],
  ["error: unexpected argument '--x' found\n\n  tip: y\n", "error: unexpected argument '--x' found"],
])('the useful line of %j', (stderr, expected) => {
  expect(usefulLine(stderr)).toBe(expected);
});
