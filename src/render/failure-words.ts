import type { SessionSummary } from '../core/session.ts';
import { parseIso } from '../core/time.ts';
import { localTime } from './text/units.ts';

type Failed = Pick<SessionSummary, 'error' | 'exit_code' | 'signal' | 'ended_at'>;

/** What codes of a session error mean in a list; null where its status says it. Of any other the message is shown. */
const WORDS: Readonly<Record<string, string | null>> = {
  usage_limit: 'usage limit',
  quota_exceeded: 'quota used up',
  rate_limited: 'rate limit',
  overloaded: 'model overloaded',
  connection: 'network',
  login_required: 'login',
  context_full: 'conversation too long',
  prompt_too_long: 'message too long',
  answer_cut: 'answer cut off',
  model_unavailable: 'no such model',
  thread_gone: 'thread gone',
  thread_busy: 'open elsewhere',
  not_a_repository: 'not a git repository',
  agent_configuration: 'configuration',
  agent_arguments: 'arguments',
  no_result: 'no result',
  no_working_dir: 'directory gone',
  no_agent: 'program gone',
  setup: 'setup failed',
  not_launched: 'not started',
  spawn_error: 'not started',
  elsewhere: 'started elsewhere',
  limit: 'limit',
  lost: null,
  damaged: null,
};

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const DAY_MS = 86_400_000;
/** The time of day, or the day where that is far off. */
function untilWhen(retryAt: string | null, endedAt: string | null): string | null {
  const [ms, saidMs] = [parseIso(retryAt), parseIso(endedAt)];
  if (saidMs === null || ms === null) return null;
  const at = new Date(ms);
  return ms - saidMs < DAY_MS ? localTime(ms).slice(11) : `${MONTHS[at.getMonth()]} ${at.getDate()}`;
}

/** Why a session failed, in a few words for a list (`usage limit until 03:02`, `login`, `exit 1`); null where it did not. */
export function failureWords({ error, exit_code, signal, ended_at }: Failed): string | null {
  if (error === null) return null;
  const { code, message, retry_at } = error;
  if (code === 'exit_code' && exit_code !== null) return `exit ${exit_code}`;
  if (code === 'signal' && signal !== null) return signal;
  const words = Object.hasOwn(WORDS, code) ? (WORDS[code] ?? null) : message;
  const until = untilWhen(retry_at, ended_at);
  return until === null ? words : `${words} until ${until}`;
}
