import type { TurnReader } from '../core/conversation/session-reader.ts';
import { EXIT_CODES } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { isFinal } from '../core/status.ts';
import type { StartedTurn } from '../manager/launch/launch-turn.ts';
import type { SessionManager } from '../manager/session-manager.ts';
import { safeText } from '../render/safe-text.ts';
import type { Verb } from './context.ts';
import { showLiveLine } from './live-line.ts';
import { noteSeen } from './note-seen.ts';

/** How a verb reports the turn that it has started. */
export interface ReportOptions {
  readonly wait?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** Milliseconds; undefined waits for ever. */
  readonly timeoutMs?: number | undefined;
}

/** What ends a waiting before the sessions do, and the exit code that tells whether it was Ctrl-C or the time. */
export interface WaitingLimit {
  readonly signal: AbortSignal;
  /** Ends the waiting. */
  enough(): void;
  /** The exit code: Ctrl-C, or else the time. */
  code(): number;
}

/** With a longer time, a timer of Node fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function later(act: () => void, ms: number): void {
  const left = ms - LONGEST_TIMER_MS;
  setTimeout(() => (left > 0 ? later(act, left) : act()), Math.min(ms, LONGEST_TIMER_MS)).unref();
}

/** Ends the waiting on Ctrl-C and, if `timeoutMs` is given, after that time. */
export function limitWaiting(verb: Verb, timeoutMs: number | undefined): WaitingLimit {
  const interrupt = verb.context.onInterrupt();
  const controller = new AbortController();
  const enough = (): void => controller.abort();
  interrupt.addEventListener('abort', enough, { once: true });
  // Nothing holds an AbortSignal.timeout within AbortSignal.any: the garbage collector would take it.
  if (timeoutMs !== undefined) later(enough, timeoutMs);
  return {
    signal: controller.signal,
    enough,
    code: () => (interrupt.aborted ? EXIT_CODES.interrupted : EXIT_CODES.timeout),
  };
}

async function printAnswer(verb: Verb, id: SessionId, turn: TurnReader['view']): Promise<void> {
  const { stdout, stderr } = verb.context;
  const { errorLines } = await import('../render/error-lines.ts');
  const { answer, status, error } = turn;
  // Raw for programs; on a terminal it must not control that.
  if (answer !== null)
    stdout.write(stdout.isTTY ? `${safeText(answer)}\n` : answer.endsWith('\n') ? answer : `${answer}\n`);
  if (status === 'completed') {
    if (answer === null)
      stderr.write(`zwarm: ${id} completed without an answer; see: zwarm show ${id} --full\n`);
    return;
  }
  const why = error === null ? [] : errorLines(error);
  stderr.write([`zwarm: ${id} ${status}`, ...why].join('\n') + '\n');
}

/** Waits for the turn that was just started, prints its answer on stdout, and sets the exit code. */
async function reportEnd(
  verb: Verb,
  manager: SessionManager,
  { id, turn }: StartedTurn,
  options: ReportOptions,
): Promise<void> {
  const { signal, code } = limitWaiting(verb, options.timeoutMs);
  const live = showLiveLine(verb, manager, () => [id]);
  const status = await manager.wait(id, signal, turn).finally(() => live.stop());
  if (!isFinal(status)) {
    verb.context.stderr.write(`zwarm: ${id} still runs; wait for it with: zwarm wait ${id}\n`);
    verb.exit(code());
    if (options.json) verb.printJson((await manager.read(id)).summary);
    return;
  }
  const { summary, turns } = await manager.read(id, { turn });
  verb.exit(status === 'completed' ? 0 : EXIT_CODES.failed);
  if (options.json) verb.printJson(summary);
  // Not the session's last message: somebody else may have given it another task by now.
  else for (const { view } of turns) await printAnswer(verb, id, view);
  await noteSeen(verb, manager, id, turn);
}

/** Reports a turn that was just started: its id, or with `--wait` its answer. */
export async function reportStarted(
  verb: Verb,
  manager: SessionManager,
  started: StartedTurn,
  options: ReportOptions,
): Promise<void> {
  const { id, turn, why } = started;
  if (why !== null) verb.hint(`${id} continues in a new thread with a transcript, as ${why}`);
  if (options.wait) {
    await reportEnd(verb, manager, started, options);
  } else if (options.json) {
    verb.printJson((await manager.read(id)).summary);
  } else {
    verb.context.stdout.write(`${id}\n`);
    if (!options.quiet)
      verb.hint(
        turn === 1 ? `started; see: zwarm show ${id}` : `turn ${turn} started; see: zwarm show ${id}`,
      );
  }
}
