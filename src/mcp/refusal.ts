import { type ErrorCode, toZwarmError, type ZwarmError } from '../core/errors.ts';
import type { SessionManager } from '../manager/session-manager.ts';
import { forModel } from './for-model.ts';

/** What a model can do about an error, in the words of the tools: the hints of the command line are for people. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  busy: 'its agent is still working: wait_sessions waits for it; converse(interrupt=true, …) stops it first',
  in_use:
    'the user speaks to its agent directly: wait_sessions waits until they leave, or delegate a new session',
  lost_race: 'somebody else spoke to it first: check_session(session_id=…)',
  not_resumable: 'this conversation cannot continue: delegate a new session',
  name_taken: 'choose another name or key, or converse with the session that has it',
  not_running: 'nothing of it runs: converse gives it a message, delete=true deletes it',
  still_running: 'try end_session again; if it does not end, tell the user',
  interrupted: 'call it again if it is still wanted',
  unknown_liveness: 'it may run on another machine: tell the user',
  format_newer: 'tell the user to update zwarm',
  newer_record:
    'its words can be read, but it cannot go on: tell the user to update zwarm, or delegate a new session',
  no_tree: 'only a session that was delegated with worktree=true has a tree to land: tell the user',
  conflict:
    'converse: have its agent change these files so that they fit what the branch has now, or tell the user',
  installation_reachable:
    'what writes nothing can be delegated with sandbox="read-only"; for the rest tell the user what is in reach',
  foreign_directory:
    'tell the user whose directory that is: zwarm must run as its owner, or keep its state elsewhere',
  config: "tell the user: zwarm's configuration cannot be understood",
};

/** Errors whose own hints are for whoever asks: they name what is allowed or what was meant. */
const OWN_HINTS: readonly ErrorCode[] = ['ambiguous', 'not_allowed', 'over_quota', 'usage'];

/** Ids, and the call that lists them all. */
interface KnownIds {
  readonly ids: readonly string[];
  readonly call: string;
}

/** The ids of the caller's own sessions, or of all where it has none. */
export async function knownIds(manager: SessionManager): Promise<KnownIds> {
  const own = await manager.list({ all: true, source: 'mine' });
  const isOwn = own.length > 0;
  const rows = isOwn ? own : await manager.list({ all: true });
  const call = isOwn ? 'list_sessions()' : 'list_sessions(source="all")';
  return { ids: rows.map(({ id }) => id), call };
}

/** The message of an error about a text that cannot be an id. */
const NO_ID = /is not a session id|the id is empty/;

/**
 * The answer to a call that was refused or has failed.
 * @param args of the call
 * @param known lists the ids that may have been meant; called where an id names none
 */
export async function refusalOf(
  thrown: unknown,
  args: object,
  known: () => Promise<KnownIds>,
): Promise<{ success: false; error: string; hint: string }> {
  const error = toZwarmError(thrown);
  const { code, message } = error;
  const hint =
    code === 'not_found' || NO_ID.test(message) ? closestIds(message, args, await known()) : hintOf(error);
  return { success: false, error: message, hint };
}

/** The ids that may have been meant: those whose beginnings agree most with the one that was asked for. */
function closestIds(message: string, args: object, { ids, call }: KnownIds): string {
  if (ids.length === 0) return 'there are no sessions yet: delegate';
  const id = String(
    Object.values(args)
      .flat()
      .find((one) => message.includes(one)) ?? '',
  );
  const closest = [...ids].sort((a, b) => shared(b, id) - shared(a, id)).slice(0, 3);
  return `the closest ids: ${closest.join(', ')}; ${call} has all`;
}

/** How many characters two ids share at their beginnings. */
function shared(a: string, b: string): number {
  const end = [...a].findIndex((character, i) => character !== b[i]);
  return end < 0 ? a.length : end;
}

function hintOf({ code, hint }: ZwarmError): string {
  const known = HINTS[code];
  if (known !== undefined) return known;
  const useful = forModel(hint);
  if (OWN_HINTS.includes(code)) return useful ?? 'check the arguments of this call';
  return useful === null ? 'tell the user' : `tell the user: ${useful}`;
}
