import type { TurnReader } from '../../core/conversation/session-reader.ts';
import { EXIT_CODES, readyError, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isFinal, type TurnStatus } from '../../core/status.ts';
import { isMarkerKind } from '../../core/turn-kinds.ts';
import { errorLines } from '../../render/error-lines.ts';
import { limitWaiting, noteSeen, warnOfStanding } from '../await-answer.ts';
import { IDS_OR_TAGS, TAGS } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import * as each from '../each.ts';
import { duration, oneOf } from '../parsers.ts';
import { answerOf, printAnswer } from '../print-answer.ts';
import { showLiveLine } from '../terminal/live-line.ts';
import { ringAfterLong } from '../terminal/ring.ts';

/** The exit code where every argument was a session; `givenUp` where the wait did not come to its end. */
function exitCodeOf(statuses: readonly TurnStatus[], any: boolean, givenUp: number): number {
  const ended = statuses.filter(isFinal);
  if (any ? ended.length === 0 : ended.length < statuses.length) return givenUp;
  return ended.every((status) => status === 'completed') ? 0 : EXIT_CODES.failed;
}

/** A session, and the newest turn of its conversation that has ended: somebody may have given it another message since. */
async function readEnded({ manager }: Verb, id: SessionId) {
  const { summary, turns } = await manager.read(id);
  const hasEnded = ({ view }: TurnReader) => !isMarkerKind(view.kind) && !view.undone && isFinal(view.status);
  return { summary, ended: turns.findLast(hasEnded) };
}

type Read = each.Outcome<Awaited<ReturnType<typeof readEnded>>>;

/** Prints what came of each session as Markdown. */
async function printPage({ context }: Verb, read: readonly Read[]): Promise<void> {
  const { waitSummary } = await import('../../render/export/wait-summary.ts');
  const parts = read.map((one) => {
    if ('error' in one) return one;
    const { summary, ended } = one.value;
    const answer = ended === undefined ? null : answerOf(ended);
    return { summary, answer, error: ended?.view.error ?? null };
  });
  await context.stdout.send(waitSummary(parts));
}

/** Ends sessions, and says on stderr which. */
async function endAll(verb: Verb, ids: readonly SessionId[]): Promise<void> {
  const ended = await each.forEachRef(ids, async (id) => {
    // Whoever ends a session has seen its end.
    const killed = await verb.manager.kill(id);
    await noteSeen(verb, id, killed.turn);
    verb.warn(`${id} ${each.killedText(killed)}`);
  });
  const failed = ended.filter((outcome) => !each.isOver(outcome));
  each.reportErrors(verb, failed);
}

