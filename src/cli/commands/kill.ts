import { usageError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import type { SessionManager } from '../../manager/session-manager.ts';
import { mayDo } from '../ask-first.ts';
import { noteSeen } from '../await-answer.ts';
import { FORCE, IDS_OR_TAGS_TO_END, QUIET_IDS, TAGS, YES } from '../common-options.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import {
  chosen,
  forEachRef,
  isOver,
  killedText,
  type Outcome,
  reportOutcomes,
  sessionsOf,
  thenForEach,
} from '../each.ts';
import { duration } from '../parsers.ts';

/** A session as it is now; of a damaged one, its row in a list. */
async function sessionNow(manager: SessionManager, id: SessionId): Promise<object> {
  const row = await manager.summary(id);
  return row.status === 'damaged' ? row : (await manager.read(id)).summary;
}

/** Ends sessions, each before what it has started, directly or not, so that it cannot start more. */
async function killTrees(
  manager: SessionManager,
  named: readonly Outcome<SessionId>[],
  end: (id: SessionId) => Promise<object>,
): Promise<readonly Outcome<object>[]> {
  const kept: Outcome<object>[] = [];
  const below: Outcome<object>[] = [];
  for (const [at, outcome] of (await thenForEach(named, end)).entries()) {
    const root = named[at];
    // One that could not be ended may start more at any time.
    const isLeft = 'error' in outcome && !isOver(outcome);
    const found: Outcome<object>[] = [];
    if (root !== undefined && 'value' in root && !isLeft)
      for await (const round of manager.livingDescendants(root.value))
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
  args: { refs: IDS_OR_TAGS_TO_END },
  options: {
    all: flag('-a, --all', 'every running session', ['tag']),
    tags: TAGS,
    tree: flag('--tree', 'also everything that they have started, directly or not'),
    force: FORCE,
    graceMs: value('--grace <time>', 'how long to wait after each signal (default: 5s)', duration),
    yes: YES,
    quiet: QUIET_IDS,
    json: flag('--json', 'print an array of sessions as JSON, in the order of the arguments'),
  },
  notes: `
Asks the agent and every process that it has started to end, and forces those that do not. Success means that all of them
were seen to end. The session keeps its answers and can be continued with zwarm inject. With --force, a session that can no
longer be reached counts as killed.

For a session that has ended, it ends the processes that it left running, such as a server; the status stays. --all, --tag
and --tree do not do that.

On a terminal --all and --tag ask first; elsewhere they do not.`,
  examples: [
    'zwarm kill @last',
    'zwarm kill --grace 30s fix-login docs',
    ['zwarm kill --tree @last', 'with all that its agent has started'],
    'zwarm kill --tag nightly',
    'zwarm kill --all',
  ],
  async run(verb, { refs }, { all, tags, tree, force, graceMs, yes, quiet, json }) {
    if (all && refs.length > 0) throw usageError('give either ids or --all', 'zwarm kill --all');
    const { manager } = verb;
    const asked = all ? [] : await chosen(verb, refs, tags, 'zwarm kill');
    const isSearch = all || tags !== undefined;
    const live = isSearch ? (await manager.listLive()).filter((id) => all || asked.includes(id)) : [];
    if (isSearch && live.length === 0 && !json) verb.hint('nothing is running');
    if (!(await mayDo(verb, 'End', live, yes))) return;
    const named = await sessionsOf(isSearch ? live : asked, (ref) => manager.resolveForEnding(ref));
    const end = async (id: SessionId): Promise<object> => {
      // Whoever ends a session has seen its end.
      const killed = await manager.kill(id, { graceMs, force });
      await noteSeen(verb, id, killed.turn);
      if (json) return sessionNow(manager, id);
      verb.print(quiet ? id : `${id} ${killedText(killed)}`);
      return {};
    };
    const each = await (tree && !all ? killTrees(manager, named, end) : thenForEach(named, end));
    // One that ended or was deleted meanwhile is a failure only if it was named.
    reportOutcomes(verb, isSearch ? each.filter((outcome) => !isOver(outcome)) : each, json);
  },
});
