import type { Command } from 'commander';
import { type ErrorCode, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { parseDuration } from '../../core/time.ts';
import type { SessionManager } from '../../manager/session-manager.ts';
import { sessionObject } from '../await-answer.ts';
import type { Verb } from '../context.ts';
import { failedObject, firstExitCode, forEachRef, type Outcome } from '../each.ts';
import { reportErrors } from '../report-errors.ts';

interface Options {
  readonly all?: boolean;
  readonly tree?: boolean;
  readonly force?: boolean;
  readonly grace?: string;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
The agent and every process that it has started are asked to end, then told to, then ended. Success means that their
end was seen. The session stays, with all that it had answered; it can be continued with zwarm inject.

Examples:
  $ zwarm kill @last
  $ zwarm kill --grace 30s ab3d cd4e
  $ zwarm kill --tree ab3d                   with all that its agent has started, and so on
  $ zwarm kill --all`;

async function chosen(verb: Verb, refs: readonly string[], all: boolean): Promise<readonly string[]> {
  if (all && refs.length > 0) throw new ZwarmError('usage', 'give either ids or --all', 'zwarm kill --all');
  if (!all && refs.length === 0) {
    throw new ZwarmError('usage', 'which session?', 'zwarm kill ID, or zwarm kill --all');
  }
  return all ? (await verb.manager()).listLive() : refs;
}

/** A session as it stands now; of a damaged one what its row in a list says. */
async function rowOf(manager: SessionManager, id: SessionId): Promise<object> {
  try {
    return sessionObject(await manager.detail(id));
  } catch (error) {
    const row = (await manager.list({ all: true })).find((one) => one.id === id);
    if (row?.status === 'damaged') return row;
    throw error;
  }
}

/** What ended or went by itself while we were at it has not failed, unless it was named: nothing of it runs. */
const OVER: ReadonlySet<ErrorCode> = new Set(['not_running', 'not_found']);

function isOver(outcome: Outcome<object>): boolean {
  return 'error' in outcome && OVER.has(outcome.error.code);
}

/** Ends what a session has started, directly or not; looks again until nothing of that lives. */
async function killDescendants(
  manager: SessionManager,
  root: SessionId,
  end: (id: SessionId) => Promise<object>,
): Promise<readonly Outcome<object>[]> {
  const tried = new Set<SessionId>();
  const outcomes: Outcome<object>[] = [];
  for (;;) {
    const found = (await manager.livingDescendants(root)).filter((id) => !tried.has(id));
    if (found.length === 0) return outcomes.filter((outcome) => !isOver(outcome));
    for (const id of found) tried.add(id);
    outcomes.push(...(await forEachRef(found, end)));
  }
}

/** Ends sessions, each before what it has started: so it can start no more. */
async function killTrees(
  manager: SessionManager,
  refs: readonly string[],
  end: (id: SessionId) => Promise<object>,
): Promise<readonly Outcome<object>[]> {
  const roots = new Map<string, SessionId>();
  const named = await forEachRef(refs, async (ref) => {
    const id = manager.resolveForEnding(ref);
    roots.set(ref, id);
    return end(id);
  });
  const kept: Outcome<object>[] = [];
  const below: Outcome<object>[] = [];
  for (const outcome of named) {
    const root = roots.get(outcome.ref);
    const over = isOver(outcome);
    // One that could not be ended may start more at any time.
    const found =
      root !== undefined && (over || 'value' in outcome) ? await killDescendants(manager, root, end) : [];
    below.push(...found);
    if (!over || !found.some((one) => 'value' in one)) kept.push(outcome);
  }
  return [...kept, ...below];
}

/** `zwarm kill` */
export function killCommand(command: Command, verb: Verb): Command {
  return command
    .option('--all', 'all that run')
    .option('--tree', 'also what they have started, directly or not')
    .option(
      '--force',
      'also one whose host or container is gone for good (status unknown): it counts as killed',
    )
    .option('--grace <time>', 'how long to wait after each signal (default: 5s)')
    .option('-q, --quiet', 'print ids alone')
    .option('--json', 'print an array of sessions as JSON, in the order of the arguments')
    .addHelpText('after', EXAMPLES)
    .action(async (refs: readonly string[], options: Options) => {
      const graceMs = options.grace === undefined ? undefined : parseDuration(options.grace, '--grace');
      const ids = await chosen(verb, refs, options.all ?? false);
      if (ids.length === 0 && !options.json) verb.hint('nothing is running');
      const manager = await verb.manager();
      const end = async (id: SessionId): Promise<object> => {
        await manager.kill(id, { graceMs, force: options.force });
        if (options.json) return rowOf(manager, id);
        verb.context.stdout.write(options.quiet ? `${id}\n` : `${id} killed\n`);
        return {};
      };
      const each =
        options.tree && !options.all
          ? await killTrees(manager, ids, end)
          : await forEachRef(ids, async (ref) => end(manager.resolveForEnding(ref)));
      const outcomes = options.all ? each.filter((outcome) => !isOver(outcome)) : each;
      verb.exit(firstExitCode(outcomes));
      if (!options.json) return reportErrors(verb, outcomes);
      verb.printJson(
        outcomes.map((outcome) =>
          'error' in outcome ? failedObject(outcome.ref, outcome.error) : outcome.value,
        ),
      );
    });
}
