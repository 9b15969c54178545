import type { Explanation, Failure } from '../agent.ts';
import { explainBy, type Rule, THEN_CONTINUE } from '../explain-by.ts';

// Wordings of Claude Code 2.1.197 to 2.1.328, with what to do about each.
const RULES: readonly Rule[] = [
  [
    /usage limit|(?<!rate )limit reached|hit your limit/i,
    'usage_limit',
    `wait until it ends or raise the limit, ${THEN_CONTINUE}`,
  ],
  [/credit balance is too low/i, 'quota_exceeded', `pay the account's bill, ${THEN_CONTINUE}`],
  [/\b429\b|rate.?limit/i, 'rate_limited', `wait a little, ${THEN_CONTINUE}`],
  [
    /not logged in|invalid api key|authentication|oauth token|please run \/login|\b401\b|\b403\b/i,
    'login_required',
    `log in with \`claude auth login\` (or set ANTHROPIC_API_KEY), ${THEN_CONTINUE}`,
  ],
  [
    /prompt is too long|request too large|context (window|limit)/i,
    'context_full',
    'the conversation is too long for the model; start a new session: zwarm start "…"',
  ],
  [
    /output token maximum/i,
    'answer_cut',
    'the model hit its output limit: ask it to go on with zwarm inject ID "go on"',
  ],
  [
    /selected model|model .*not (exist|found|available)/i,
    'model_unavailable',
    'start again with another model: zwarm start -m MODEL "…"',
  ],
  [
    /No conversation found with session ID/i,
    'thread_gone',
    'Claude Code no longer has this conversation; the next message replays it: zwarm inject ID "…"',
  ],
  [
    /Session ID .* is already in use/i,
    'thread_busy',
    'another Claude Code has this conversation open: close it, then zwarm inject ID "…"',
  ],
  [
    /cannot be used with root/i,
    'refused_as_root',
    'Claude Code runs with danger-full-access as root only where it is told that the machine is a sandbox: IS_SANDBOX=1 zwarm start …',
  ],
  [
    /safeguards|usage policy|\baup\b/i,
    'model_refused',
    'the model refused: say it in another way with zwarm inject ID "…"',
  ],
  [
    /^its work in the background was ended/,
    'agent_limit',
    'Claude Code ends it ten minutes after the agent itself, or at its budget; to have it wait: CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS=0 zwarm inject ID "go on"',
  ],
  [
    /maximum number of turns|maximum budget/i,
    'agent_limit',
    'it reached a limit in its arguments: zwarm inject ID "go on"',
  ],
  [
    /^error: (unknown option|option )/i,
    'agent_arguments',
    'this Claude Code does not know one of its arguments: check --agent-arg, or update it',
  ],
  [
    /\bAPI Error: 5\d\d\b|\b529\b|overloaded|at capacity|high demand/i,
    'overloaded',
    `wait a little, ${THEN_CONTINUE}`,
  ],
  [/connection|network|ECONN|ENOTFOUND|timed? ?out/i, 'connection', `check the network, ${THEN_CONTINUE}`],
];

/** The line of its stderr that says why it ended. */
function usefulLine(stderr: string): string | null {
  const lines = stderr.split('\n').map((line) => line.trim());
  const isNoise = /^$|^\[claude-code:|^Warning: no stdin/;
  return lines.findLast((line) => !isNoise.test(line)) ?? null;
}

/** What a failed turn of Claude Code means and what to do about it; null where it said nothing. */
export function explainClaudeFailure(failure: Failure): Explanation | null {
  const said = failure.message ?? usefulLine(failure.stderr);
  return said === null
    ? null
    : explainBy(RULES, said, `see what it did: zwarm show ID --full; ${THEN_CONTINUE}`);
}
