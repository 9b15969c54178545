import type { z } from 'zod';
import { ZwarmError } from '../core/errors.ts';
import { cutText, type SessionDetail, type TurnView } from '../core/session.ts';
import { isFinal } from '../core/status.ts';
import type { turnFields } from './fields.ts';

/** Hosts limit what they show a model of one answer: a response is cut here, some 10,000 tokens. */
export const LONGEST_RESPONSE = 40_000;

/** What to do next about a turn. */
function adviceOf(id: string, { turn, status, answer, error, log_file }: TurnView, waitSec: number): string {
  const look = `get_trajectory(session_id="${id}", turn=${turn}) shows what it did`;
  if (status === 'unknown') return 'it runs on another machine; only there can its status be determined';
  if (!isFinal(status)) {
    return `it is still running: check_session(session_id="${id}", wait_sec=${waitSec}) waits for its answer; do not start it again`;
  }
  if (status === 'completed') {
    if (answer === null) return `it ended without an answer; ${look}`;
    if (answer.length > LONGEST_RESPONSE) return `the response was cut; all of it is in ${log_file}`;
    return `converse(session_id="${id}", message=…) continues it; ${look}`;
  }
  const forUser = error?.hint == null ? '' : `the user can do something about it (${error.hint}); `;
  if (error?.retryable) return `${forUser}a retry may succeed: converse(session_id="${id}", message=…)`;
  return `${forUser}${look}; converse continues where it stopped`;
}

/** A turn of a session, in the fields that the tools share. */
export type TurnAnswer = z.infer<z.ZodObject<typeof turnFields>>;

/** Milliseconds as seconds, to a tenth. */
function secondsOf(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms / 100) / 10;
}

/** Why a turn that has ended did not complete. */
function failureOf({ status, error, warnings }: TurnView): string {
  return error?.message ?? [`the turn is ${status}`, ...warnings].join('; ');
}

/**
 * The status of a turn, its answer once it has ended, and what to do next.
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
