import { parseJson } from '../../core/json.ts';
import { cutFailure } from '../../core/session.ts';
import type { Explanation, Failure } from '../agent.ts';

/** A failure message that holds the server's JSON answer, as the sentence inside it. */
export function innerMessage(text: string): string {
  const brace = text.indexOf('{');
  if (brace < 0) return text;
  const body = parseJson(text.slice(brace));
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : body;
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : null;
  return typeof message === 'string' && message !== '' ? text.slice(0, brace) + message : text;
}

/** The line of Codex's stderr that says why it ended; the rest is tracing and an empty back trace. */
export function usefulLine(stderr: string): string | null {
  const lines = stderr.split('\n').map((line) => line.trim());
  const named = lines.find((line) => /^(Error|error)[: ]/.test(line));
  if (named !== undefined) return named;
  const plain = lines.filter(
    (line) =>
      line !== '' &&
      !/^\d{4}-\d\d-\d\dT/.test(line) &&
      !/^Reading (additional input|prompt) from stdin/.test(line),
  );
  return plain.at(-1) ?? null;
}

interface Rule {
  readonly match: RegExp;
  readonly code: string;
  readonly hint: string;
  readonly retryable: boolean;
}

// Wordings of codex-cli 0.58 to 0.169; the first that fits wins.
const RULES: readonly Rule[] = [
  {
    match: /usage limit/i,
    code: 'usage_limit',
    hint: 'wait until then or raise the limit, then continue with: zwarm inject ID "…"',
    retryable: true,
  },
  {
    match: /quota exceeded|insufficient_quota/i,
    code: 'quota_exceeded',
    hint: 'raise the limit of the account or pay its bill, then continue with: zwarm inject ID "…"',
    retryable: false,
  },
  {
    match: /status:? 429|Too Many Requests|rate.?limit/i,
    code: 'rate_limited',
    hint: 'wait a little, then continue with: zwarm inject ID "…"',
    retryable: true,
  },
  {
    match: /status:? 40[13]\b|Unauthorized|Missing environment variable|not logged in/i,
    code: 'login_required',
    hint: 'log in with `codex login` (or set the API key it asks for), then continue with: zwarm inject ID "…"',
    retryable: false,
  },
  {
    match: /context window|context_length/i,
    code: 'context_full',
    hint: 'the conversation is too long for the model; start a new session: zwarm start "…"',
    retryable: false,
  },
  {
    match: /max_output_tokens/,
    code: 'answer_cut',
    hint: 'the model hit its output limit: ask it to go on with zwarm inject ID "go on"',
    retryable: false,
  },
  {
    match: /loading config|config\.toml|model provider .* not found/i,
    code: 'agent_configuration',
    hint: 'correct the Codex configuration that the message names, then: zwarm start "…"',
    retryable: false,
  },
  {
    match: /model\b.*\b(does not exist|not found|not supported)/i,
    code: 'model_unavailable',
    hint: 'start again with another model: zwarm start -m MODEL "…"',
    retryable: false,
  },
  {
    match: /status:? 404/i,
    code: 'agent_configuration',
    hint: 'check the address in the message: base_url in the Codex configuration, or a proxy',
    retryable: false,
  },
  {
    match: /no rollout found for thread|is archived/i,
    code: 'thread_gone',
    hint: 'Codex no longer has this conversation; the next message replays it: zwarm inject ID "…"',
    retryable: false,
  },
  {
    match: /already has an active writer/i,
    code: 'thread_busy',
    hint: 'another Codex has this conversation open: close it, then zwarm inject ID "…"',
    retryable: true,
  },
  {
    match: /Not inside a trusted directory/i,
    code: 'not_a_repository',
    hint: 'run `git init` there, then start again; or go without: zwarm start --agent-arg=--skip-git-repo-check "…"',
    retryable: false,
  },
  {
    match: /Input exceeds the maximum length/i,
    code: 'prompt_too_long',
    hint: 'Codex takes at most 1,048,576 characters: put the text into a file and name the file in the task',
    retryable: false,
  },
  {
    match: /unexpected argument|invalid value|unrecognized subcommand/i,
    code: 'agent_arguments',
    hint: 'this Codex does not know one of its arguments: check --agent-arg, or update Codex',
    retryable: false,
  },
  {
    match: /high demand|at capacity|overloaded/i,
    code: 'overloaded',
    hint: 'wait a little, then continue with: zwarm inject ID "…"',
    retryable: true,
  },
  {
    match: /stream (disconnected|error)|idle timeout|connection|network|status:? 5\d\d|database is locked/i,
    code: 'connection',
    hint: 'check the network, then continue with: zwarm inject ID "…"',
    retryable: true,
  },
];

const FAILED_AT_WORK = 'see what it did: zwarm show ID --full; then continue with: zwarm inject ID "…"';
const FAILED_AT_START = 'all that it printed is in the stderr_file that this names: zwarm show ID --json';

/** What a failed Codex turn means and what to do about it; null where neither event nor stderr has a message. */
export function explainCodexFailure(failure: Failure): Explanation | null {
  const said = failure.message ?? usefulLine(failure.stderr);
  if (said === null) return null;
  const message = cutFailure(said);
  const rule = RULES.find(({ match }) => match.test(message));
  return {
    code: rule?.code ?? 'agent_failed',
    message,
    hint: rule?.hint ?? (failure.message === null ? FAILED_AT_START : FAILED_AT_WORK),
    retryable: rule?.retryable ?? false,
  };
}