/** `zwarm wait` */
export const wait = defineVerb({
  name: 'wait',
  summary: 'wait until sessions have ended',
  args: { refs: IDS_OR_TAGS },
  options: {
    any: flag('--any', 'until the first of them has ended', ['fail-fast']),
    failFast: flag('--fail-fast', 'until one ends without completing, or all have ended'),
    killOnExit: flag('--kill-on-exit', 'kill those that have not ended when the wait ends'),
    tags: TAGS,
    timeoutMs: value(
      '--timeout <time>',
      'stop waiting after 45s, 10m, 2h (exit code 124; the agent continues)',
      duration,
    ),
    answer: flag('--answer', 'print what each of them answers', ['quiet', 'json', 'summary']),
    page: value(
      '--summary <format>',
      'md: print a table of them all and what each answers, for the page of a CI job',
      oneOf('format', ['md']),
    ),
    quiet: flag('-q, --quiet', 'print only ids', ['summary']),
    json: flag('--json', 'print an array of sessions as JSON, in the order of the arguments', ['summary']),
  },
  notes: `
Prints "id status" as each of them ends; with --answer its answer, and of several first "id status" on stderr. Exit code: 0
all completed, 1 one did not, 4 one is ready and has no message to wait for (--any and --tag pass over it, unless nothing
else is there), 124 the time of --timeout has passed.

With --kill-on-exit, SIGTERM and SIGHUP end the wait as Ctrl-C does, and messages that still wait are withdrawn.`,
  examples: [
    'zwarm wait @last && zwarm show @last',
    ['zwarm wait --answer @last > answer.md', 'byte for byte'],
    'zwarm wait --any --timeout 10m fix-login docs',
    ['zwarm wait --tag nightly', 'all with this tag'],
    'zwarm wait --tag ci --fail-fast --kill-on-exit --summary md > page.md',
    'zwarm wait $(zwarm ls -q --status running)',
  ],
  async run(
    verb,
    { refs: given },
    { any, failFast, killOnExit, tags, timeoutMs, answer, page, quiet, json },
  ) {
    const { manager } = verb;
    // Before it looks for sessions: a signal that comes meanwhile ends them, too.
    const { signal, enough, code } = limitWaiting(verb, timeoutMs, killOnExit);
    const refs = await each.chosen(verb, given, tags, 'zwarm wait');
    const named = await each.sessionsOf(refs, (ref) => manager.resolve(ref));
    // What is ready is passed over there: the wait is for the others.
    const passesOver = any || tags !== undefined;
    let satisfied = false;
    let failed = false;
    const fail = (): void => {
      failed ||= failFast;
      if (failed) enough();
    };
    if (each.firstExitCode(named) !== 0) fail();
    const waitedFor = each.valuesOf(named);
    const waiting = new Set<SessionId>(waitedFor);
    const live = showLiveLine(verb, () => [...waiting]);
    const ring = ringAfterLong(verb);
    /** Prints how a session ended and why it failed, or what it answered. The turn of which that was told. */
    const tellEnd = async (id: SessionId, status: TurnStatus): Promise<number | null> => {
      if (!answer) {
        live.clear();
        if (page === undefined) verb.print(quiet ? id : `${id} ${status}`);
        else verb.context.stderr.write(`${id} ${status}\n`);
        // Without the conversation, which may be large.
        const { turn, error } = await manager.summary(id);
        if (error !== null) verb.hint(errorLines(error).join('\n'));
        return turn;
      }
      const { ended } = await readEnded(verb, id);
      if (ended === undefined) return null;
      live.clear();
      printAnswer(verb, id, ended, named.length > 1);
      return ended.view.turn;
    };
    const awaitEnd = async (id: SessionId) => {
      const status = await manager.wait(id, signal).finally(() => waiting.delete(id));
      if (status === 'ready') {
        if (passesOver) return null;
        throw readyError(id, 'there is nothing to wait for');
      }
      if (!isFinal(status)) return { id, status, seen: null };
      const isEnough = satisfied;
      satisfied ||= any;
      const seen = isEnough || json ? null : await tellEnd(id, status);
      if (satisfied) enough();
      if (status !== 'completed') fail();
      return { id, status, seen };
    };
    const orFail = (error: unknown): never => {
      fail();
      throw error;
    };
    const ends = each.thenForEach(named, (id) => awaitEnd(id).catch(orFail));
    const outcomes = each.withoutNull(await ends.finally(() => live.stop()));
    if (outcomes.length === 0) {
      const [one, ...more] = waitedFor;
      if (one !== undefined && more.length === 0) throw readyError(one, 'there is nothing to wait for');
      const what = 'none of these sessions has anything to wait for: they are ready';
      throw new ZwarmError('not_running', what, 'give one of them a message: zwarm inject ID "…"');
    }
    const waited = each.valuesOf(outcomes);
    const [one] = waited;
    if (one !== undefined && code() !== EXIT_CODES.interrupted)
      ring(waited.length === 1 ? `${one.id} ${one.status}` : `${waited.length} sessions were waited for`);
    const left = waited.flatMap(({ id, status }) => (isFinal(status) ? [] : [id]));
    if (killOnExit) {
      const statuses = new Map(waited.map(({ id, status }) => [id, status]));
      const isRunning = (id: SessionId): boolean => statuses.get(id) === 'running';
      const all = each.valuesOf(named).filter((id) => !isFinal(statuses.get(id) ?? 'unknown'));
      // First what has not begun, as far as that is known: no end makes room for it.
      const others = all.filter((id) => !isRunning(id));
      await endAll(verb, others);
      await endAll(verb, all.filter(isRunning));
    } else if (left.length > 0 && !satisfied) {
      for (const id of left) await warnOfStanding(verb, id);
    }
    const read =
      json || page !== undefined ? await each.thenForEach(outcomes, ({ id }) => readEnded(verb, id)) : [];
    if (page !== undefined) await printPage(verb, read);
    const results = json ? await each.thenForEach(read, async ({ summary }) => summary) : [];
    each.reportOutcomes(verb, json ? results : outcomes, json);
    const statuses = waited.map(({ status }) => status);
    const givenUp = failed ? EXIT_CODES.failed : code();
    verb.exit(each.firstExitCode(outcomes) || exitCodeOf(statuses, any, givenUp));
    for (const { id, seen } of waited) await noteSeen(verb, id, seen);
    for (const { id, turn } of each.valuesOf(results)) await noteSeen(verb, id, turn);
  },
});
