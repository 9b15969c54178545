import { type ErrorCode, toZwarmError, type ZwarmError } from '../core/errors.ts';

/** What a model can do about an error, in the words of the tools: the hints of the command line are for people. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  busy: 'its agent is still working: check_session with wait_sec waits for it',
  lost_race: 'somebody else spoke to it first: check_session(session_id=…)',
  not_resumable: 'this conversation cannot continue: delegate a new session',
  name_taken: 'choose another name, or converse with the session that has it',
  still_running: 'try end_session again; if it does not end, tell the user',
  interrupted: 'call it again if it is still wanted',
  unknown_liveness: 'it may run on another machine: tell the user',
  format_newer: 'tell the user to update zwarm',
  config: 'tell the user: zwarm config list shows what is wrong',
};

/** Errors about what was asked for, so that the one who asks can do something about them. */
const ABOUT_THE_CALL: readonly ErrorCode[] = ['usage', 'not_found', 'ambiguous', 'not_allowed', 'over_quota'];
/** Those whose own hints name what is allowed or what was meant. */
const OWN_HINTS: readonly ErrorCode[] = ['ambiguous', 'not_allowed', 'over_quota'];

const CLOSEST = 3;

/** A call that was refused or has failed, as an answer. */
export interface Refusal {
  readonly success: false;
  readonly error: string;
  readonly hint: string;
}

/**
 * An error as the answer to a model.
 * @param asked the ids that the call named
 * @param known lists the ids of all sessions; called where an id names none
 */
export async function refusalOf(
  thrown: unknown,
  asked: readonly string[],
  known: () => Promise<readonly string[]>,
): Promise<Refusal> {
  const error = toZwarmError(thrown);
  const hint = isAboutId(error) ? closestIds(error, asked, await known()) : hintOf(error);
  return { success: false, error: error.message, hint };
}

/** Whether an error says that an id names no session. */
function isAboutId({ code, message }: ZwarmError): boolean {
  return code === 'not_found' || (code === 'usage' && /is not a session id|the id is empty/.test(message));
}

/** The ids that may have been meant: those whose beginnings agree most with the one that was asked for. */
function closestIds({ message }: ZwarmError, asked: readonly string[], known: readonly string[]): string {
  if (known.length === 0) return 'there are no sessions yet: delegate';
  const id = asked.find((one) => message.includes(one)) ?? '';
  const closest = [...known].sort((a, b) => shared(b, id) - shared(a, id)).slice(0, CLOSEST);
  return `the closest ids: ${closest.join(', ')}; list_sessions() has all`;
}

/** How many characters two ids share at their beginnings. */
function shared(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

function hintOf({ code, hint }: ZwarmError): string {
  if (HINTS[code] !== undefined) return HINTS[code];
  if (!ABOUT_THE_CALL.includes(code)) return 'tell the user';
  const isUseful = hint !== null && (OWN_HINTS.includes(code) || !isForPeople(hint));
  return isUseful ? hint : 'check the arguments of this call';
}

/** Whether a hint says what to type on a command line. */
function isForPeople(hint: string): boolean {
  return /\bzwarm \w|(^|\s)-{1,2}\w/.test(hint);
}
