import { type ErrorCode, toZwarmError, type ZwarmError } from '../core/errors.ts';

/** What a model can do about an error, in the words of the tools: the hints of the command line are for people. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  busy: 'its agent still works: check_session with wait_sec waits for it',
  lost_race: 'somebody else spoke to it first: check_session(session_id=…)',
  not_resumable: 'this conversation cannot go on: delegate a new session',
  name_taken: 'choose another name, or converse with the session that has it',
  still_running: 'try end_session again; if it stays, tell the user',
  directory_changed: 'its directory is not what it was: tell the user',
  unknown_liveness: 'it may run on another machine: tell the user',
  damaged: 'its records are damaged: tell the user',
  agent_not_found: 'the program of that agent is not installed: tell the user',
  agent_not_executable: 'the program of that agent cannot be run: tell the user',
  program_unsafe: 'tell the user',
  project_replaced: 'tell the user',
  state_reachable: 'tell the user',
  state_dir_unsafe: 'tell the user',
  format_newer: 'tell the user to update zwarm',
  config: 'tell the user: zwarm config list shows what is wrong',
  io: 'tell the user',
  interrupted: 'call it again, if it is still wanted',
};

/** Errors whose own hints speak of what is allowed, or of what was given. */
const OWN_HINTS: readonly ErrorCode[] = ['not_allowed', 'over_quota', 'ambiguous'];

const CLOSEST = 3;

/** How many characters two ids share at their beginnings. */
function shared(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i += 1;
  return i;
}

/** The ids that somebody may have meant, the nearest first. */
function nearest(id: string, known: readonly string[]): readonly string[] {
  return [...known].sort((a, b) => shared(b, id) - shared(a, id)).slice(0, CLOSEST);
}

/** A call that was refused or has failed, as an answer. */
export interface Refusal {
  readonly success: false;
  readonly error: string;
  readonly hint: string;
}

/**
 * An error as the answer to a model.
 * @param asked the ids that the call named
 * @param known the ids of all sessions, asked for where an id names none
 */
export async function refusalOf(
  thrown: unknown,
  asked: readonly string[],
  known: () => Promise<readonly string[]>,
): Promise<Refusal> {
  const error: ZwarmError = toZwarmError(thrown);
  return { success: false, error: error.message, hint: await hintOf(error, asked, known) };
}

/** Whether an error says that an id names nothing. */
function isAboutId({ code, message }: ZwarmError): boolean {
  return code === 'not_found' || (code === 'usage' && /is no session id|the id is empty/.test(message));
}

async function hintOf(
  error: ZwarmError,
  asked: readonly string[],
  known: () => Promise<readonly string[]>,
): Promise<string> {
  if (isAboutId(error)) {
    const ids = nearest(asked.find((id) => error.message.includes(id)) ?? asked[0] ?? '', await known());
    return ids.length === 0
      ? 'there are no sessions yet: delegate'
      : `the closest ids: ${ids.join(', ')}; list_sessions() has all`;
  }
  const own = OWN_HINTS.includes(error.code) || !isForPeople(error.hint ?? '') ? error.hint : null;
  return HINTS[error.code] ?? own ?? 'look at the arguments of this call';
}

/** Whether a hint says what to type on a command line. */
function isForPeople(hint: string): boolean {
  return /\bzwarm \w|(^|\s)-{1,2}\w/.test(hint);
}
