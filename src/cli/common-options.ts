import { usageError } from '../core/errors.ts';
import { argument, flag, type Values, value } from './define-verb.ts';
import { count, duration } from './parsers.ts';

/* The arguments and options that several verbs take. */

export const ID = argument('<id>', 'id, name, prefix of an id, or @last');
export const IDS = argument('<id...>', 'ids, names, prefixes of ids, or @last');
export const IDS_TO_END = argument('<id...>', 'ids, names, prefixes of ids (4 characters or more), or @last');

export const QUIET_IDS = flag('-q, --quiet', 'print only ids');
export const TURN = value('--turn <number>', 'only this turn', count(1));
export const HISTORY_CHARS = value(
  '--history-chars <number>',
  'limit for a replayed transcript, in characters (default: 100000)',
  count(0),
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

/** The file that a task or message is read from. */
export function fileOption(what: 'task' | 'message') {
  return value('-F, --file <file>', `read the ${what} from a file`);
}

/** Refuses `--timeout` without `--wait`. @throws ZwarmError `usage` */
export function requireWaiting({ wait, timeoutMs }: WaitOptions): void {
  if (wait || timeoutMs === undefined) return;
  throw usageError('--timeout needs --wait', 'add --wait, or leave --timeout out');
}
