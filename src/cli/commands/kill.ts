import { usageError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { SessionManager } from '../../manager/session-manager.ts';
import { IDS_TO_END, QUIET_IDS } from '../common-options.ts';
import { argument, defineVerb, flag, value } from '../define-verb.ts';
import { forEachRef, type Outcome, reportOutcomes } from '../each.ts';
import { duration } from '../parsers.ts';

/** A session as it is now; of a damaged one, its row in a list. */
async function sessionNow(manager: SessionManager, id: SessionId): Promise<object> {
  const row = await manager.summary(id);
  return row.status === 'damaged' ? row : (await manager.read(id)).summary;
}

/** A session that ended or was deleted meanwhile counts as a failure only if it was named. */
function isOver(outcome: Outcome<object>): boolean {
  return 'error' in outcome && ['not_running', 'not_found'].includes(outcome.error.code);
}

/** Ends sessions, each before what it has started, directly or not, so that it cannot start more. */
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
    // One that could not be ended may start more at any time.
    const isLeft = root === undefined || ('error' in outcome && !isOver(outcome));
    const found: Outcome<object>[] = [];
    for await (const round of isLeft ? [] : manager.livingDescendants(root))
      found.push(...(await forEachRef(round, end)));
    below.push(...found.filter((one) => !isOver(one)));
    if (!isOver(outcome) || !found.some((one) => 'value' in one)) kept.push(outcome);
  }
  return [...kept, ...below];
}

/** `zwarm kill` */
export const kill = defineVerb({
  name: 'kill',
  summary: 'stop running sessions',
  aliases: ['stop'],
  args: { refs: argument('[id...]', IDS_TO_END.description) },
  options: {
    all: flag('--all', 'every running session'),
    tree: flag('--tree', 'also everything that they have started, directly or not'),
    force: flag(
      '--force',
      'also sessions whose host or container is gone for good (status unknown); they count as killed',
    ),
    graceMs: value('--grace <time>', 'how long to wait after each signal (default: 5s)', duration),
    quiet: QUIET_IDS,
    json: flag('--json', 'print an array of sessions as JSON, in the order of the arguments'),
  },
  notes: `
Asks the agent and every process that it has started to end, and forces them where they do not. Success means that all of
them were seen to end. The session keeps its answers and can be continued with zwarm inject.`,
  examples: [
    'zwarm kill @last',
    'zwarm kill --grace 30s ab3d cd4e',
    ['zwarm kill --tree ab3d', 'with all that its agent has started, and so on'],
    'zwarm kill --all',
  ],
  async run(verb, { refs }, { all, tree, force, graceMs, quiet, json }) {
    if (all && refs.length > 0) throw usageError('give either ids or --all', 'zwarm kill --all');
    if (!all && refs.length === 0) throw usageError('which session?', 'zwarm kill ID, or zwarm kill --all');
    const { manager } = verb;
    const ids = all ? await manager.listLive() : refs;
    if (ids.length === 0 && !json) verb.hint('nothing is running');
    const end = async (id: SessionId): Promise<object> => {
      await manager.kill(id, { graceMs, force });
      if (json) return sessionNow(manager, id);
      verb.print(quiet ? id : `${id} killed`);
      return {};
    };
    const each =
      tree && !all
        ? await killTrees(manager, ids, end)
        : await forEachRef(ids, async (ref) => end(manager.resolveForEnding(ref)));
    reportOutcomes(verb, all ? each.filter((outcome) => !isOver(outcome)) : each, json);
  },
});
