import { parseJson } from '../../core/json.ts';
import type { Explanation, Failure } from '../agent.ts';
import { explainBy, type Rule, THEN_CONTINUE } from '../explain-by.ts';

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
  const isNoise = /^$|^\d{4}-\d\d-\d\dT|^Reading (additional input|prompt) from stdin/;
  return lines.findLast((line) => !isNoise.test(line)) ?? null;
}

// Wordings of codex-cli 0.58 to 0.169, with what to do about each.
const RULES: readonly Rule[] = [
  [/usage limit/i, 'usage_limit', `wait until it ends or raise the limit, ${THEN_CONTINUE}`],
  [
    /quota exceeded|insufficient_quota/i,
    'quota_exceeded',
    `raise the limit of the account or pay its bill, ${THEN_CONTINUE}`,
  ],
  [/status:? 429|Too Many Requests|rate.?limit/i, 'rate_limited', `wait a little, ${THEN_CONTINUE}`],
  [
    /status:? 40[13]\b|Unauthorized|Missing environment variable|not logged in/i,
    'login_required',
    `log in with \`codex login\` (or set the API key it asks for), ${THEN_CONTINUE}`,
  ],
  [
    /context window|context_length/i,
    'context_full',
    'the conversation is too long for the model; start a new session: zwarm start "…"',
  ],
  [
    /max_output_tokens/,
    'answer_cut',
    'the model hit its output limit: ask it to go on with zwarm inject ID "go on"',
  ],
  [
    /loading config|config\.toml|model provider .* not found/i,
    'agent_configuration',
    'correct the Codex configuration that the message names, then: zwarm start "…"',
  ],
  [
    /model\b.*\b(does not exist|not found|not supported)/i,
    'model_unavailable',
    'start again with another model: zwarm start -m MODEL "…"',
  ],
  [
    /status:? 404/i,
    'agent_configuration',
    'check the address in the message: base_url in the Codex configuration, or a proxy',
  ],
  [
    /no rollout found for thread|is archived/i,
    'thread_gone',
    'Codex no longer has this conversation; the next message replays it: zwarm inject ID "…"',
  ],
  [
    /already has an active writer/i,
    'thread_busy',
    'another Codex has this conversation open: close it, then zwarm inject ID "…"',
  ],
  [
    /Not inside a trusted directory/i,
    'not_a_repository',
    'run `git init` there, then start again; or go without: zwarm start --agent-arg=--skip-git-repo-check "…"',
  ],
  [
    /Input exceeds the maximum length/i,
    'prompt_too_long',
    'Codex takes at most 1,048,576 characters: put the text into a file and name the file in the task',
  ],
  [
    /unexpected argument|invalid value|unrecognized subcommand/i,
    'agent_arguments',
    'this Codex does not know one of its arguments: check --agent-arg, or update Codex',
  ],
  [/high demand|at capacity|overloaded/i, 'overloaded', `wait a little, ${THEN_CONTINUE}`],
  [
    /stream (disconnected|error)|idle timeout|connection|network|status:? 5\d\d|database is locked/i,
    'connection',
    `check the network, ${THEN_CONTINUE}`,
  ],
];

const FAILED_AT_WORK = `see what it did: zwarm show ID --full; ${THEN_CONTINUE}`;
const FAILED_AT_START = 'all that it printed is in the stderr_file that this names: zwarm show ID --json';

/** What a failed Codex turn means and what to do about it; null where neither event nor stderr has a message. */
export function explainCodexFailure(failure: Failure): Explanation | null {
  const said = failure.message ?? usefulLine(failure.stderr);
  return said === null
    ? null
    : explainBy(RULES, said, failure.message === null ? FAILED_AT_START : FAILED_AT_WORK);
}
