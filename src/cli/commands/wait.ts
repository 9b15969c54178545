import type { Command } from 'commander';
import { EXIT_CODES } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { LongDetail } from '../../core/session.ts';
import { isFinal, type TurnStatus } from '../../core/status.ts';
import { parseDuration } from '../../core/time.ts';
import { limitWaiting, sessionObject } from '../await-answer.ts';
import type { Verb } from '../context.ts';
import { failedObject, firstExitCode, forEachRef, type Outcome } from '../each.ts';
import { showLiveLine } from '../live-line.ts';
import { noteSeen } from '../note-seen.ts';
import { reportErrors } from '../report-errors.ts';

interface Options {
  readonly any?: boolean;
  readonly timeout?: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Prints "id status" as each of them ends. Exit code: 0 all completed, 1 one did not, 124 the time was up.

Examples:
  $ zwarm wait @last && zwarm show @last
  $ zwarm wait --any --timeout 10m ab3 cd4
  $ zwarm wait $(zwarm ls -q --status running)`;

/** How a waiting ended: the status that it saw, whatever the session may be at by now. */
interface Waited {
  readonly id: SessionId;
  readonly status: TurnStatus;
  /** The turn of whose end was told, or null. */
  readonly told: number | null;
  /** With --json. */
  readonly session: LongDetail | null;
}

function exitCodeOf(outcomes: readonly Outcome<Waited>[], any: boolean, givenUp: number): number {
  const failed = firstExitCode(outcomes);
  if (failed !== 0) return failed;
  const statuses = outcomes.flatMap((outcome) => ('value' in outcome ? [outcome.value.status] : []));
  const ended = statuses.filter(isFinal);
  if (any ? ended.length === 0 : ended.length < statuses.length) return givenUp;
  return ended.every((status) => status === 'completed') ? 0 : EXIT_CODES.failed;
}

/** `zwarm wait` */
export function waitCommand(command: Command, verb: Verb): Command {
  return command
    .option('--any', 'until one of them is')
    .option('--timeout <time>', 'stop waiting after 45s, 10m, 2h (exit code 124)')
    .option('-q, --quiet', 'print ids alone')
    .option('--json', 'print an array of sessions as JSON, in the order of the arguments')
    .addHelpText('after', EXAMPLES)
    .action(async (refs: readonly string[], options: Options) => {
      const timeoutMs =
        options.timeout === undefined ? undefined : parseDuration(options.timeout, '--timeout');
      const manager = await verb.manager();
      // Before the wait, so that nobody waits for it afterwards.
      const { errorLines } = await import('../../render/error-lines.ts');
      const { signal, enough, code } = limitWaiting(verb, timeoutMs);
      let satisfied = false;
      const waiting = new Set<SessionId>();
      const live = showLiveLine(verb, manager, () => [...waiting]);
      const outcomes = await forEachRef(refs, async (ref) => {
        const id = manager.resolve(ref);
        waiting.add(id);
        const status = await manager.wait(id, signal).finally(() => waiting.delete(id));
        const told = isFinal(status) && (options.json || !satisfied);
        if (told && !options.json) {
          live.clear();
          verb.context.stdout.write(options.quiet ? `${id}\n` : `${id} ${status}\n`);
        }
        // Without the conversation, which may be large.
        const row = isFinal(status) && !options.json ? await manager.summary(id) : null;
        if (row?.error) verb.hint(errorLines(row.error).join('\n'));
        if (isFinal(status) && options.any) {
          satisfied = true;
          enough();
        }
        const session = options.json ? await manager.detail(id) : null;
        return { id, status, told: told ? ((session ?? row)?.turn ?? null) : null, session };
      }).finally(() => live.stop());
      verb.exit(exitCodeOf(outcomes, options.any ?? false, code()));
      const left = outcomes.flatMap((outcome) =>
        'value' in outcome && !isFinal(outcome.value.status) ? [outcome.value.id] : [],
      );
      if (left.length > 0 && !satisfied) {
        verb.context.stderr.write(`zwarm: ${left.join(', ')} ${left.length === 1 ? 'runs' : 'run'} on\n`);
      }
      if (options.json) {
        verb.printJson(
          outcomes.map((outcome) =>
            'error' in outcome
              ? failedObject(outcome.ref, outcome.error)
              : outcome.value.session && sessionObject(outcome.value.session),
          ),
        );
      } else {
        reportErrors(verb, outcomes);
      }
      for (const outcome of outcomes) {
        if ('value' in outcome) await noteSeen(verb, manager, outcome.value.id, outcome.value.told);
      }
    });
}
