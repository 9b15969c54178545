import type { TurnReader } from '../core/conversation/session-reader.ts';
import type { SessionId } from '../core/ids.ts';
import { errorLines } from '../render/error-lines.ts';
import { safeText } from '../render/text/safe-text.ts';
import type { Verb } from './context.ts';

/** The answer of a turn, whole. One far above the end of a long stream is looked for in all of it. */
export function answerOf({ view, whole }: TurnReader): string | null {
  return view.answer ?? whole().answer;
}

/**
 * Prints the answer of a turn that has ended: raw on stdout, and on stderr how it ended, if it did not complete. One of
 * several is `named`: a line before it says on stderr whose it is.
 */
export function printAnswer(verb: Verb, id: SessionId, turn: TurnReader, named = false): void {
  const { stdout, stderr } = verb.context;
  const { status, error } = turn.view;
  const answer = answerOf(turn);
  if (named) stderr.write(`${id} ${status}\n`);
  // Raw for programs; on a terminal it must not control that.
  if (answer !== null) stdout.write((stdout.isTTY ? safeText(answer) : answer).replace(/\n?$/, '\n'));
  if (status === 'completed') {
    if (answer === null) verb.warn(`${id} completed without an answer; see: zwarm show ${id} --full`);
    return;
  }
  if (!named) verb.warn(`${id} ${status}`);
  stderr.write((error === null ? [] : errorLines(error)).map((line) => `${line}\n`).join(''));
}
