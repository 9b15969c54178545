import { EXIT_CODES, toZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import type { SessionSummary } from '../core/session.ts';
import { isFinal } from '../core/status.ts';
import type { StartedTurn } from '../manager/launch/launch-turn.ts';
import type { StartedSession } from '../manager/launch/start-once.ts';
import type { WaitOptions } from './common-options.ts';
import type { Verb } from './context.ts';
import { printAnswer } from './print-answer.ts';
import { showLiveLine } from './terminal/live-line.ts';
import { ringAfterLong } from './terminal/ring.ts';

/** With a longer time, a timer of Node fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function later(act: () => void, ms: number): void {
  const left = ms - LONGEST_TIMER_MS;
  setTimeout(() => (left > 0 ? later(act, left) : act()), Math.min(ms, LONGEST_TIMER_MS)).unref();
}

/**
 * What ends a waiting before the sessions do: Ctrl-C, `timeoutMs` if it is given, or a call of `enough`. `code` is then
 * the exit code: that of Ctrl-C, or of the timeout. With `anyEnd` a signal to end counts as Ctrl-C does, with its own code.
 */
export function limitWaiting(verb: Verb, timeoutMs: number | undefined, anyEnd = false) {
  const interrupt = anyEnd ? verb.context.onEnd() : verb.context.onInterrupt();
  const controller = new AbortController();
  const enough = (): void => controller.abort();
  interrupt.addEventListener('abort', enough, { once: true });
  // Nothing holds an AbortSignal.timeout within AbortSignal.any: the garbage collector would take it.
  if (timeoutMs !== undefined) later(enough, timeoutMs);
  const code = (): number => {
    if (!interrupt.aborted) return EXIT_CODES.timeout;
    return typeof interrupt.reason === 'number' ? interrupt.reason : EXIT_CODES.interrupted;
  };
  return { signal: controller.signal, enough, code };
}

/** Marks the end of a turn as seen, after it was printed. A failure is only reported: the verb has done its work. */
export async function noteSeen(verb: Verb, id: SessionId, turn: number | null): Promise<void> {
  if (turn === null) return;
  const failed = (why: unknown) =>
    verb.warn(`could not record that you have seen ${id}: ${toZwarmError(why).message}`);
  await verb.manager.markSeen(id, turn).catch(failed);
}

/** A turn that was just started; of a new session also whether that was there already. */
type Begun = StartedTurn & { readonly started?: boolean };

const jsonOf = ({ started }: Begun, summary: SessionSummary): object =>
  started === undefined ? summary : { ...summary, started };

/** How to report a turn whose message may be repeated: its answer is that of the last repetition. */
export type ReportOptions = WaitOptions & { readonly retries?: number | undefined };

/** Says how a session stands that was waited for in vain: what it does, or until when it waits. */
export async function warnOfStanding(verb: Verb, id: SessionId, more = ''): Promise<void> {
  const { pending } = await verb.manager.summary(id);
  verb.warn(`${id} ${pending === null ? 'still runs' : `waits: ${pending.detail}`}${more}`);
}

/** Waits for the turn that was just started, prints its answer on stdout, and sets the exit code. */
async function reportEnd(verb: Verb, begun: Begun, options: ReportOptions) {
  const { id } = begun;
  const { timeoutMs, json, quiet, retries } = options;
  const { manager } = verb;
  const { signal, code } = limitWaiting(verb, timeoutMs);
  const live = showLiveLine(verb, () => [id]);
  const ring = ringAfterLong(verb);
  const status = await manager
    .wait(id, signal, retries === undefined ? begun.turn : undefined)
    .finally(() => live.stop());
  if (code() !== EXIT_CODES.interrupted) ring(`${id} ${status}`);
  if (!isFinal(status)) {
    await warnOfStanding(verb, id, `; wait for it with: zwarm wait ${id} --answer`);
    verb.exit(code());
    if (json) verb.printJson(jsonOf(begun, (await manager.read(id)).summary));
    else if (quiet) verb.print(id);
    return;
  }
  const last = retries === undefined ? null : (await manager.summary(id)).turn;
  const turn = last ?? begun.turn;
  const { summary, turns } = await manager.read(id, { turn });
  verb.exit(status === 'completed' ? 0 : EXIT_CODES.failed);
  if (json) verb.printJson(jsonOf(begun, summary));
  else if (quiet) verb.print(id);
  // Not the session's last message: somebody else may have given it another task by now.
  else for (const reader of turns) printAnswer(verb, id, reader);
  await noteSeen(verb, id, turn);
}

/** Prints a session that a verb has changed: its id, with a hint for who reads the terminal, or all of it as JSON. */
export async function reportSession(
  verb: Verb,
  { id, hint }: { readonly id: SessionId; readonly hint: string },
  { json, quiet }: Pick<WaitOptions, 'json' | 'quiet'>,
): Promise<void> {
  if (json) return verb.printJson((await verb.manager.read(id)).summary);
  verb.print(id);
  if (!quiet) verb.hint(hint);
}

/** Says what the user should know of a session that was started. */
export function tellNotes(verb: Verb, { notes, warnings }: StartedSession, quiet: boolean): void {
  if (!quiet) for (const note of notes) verb.warn(note);
  for (const warning of warnings) verb.warn(`warning: ${warning}`);
}

/** Reports a turn that was just started: its id, or with `--wait` its answer. */
export async function reportStarted(verb: Verb, begun: Begun, options: ReportOptions): Promise<void> {
  const { id, turn, agent, why, gone, pending, started = true } = begun;
  for (const arg of gone) verb.warn(`warning: the agent gets no ${arg}: it is gone`);
  if (why !== null && !options.quiet)
    verb.hint(`${id} continues in a new thread with a transcript, as\n${why}`);
  if (options.wait) return reportEnd(verb, begun, options);
  if (options.json) return verb.printJson(jsonOf(begun, (await verb.manager.read(id)).summary));
  const what = turn === 1 ? agent : `turn ${turn}`;
  const isBegun = started ? `${what} started; ` : '';
  const hint =
    pending === null
      ? `${isBegun}see: zwarm show ${id}`
      : `${what} waits: ${pending.detail}; see: zwarm queue`;
  return reportSession(verb, { id, hint }, options);
}
