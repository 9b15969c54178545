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

/** Errors whose own hints name what is allowed or what was meant. */
const OWN_HINTS: readonly ErrorCode[] = ['ambiguous', 'not_allowed', 'over_quota'];

/** The message of an error about a text that cannot be an id. */
const NO_ID = /is not a session id|the id is empty/;
/** A hint that says what to type on a command line. */
const FOR_PEOPLE = /\bzwarm \w|(^|\s)-{1,2}\w/;

/**
 * The answer to a call that was refused or has failed.
 * @param args of the call
 * @param known lists the ids of all sessions; called where an id names none
 */
export async function refusalOf(
  thrown: unknown,
  args: object,
  known: () => Promise<readonly string[]>,
): Promise<{ success: false; error: string; hint: string }> {
  const error = toZwarmError(thrown);
  const { code, message } = error;
  const hint =
    code === 'not_found' || NO_ID.test(message) ? closestIds(message, args, await known()) : hintOf(error);
  return { success: false, error: message, hint };
}

/** The ids that may have been meant: those whose beginnings agree most with the one that was asked for. */
function closestIds(message: string, args: object, known: readonly string[]): string {
  if (known.length === 0) return 'there are no sessions yet: delegate';
  const id = String(
    Object.values(args)
      .flat()
      .find((one) => message.includes(one)) ?? '',
  );
  const closest = [...known].sort((a, b) => shared(b, id) - shared(a, id)).slice(0, 3);
  return `the closest ids: ${closest.join(', ')}; list_sessions() has all`;
}

/** How many characters two ids share at their beginnings. */
function shared(a: string, b: string): number {
  const end = [...a].findIndex((character, i) => character !== b[i]);
  return end < 0 ? a.length : end;
}

function hintOf({ code, hint }: ZwarmError): string {
  const hasOwn = OWN_HINTS.includes(code);
  if (!hasOwn && code !== 'usage') return HINTS[code] ?? 'tell the user';
  return hint !== null && (hasOwn || !FOR_PEOPLE.test(hint)) ? hint : 'check the arguments of this call';
}
