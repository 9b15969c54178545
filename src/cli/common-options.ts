import { usageError } from '../core/errors.ts';
import { SANDBOXES } from '../core/session.ts';
import { argument, flag, type Values, value, values } from './define-verb.ts';
import { count, duration, oneOf } from './parsers.ts';

/** The session that a verb is about. */
export const ID = argument('<id>', 'id, name, prefix of an id, or @last');

/** The sessions that a verb is about. */
export const IDS = argument('<id...>', 'ids, names, prefixes of ids, or @last');

/** The sessions that a verb ends or deletes. */
export const IDS_TO_END = argument('<id...>', 'ids, names, prefixes of ids (4 characters or more), or @last');

/** For verbs that print the ids of sessions. */
export const QUIET_IDS = flag('-q, --quiet', 'print only ids');

/** For verbs that print one session. */
export const REPORT_OPTIONS = {
  quiet: flag('-q, --quiet', 'print only the id'),
  json: flag('--json', 'print the session as JSON'),
};

/** For verbs that look at a turn. */
export const TURN = value('--turn <number>', 'only this turn', count(1));

/** For verbs that continue a conversation. */
export const HISTORY_CHARS = value(
  '--history-chars <number>',
  'limit for a replayed transcript, in characters (default: 100000)',
  count(0),
);

/** For verbs that begin a session. */
export const SESSION_OPTIONS = {
  agent: value('-a, --agent <agent>', 'codex or demo (default: codex)'),
  model: value('-m, --model <model>', "the agent's model (default: the agent's own choice)"),
  sandbox: value(
    '-s, --sandbox <mode>',
    `${SANDBOXES.join(', ')} (default: workspace-write)`,
    oneOf('sandbox', SANDBOXES),
  ),
  workingDir: value('-C, --directory <dir>', 'where the agent works (default: here)'),
  name: value('--name <name>', 'a unique name for the session'),
  agentArgs: values('--agent-arg <arg>', "an argument for the agent's own program; repeat for more"),
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
