import { ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { cutText, type SessionDetail, type TurnView } from '../core/session.ts';
import { isFinal } from '../core/status.ts';

/** What hosts show to a model of one answer is limited: a response is cut here, some 10,000 tokens. */
export const LONGEST_RESPONSE = 40_000;

/** What to do about a turn that has not completed, or has said nothing. */
function adviceOf(id: string, { turn, status, answer, error, log_file }: TurnView, waitSec: number): string {
  const look = `get_trajectory(session_id="${id}", turn=${turn}) shows what it did`;
  if (status === 'unknown') return 'it runs on another machine, where alone it can be told how it stands';
  if (!isFinal(status)) {
    return `it runs on by itself: check_session(session_id="${id}", wait_sec=${waitSec}) waits for its answer; do not start it again`;
  }
  if (status === 'completed') {
    if (answer === null) return `it ended without an answer; ${look}`;
    if (answer.length > LONGEST_RESPONSE) return `the response was cut; all of it is in ${log_file}`;
    return `converse(session_id="${id}", message=…) goes on; ${look}`;
  }
  const forUser = error?.hint == null ? '' : `the user can do something about it (${error.hint}); `;
  if (error?.retryable)
    return `${forUser}the same may succeed later: converse(session_id="${id}", message=…)`;
  return `${forUser}${look}; converse goes on where it stopped`;
}

/** A session as one turn of it has it. */
export interface TurnAnswer {
  readonly success: boolean;
  readonly error: string | null;
  readonly hint: string;
  readonly session_id: SessionId;
  readonly session: string | null;
  readonly status: TurnView['status'];
  readonly turn: number;
  readonly by: string | null;
  readonly response: string | null;
  readonly tokens: number | null;
  readonly runtime: number | null;
  readonly log_file: string;
}

/** Milliseconds as seconds, to a tenth. */
function secondsOf(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms / 100) / 10;
}

/** Why a turn that has ended did not complete. */
function failureOf({ status, error, warnings }: TurnView): string {
  return error?.message ?? [`the turn is ${status}`, ...warnings].join('; ');
}

/**
 * How a turn of a session stands: its answer once it has ended, and what to do next.
 * @param waitSec how long a call may wait, for the advice
 */
export function turnAnswer(session: SessionDetail, turn: TurnView, waitSec: number): TurnAnswer {
  const { id, name, token_usage: usage, duration_ms: ms } = session;
  const { status, answer } = turn;
  const ended = isFinal(status);
  const failed = ended && status !== 'completed';
  return {
    success: !failed,
    error: failed ? failureOf(turn) : null,
    hint: adviceOf(id, turn, waitSec),
    session_id: id,
    session: name,
    status,
    turn: turn.turn,
    by: turn.by,
    response: ended && answer !== null ? cutText(answer, LONGEST_RESPONSE) : null,
    tokens: usage?.total_tokens ?? null,
    runtime: secondsOf(ms),
    log_file: turn.log_file,
  };
}

/** The turn of that number. @throws ZwarmError `damaged` when it is not there any more */
export function turnOf(session: SessionDetail, turn: number | null): TurnView {
  const found = session.turns.find((one) => one.turn === turn);
  if (found !== undefined) return found;
  throw new ZwarmError('damaged', `turn ${turn} of ${session.id} is missing`);
}
