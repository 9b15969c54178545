import { EXIT_CODES } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isFinal, type TurnStatus } from '../../core/status.ts';
import { errorLines } from '../../render/error-lines.ts';
import { limitWaiting, noteSeen } from '../await-answer.ts';
import { IDS, QUIET_IDS } from '../common-options.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { firstExitCode, forEachRef, reportOutcomes } from '../each.ts';
import { showLiveLine } from '../live-line.ts';
import { duration } from '../parsers.ts';

/** The exit code where every argument was a session; `givenUp` where the wait did not come to its end. */
function exitCodeOf(statuses: readonly TurnStatus[], any: boolean, givenUp: number): number {
  const ended = statuses.filter(isFinal);
  if (any ? ended.length === 0 : ended.length < statuses.length) return givenUp;
  return ended.every((status) => status === 'completed') ? 0 : EXIT_CODES.failed;
}

/** `zwarm wait` */
export const wait = defineVerb({
  name: 'wait',
  summary: 'wait until sessions are at rest',
  args: { refs: IDS },
  options: {
    any: flag('--any', 'until one of them is'),
    timeoutMs: value('--timeout <time>', 'stop waiting after 45s, 10m, 2h (exit code 124)', duration),
    quiet: QUIET_IDS,
    json: flag('--json', 'print an array of sessions as JSON, in the order of the arguments'),
  },
  notes: `
Prints "id status" as each of them ends. Exit code: 0 all completed, 1 one did not, 124 the time was up.`,
  examples: [
    'zwarm wait @last && zwarm show @last',
    'zwarm wait --any --timeout 10m ab3 cd4',
    'zwarm wait $(zwarm ls -q --status running)',
  ],
  async run(verb, { refs }, { any, timeoutMs, quiet, json }) {
    const { manager } = verb;
    const { signal, enough, code } = limitWaiting(verb, timeoutMs);
    let satisfied = false;
    const waiting = new Set<SessionId>();
    const live = showLiveLine(verb, () => [...waiting]);
    const outcomes = await forEachRef(refs, async (ref) => {
      const id = manager.resolve(ref);
      waiting.add(id);
      const status = await manager.wait(id, signal).finally(() => waiting.delete(id));
      const ended = isFinal(status);
      const isReported = ended && (json || !satisfied);
      if (isReported && !json) {
        live.clear();
        verb.print(quiet ? id : `${id} ${status}`);
      }
      // Without the conversation, which may be large.
      const row = ended && !json ? await manager.summary(id) : null;
      if (row?.error) verb.hint(errorLines(row.error).join('\n'));
      if (ended && any) {
        satisfied = true;
        enough();
      }
      const session = json ? (await manager.read(id)).summary : null;
      return { id, status, session, reported: isReported ? ((session ?? row)?.turn ?? null) : null };
    }).finally(() => live.stop());
    const waited = outcomes.flatMap((outcome) => ('value' in outcome ? [outcome.value] : []));
    const left = waited.filter(({ status }) => !isFinal(status)).map(({ id }) => id);
    if (left.length > 0 && !satisfied) {
      verb.warn(`${left.join(', ')} still ${left.length === 1 ? 'runs' : 'run'}`);
    }
    const results = outcomes.map((one) =>
      'value' in one ? { ref: one.ref, value: one.value.session } : one,
    );
    reportOutcomes(verb, results, json);
    const statuses = waited.map(({ status }) => status);
    verb.exit(firstExitCode(outcomes) || exitCodeOf(statuses, any, code()));
    for (const { id, reported } of waited) await noteSeen(verb, id, reported);
  },
});
