import type { Explanation, Failure } from '../agent.ts';
import { explainBy, type Rule, THEN_CONTINUE } from '../explain-by.ts';

const SEE_STDERR = 'the cause is in the stderr_file that this names: zwarm show ID --json';

// Wordings of opencode 1.18.33 and of its providers, with what to do about each.
const RULES: readonly Rule[] = [
  [
    /^Session not found/,
    'thread_gone',
    'opencode no longer has this conversation; the next message replays it: zwarm inject ID "…"',
  ],
  [
    /^permission requested: |^The user rejected permission/,
    'permission_refused',
    'nobody can be asked there: allow it in your opencode configuration, or zwarm start -s danger-full-access "…"',
  ],
  [
    /Configuration is invalid|is not valid JSON|Config file at/,
    'agent_configuration',
    'correct the file that the message names, then: zwarm inject ID "…"',
  ],
  [
    /EROFS: read-only file system, mkdir|FileSystem\.writeFile \(.*\.gitignore\)/,
    'agent_configuration',
    'a confined opencode cannot make its own files: run `opencode models` once yourself, in the same directory, then: zwarm inject ID "…"',
  ],
  [
    /^opencode does not know/,
    'agent_arguments',
    'check --agent-arg (see: opencode run --help), or update opencode',
  ],
  [
    /usage limit|usage exceeded|(?<!rate )limit reached/i,
    'usage_limit',
    `wait until it ends or raise the limit, ${THEN_CONTINUE}`,
  ],
  [
    /insufficient.?(quota|balance|credits?|funds)|credit balance|payment required|\b402\b/i,
    'quota_exceeded',
    `pay the bill of the provider's account, ${THEN_CONTINUE}`,
  ],
  [/\b429\b|rate.?limit|too many requests/i, 'rate_limited', `wait a little, ${THEN_CONTINUE}`],
  [
    /\b401\b|\b403\b|ProviderAuthError|unauthori[sz]ed|forbidden|api.?key|authentication/i,
    'login_required',
    `log in with \`opencode auth login\` (or set the API key of the provider), ${THEN_CONTINUE}`,
  ],
  [
    /ContextOverflowError|(prompt|input|messages?) .*too long|context (window|length|limit)|maximum context/i,
    'context_full',
    'the conversation is too long for the model; start a new session: zwarm start "…"',
  ],
  [/output limit|MessageOutputLengthError/, 'answer_cut', 'ask it to go on: zwarm inject ID "go on"'],
  [/content filter/, 'model_refused', 'say it in another way: zwarm inject ID "…"'],
  [
    /model\b.*\b(not found|not exist|not supported)/i,
    'model_unavailable',
    'see `opencode models`, then start again: zwarm start -m PROVIDER/MODEL "…"',
  ],
  [
    /^Unexpected server error/,
    'agent_failed',
    `often the model is one that it does not know (see: opencode models); ${SEE_STDERR}`,
  ],
  [/\b5\d\d\b|overloaded|at capacity|high demand/i, 'overloaded', `wait a little, ${THEN_CONTINUE}`],
  [/connect|network|ECONN|ENOTFOUND|timed? ?out/i, 'connection', `check the network, ${THEN_CONTINUE}`],
];

const ESCAPES = /\x1b\[[\d;]*m/g;
const IS_LOG = /^timestamp=\S+ level=/;

/** What its stderr says of why it ended: an error with the lines below it, or the last thing that was refused. */
function usefulText(stderr: string): string | null {
  const lines = stderr
    .replace(ESCAPES, '')
    .split('\n')
    .map((line) => line.trim().replace(/^! +/, ''))
    .filter((line) => line !== '' && !IS_LOG.test(line));
  if (lines.some((line) => line.startsWith('opencode run [message')))
    return 'opencode does not know one of its arguments';
  const error = lines.findLastIndex((line) => line.startsWith('Error: '));
  if (error >= 0)
    return lines
      .slice(error)
      .join(' ')
      .replace(/^Error: (Unexpected error )?/, '');
  const known = lines.findLast((line) => /^permission requested: |^E[A-Z]+: /.test(line));
  return known ?? lines.at(-1) ?? null;
}

/** What a failed turn of opencode means and what to do about it; null where it said nothing. */
export function explainOpencodeFailure({ message, stderr }: Failure): Explanation | null {
  const said = message ?? usefulText(stderr);
  return said === null
    ? null
    : explainBy(RULES, said, `see what it did: zwarm show ID --full; ${THEN_CONTINUE}`);
}
