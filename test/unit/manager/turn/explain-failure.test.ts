import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createCodexParser } from '../../../../src/agents/codex/translate.ts';
import { findAgent } from '../../../../src/agents/registry.ts';
import { foldEvents } from '../../../../src/core/conversation/fold.ts';
import { deriveStatus } from '../../../../src/core/status.ts';
import { explainVerdict } from '../../../../src/manager/turn/explain-failure.ts';
import { recordedStreams } from '../../../helpers/fuzz.ts';
import { repositoryFile } from '../../../helpers/project.ts';
import { ID } from '../../../helpers/store.ts';

const SIGNALS: Readonly<Record<string, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

const short = (text: string): string =>
  (text.length > 60 ? `${text.slice(0, 59)}…` : text).replaceAll('\n', '⏎');

/** What a user sees of a recorded run of Codex that nobody stopped: its status, its answer, and why it failed. */
function seenOf(name: string, stream: string): string {
  const textOf = (extension: string): string => {
    const path = repositoryFile(`fixtures/streams/${name}.${extension}`);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const parse = createCodexParser(/codex-older\/([\d.]+)-/.exec(name)?.[1] ?? '0.169.0');
  const events = stream.split('\n').flatMap((text, seq) => (text === '' ? [] : [...parse({ seq, text })]));
  const { terminal, answer, warnings } = foldEvents(events);
  const meta = JSON.parse(textOf('meta.json'));
  const code = meta.signal ? 128 + (SIGNALS[meta.signal] ?? 0) : (meta.exitCode ?? null);
  const exit = { code, why: null, detail: null, cancelled: false };
  const dead = {
    queued: false,
    claimer: 'no',
    launched: true,
    adopted: false,
    living: 'no',
    cancel: null,
  } as const;
  const verdict = deriveStatus({ ...dead, ageMs: 10_000, exit, terminal });
  const place = {
    id: ID,
    workingDir: '/workspace',
    launched: true,
    adopted: false,
    where: 'here',
    endedMs: null,
    timeZone: null,
    limit: null,
    setup: () => ({ log: '/turn/setup.log', last: 'npm failed' }),
  };
  const stderr = () => textOf('stderr.txt');
  const error = explainVerdict(verdict, { ...place, adapter: findAgent('codex'), terminal, stderr });
  return [
    verdict.status,
    ...(verdict.signal === null ? [] : [verdict.signal]),
    answer === null ? 'no answer' : `“${short(answer)}”`,
    ...(error === null ? [] : [`${error.code}: ${short(error.message)}`]),
    ...warnings.map((warning) => `! ${short(warning)}`),
  ].join(' | ');
}

// Written from the tables beside the recordings. Which answers they hold is tested where they are translated.
test('a user sees of each recorded run how it ended, and why: all others completed with an answer', () => {
  const seen = recordedStreams().map(({ name, bytes }) => {
    const run = name.replace(/\.jsonl$/, '');
    return `${run}: ${seenOf(run, bytes.toString())}`;
  });
  expect(seen.filter((run) => !/: completed \| “[^|]*”$/.test(run)).join('\n')).toMatchInlineSnapshot(`
    "codex-0.169/bad-config: failed | no answer | agent_configuration: Error loading config.toml: unknown variant \`bogus\`, expecte…
    codex-0.169/bad-dir: failed | no answer | agent_failed: Error: No such file or directory (os error 2)
    codex-0.169/bad-flag: failed | no answer | agent_arguments: error: unexpected argument '--no-such-flag' found
    codex-0.169/collab: completed | “Spawned a helper.” | ! Model metadata for \`fake-model\` not found. Defaulting to fa…
    codex-0.169/connection-refused: failed | SIGTERM | no answer | signal: the agent was ended by SIGTERM | ! Reconnecting... waiting for network (Connection failed: err…
    codex-0.169/context-full: failed | no answer | context_full: Codex ran out of room in the model's context window. Start …
    codex-0.169/empty-answer: completed | no answer
    codex-0.169/fail-late: failed | “Working.” | agent_failed: Something is wrong with the request.
    codex-0.169/http-400: failed | no answer | model_unavailable: The requested model 'nope' does not exist.
    codex-0.169/http-401: failed | no answer | login_required: unexpected status 401 Unauthorized: Incorrect API key provi…
    codex-0.169/http-429: failed | no answer | rate_limited: exceeded retry limit, last status: 429 Too Many Requests
    codex-0.169/http-500: failed | no answer | overloaded: We’re currently experiencing high demand, which may cause t…
    codex-0.169/idle-timeout: failed | no answer | connection: stream disconnected before completion: idle timeout waiting…
    codex-0.169/incomplete: failed | “half an answ” | answer_cut: Incomplete response returned, reason: max_output_tokens
    codex-0.169/missing-env-key: failed | no answer | login_required: Missing environment variable: \`FAKE_API_KEY_NOT_SET\`.
    codex-0.169/no-prompt: failed | no answer | agent_failed: No prompt provided via stdin.
    codex-0.169/not-a-git-repo: failed | no answer | not_a_repository: Not inside a trusted directory and --skip-git-repo-check wa…
    codex-0.169/prompt-too-long: failed | no answer | prompt_too_long: Error: turn/start: turn/start failed: Input exceeds the max…
    codex-0.169/resume-bad-flag: failed | no answer | agent_arguments: error: unexpected argument '--sandbox' found
    codex-0.169/resume-missing: failed | no answer | thread_gone: Error: thread/resume: thread/resume failed: no rollout foun…
    codex-0.169/sandbox-not-built: completed | “Neither command ran.” | ! no command ran, as Codex could not build its sandbox (error…
    codex-0.169/sigint-during-command: failed | “Running a long command.” | exit_code: the agent ended with exit code 1
    codex-0.169/sigint: failed | “Before the stall.” | exit_code: the agent ended with exit code 1
    codex-0.169/sigkill: failed | SIGKILL | “Running a long command.” | signal: the agent was ended by SIGKILL
    codex-0.169/sigterm: failed | SIGTERM | “Before the stall.” | signal: the agent was ended by SIGTERM
    codex-0.169/stream-cut-forever: failed | no answer | connection: stream disconnected before completion: Transport error: net…
    codex-0.169/thread-resume-busy: failed | no answer | thread_busy: Error: thread/resume: thread/resume failed: thread 01a1f881…
    codex-0.169/thread-resume-model-switch: completed | “The project prints two lines.” | ! This session was recorded with model \`gpt-5.5\` but is resum…
    codex-0.169/unknown-model-warning: completed | “The project prints two lines.” | ! Model metadata for \`some-new-model\` not found. Defaulting t…
    codex-0.169/usage-limit: failed | no answer | usage_limit: You’ve hit your usage limit. Upgrade to Pro (https://chatgp…
    codex-0.169/wrapper-sigterm: failed | SIGTERM | “Running a long command.” | signal: the agent was ended by SIGTERM
    codex-older/0.104.0-failed: failed | no answer | model_unavailable: The requested model 'nope' does not exist.
    codex-older/0.36.0-failed: failed | no answer | model_unavailable: unexpected status 400 Bad Request: The requested model 'nop… | ! this Codex is too old for zwarm to continue its conversatio…
    codex-older/0.36.0-tour: failed | “Tour done.” | no_result: the agent ended without a result | ! this Codex is too old for zwarm to continue its conversatio…
    codex-older/0.58.0-failed: failed | no answer | model_unavailable: unexpected status 400 Bad Request: The requested model 'nop…"
  `);
});
