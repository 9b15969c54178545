import { usageError } from '../core/errors.ts';
import type { RunLimits } from '../core/rules/run-limits.ts';
import { argument, flag, type Values, value, values } from './define-verb.ts';
import { count, duration, size, text } from './parsers.ts';

/* The arguments and options that several verbs take. */

const ONE = 'id or its first characters, name, @last, @last~1, @here, @running or @failed';
export const ID = argument('<id>', ONE, text('session'));
/** For verbs that also take `TAGS` in its place. */
export const ID_OR_TAGS = argument('[id]', ONE, text('session'));
const SEVERAL = 'ids or their first characters, names, @last, @here, @running or @failed';
const SEVERAL_TO_END = SEVERAL.replace('first characters', 'first 4 characters');
export const IDS = argument('<id...>', SEVERAL, text('session'));
export const IDS_TO_END = argument('<id...>', SEVERAL_TO_END, text('ended'));
/** For verbs that also take `TAGS` in place of ids. */
export const IDS_OR_TAGS = argument('[id...]', SEVERAL, text('session'));
export const IDS_OR_TAGS_TO_END = argument('[id...]', SEVERAL_TO_END, text('running'));

export const FORCE = flag('--force', 'also where the host or container is gone for good (status unknown)');
/** For verbs that print steps. */
export const FULL_STEPS = flag('--full', 'with all of each step, such as the whole output of a command');
export const TURN_TIMES = flag('--time', 'with the time at which each turn began');
export const YES = flag('-y, --yes', 'do not ask');
export const QUIET_IDS = flag('-q, --quiet', 'print only ids');
export const TAGS = values(
  '--tag <tag>',
  'only sessions with this tag; repeat for any of several',
  text('tag'),
);
export const EVERYWHERE = flag('--everywhere', 'the sessions of all projects');
export const TURN = value('--turn <number>', 'only this turn', count(1));
export const HISTORY_CHARS = value(
  '--history-chars <number>',
  'limit of a transcript for a new thread, in characters (default: 100000)',
  count(0),
);

export const AGENT = value('-a, --agent <agent>', 'the agent, such as codex or claude', text('agent'));
export const MODEL = value(
  '-m, --model <model>',
  "the agent's model (default: the agent's own choice)",
  text('model'),
);

/** For verbs that print one session. */
export const REPORT_OPTIONS = {
  quiet: flag('-q, --quiet', 'print only the id'),
  json: flag('--json', 'print the session as JSON'),
};

/** For verbs that can wait for the turn that they start. */
export const WAIT_OPTIONS = {
  wait: flag('-w, --wait', 'wait for the end and print the answer'),
  timeoutMs: value(
    '--timeout <time>',
    'with --wait: stop waiting after 45s, 10m, 2h (exit code 124; the agent continues)',
    duration,
  ),
  ...REPORT_OPTIONS,
};

/** What a verb gets for `WAIT_OPTIONS`. */
export type WaitOptions = Values<typeof WAIT_OPTIONS>;

/** For verbs that give a message. */
export const RETRY = value(
  '--retry <number>',
  'repeat it up to NUMBER times after a rate limit, server or network error',
  count(1),
);

/** For verbs that start a turn: what it may take until it is stopped. */
export const RUN_LIMIT_OPTIONS = {
  maxTimeMs: value('--max-time <time>', 'stop the agent after 45s, 10m, 2h', duration),
  maxSilenceMs: value(
    '--max-silence <time>',
    'stop it when it has said and done nothing for that long',
    duration,
  ),
  maxLogBytes: value('--max-log <size>', 'stop it when it has printed 50MB, 1GB', size),
};

/** The limits that were given. */
export function runLimitsOf({
  maxTimeMs,
  maxSilenceMs,
  maxLogBytes,
}: Values<typeof RUN_LIMIT_OPTIONS>): Partial<RunLimits> {
  const seconds = (ms: number | undefined) => (ms === undefined ? null : Math.max(1, Math.ceil(ms / 1000)));
  return {
    max_time_s: seconds(maxTimeMs),
    max_silence_s: seconds(maxSilenceMs),
    max_log_bytes: maxLogBytes ?? null,
  };
}

/** The file that a task or message is read from. */
export function fileOption(what: 'task' | 'message') {
  return value('-F, --file <file>', `read the ${what} from a file`, text('file'));
}

/** Refuses `--timeout` without `--wait`. @throws ZwarmError `usage` */
export function requireWaiting({ wait, timeoutMs }: WaitOptions): void {
  if (wait || timeoutMs === undefined) return;
  throw usageError('--timeout needs --wait', 'add --wait, or leave --timeout out');
}
