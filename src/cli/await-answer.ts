import type { TurnReader } from '../core/conversation/session-reader.ts';
import { EXIT_CODES, toZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { isFinal } from '../core/status.ts';
import type { StartedTurn } from '../manager/launch/launch-turn.ts';
import { errorLines } from '../render/error-lines.ts';
import { safeText } from '../render/safe-text.ts';
import type { WaitOptions } from './common-options.ts';
import type { Verb } from './context.ts';
import { showLiveLine } from './live-line.ts';

/** With a longer time, a timer of Node fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function later(act: () => void, ms: number): void {
  const left = ms - LONGEST_TIMER_MS;
  setTimeout(() => (left > 0 ? later(act, left) : act()), Math.min(ms, LONGEST_TIMER_MS)).unref();
}

/**
 * What ends a waiting before the sessions do: Ctrl-C, `timeoutMs` if it is given, or a call of `enough`. `code` is then
 * the exit code: that of Ctrl-C, or of the timeout.
 */
export function limitWaiting(verb: Verb, timeoutMs: number | undefined) {
  const interrupt = verb.context.onInterrupt();
  const controller = new AbortController();
  const enough = (): void => controller.abort();
  interrupt.addEventListener('abort', enough, { once: true });
  // Nothing holds an AbortSignal.timeout within AbortSignal.any: the garbage collector would take it.
  if (timeoutMs !== undefined) later(enough, timeoutMs);
  const code = (): number => (interrupt.aborted ? EXIT_CODES.interrupted : EXIT_CODES.timeout);
  return { signal: controller.signal, enough, code };
}

function printAnswer(verb: Verb, id: SessionId, { answer, status, error }: TurnReader['view']): void {
  const { stdout, stderr } = verb.context;
  // Raw for programs; on a terminal it must not control that.
  if (answer !== null) stdout.write(stdout.isTTY ? `${safeText(answer)}\n` : answer.replace(/\n?$/, '\n'));
  if (status !== 'completed') {
    verb.warn(`${id} ${status}`);
    stderr.write((error === null ? [] : errorLines(error)).map((line) => `${line}\n`).join(''));
  } else if (answer === null) verb.warn(`${id} completed without an answer; see: zwarm show ${id} --full`);
}

/** Marks the end of a turn as seen, after it was printed. A failure is only reported: the verb has done its work. */
export async function noteSeen(verb: Verb, id: SessionId, turn: number | null): Promise<void> {
  if (turn === null) return;
  const failed = (why: unknown) =>
    verb.warn(`could not record that you have seen ${id}: ${toZwarmError(why).message}`);
  await verb.manager.markSeen(id, turn).catch(failed);
}

/** Waits for the turn that was just started, prints its answer on stdout, and sets the exit code. */
async function reportEnd(verb: Verb, { id, turn }: StartedTurn, { timeoutMs, json }: WaitOptions) {
  const { manager } = verb;
  const { signal, code } = limitWaiting(verb, timeoutMs);
  const live = showLiveLine(verb, () => [id]);
  const status = await manager.wait(id, signal, turn).finally(() => live.stop());
  if (!isFinal(status)) {
    verb.warn(`${id} still runs; wait for it with: zwarm wait ${id}`);
    verb.exit(code());
    if (json) verb.printJson((await manager.read(id)).summary);
    return;
  }
  const { summary, turns } = await manager.read(id, { turn });
  verb.exit(status === 'completed' ? 0 : EXIT_CODES.failed);
  if (json) verb.printJson(summary);
  // Not the session's last message: somebody else may have given it another task by now.
  else for (const { view } of turns) printAnswer(verb, id, view);
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

/** Reports a turn that was just started: its id, or with `--wait` its answer. */
export async function reportStarted(verb: Verb, started: StartedTurn, options: WaitOptions): Promise<void> {
  const { id, turn, why } = started;
  if (why !== null) verb.hint(`${id} continues in a new thread with a transcript, as ${why}`);
  if (options.wait) return reportEnd(verb, started, options);
  const hint = `${turn === 1 ? '' : `turn ${turn} `}started; see: zwarm show ${id}`;
  return reportSession(verb, { id, hint }, options);
}
