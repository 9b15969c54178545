import { EXIT_CODES, usageError } from '../../core/errors.ts';
import { shellWord } from '../../core/shell-word.ts';
import type { Removed } from '../../manager/commands/rm.ts';
import { countedProcesses } from '../../render/text/units.ts';
import { mayDo } from '../ask-first.ts';
import { FORCE, IDS_TO_END, QUIET_IDS, YES } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { argument, defineVerb, flag } from '../define-verb.ts';
import { reportOutcomes, sessionsOf, thenForEach, valuesOf } from '../each.ts';
import { text } from '../parsers.ts';

/** Says what became of the worktree of a session that was removed, unless nothing of it is left. */
export function tellTree(
  verb: Verb,
  id: string,
  { worktree, trashed, reasons }: Omit<Removed, 'bytes' | 'left'>,
): void {
  const why = reasons.length === 0 ? '' : ` (${reasons.join('; ')})`;
  if (trashed) verb.warn(`in the trash for seven days${why}; to bring it back: zwarm restore ${id}`);
  if (worktree === null) return;
  const line = `git worktree remove --force ${shellWord(worktree)}`;
  verb.warn(`its worktree stays${why}; when nobody needs it: ${line}`);
}

/** Names what a session that was removed has left running. */
export function tellProcesses(verb: Verb, id: string, left: readonly number[]): void {
  if (left.length === 0) return;
  const what = `${countedProcesses(left.length)} left of ${id}`;
  verb.warn(`${what}, which zwarm no longer knows; to end: kill ${left.join(' ')}`);
}

/** Removes for good what is in the trash, once the user agrees. */
async function emptyTrash(verb: Verb, refs: readonly string[], json: boolean): Promise<void> {
  const { removed, kept } = await verb.manager.emptyTrash(refs);
  if (json) verb.printJson({ removed, kept });
  else for (const id of removed) verb.print(id);
  for (const { id, reason } of kept) verb.warn(`${id} stays in the trash: ${reason}`);
  if (kept.length > 0) verb.exit(EXIT_CODES.failed);
}

/** `zwarm rm` */
export const rm = defineVerb({
  name: 'rm',
  summary: 'delete sessions that are not running',
  args: { refs: argument('[id...]', IDS_TO_END.description, text('ended')) },
  options: {
    force: FORCE,
    now: flag('--now', 'remove for good what is in the trash: these, or without ids all of it', ['force']),
    yes: YES,
    quiet: QUIET_IDS,
    json: flag('--json', 'print an array as JSON, in the order of the arguments; with --now {removed, kept}'),
  },
  notes: `
Deletes the records of a session. Its own tree and the branch made for it are deleted, too, if everything in them also
exists elsewhere. A tree with anything that exists only there goes into the trash for seven days, with the record: zwarm
restore brings it back. A tree that could not be brought back, with an unfinished merge for example, stays. All other files
stay as they are. A running session is never deleted.

On a terminal it asks before it deletes several; elsewhere it does not.`,
  examples: [
    'zwarm rm @last',
    'zwarm rm $(zwarm ls -q --status failed)',
    ['zwarm rm --now', 'empty the trash'],
  ],
  async run(verb, { refs }, { force, now, yes, json }) {
    const { manager } = verb;
    if (now) return emptyTrash(verb, refs, json);
    if (refs.length === 0)
      throw usageError('which session?', 'zwarm rm @last; to empty the trash: zwarm rm --now');
    // Once: what @last means may change while somebody thinks about the question.
    const named = await sessionsOf(refs, (ref) => manager.resolveForEnding(ref));
    const ids = valuesOf(named);
    if (ids.length > 1 && !(await mayDo(verb, 'Delete', ids, yes))) return;
    const outcomes = await thenForEach(named, async (id) => {
      const { bytes, left, ...tree } = await manager.remove(id, { force });
      if (!json) verb.print(id);
      tellTree(verb, id, tree);
      tellProcesses(verb, id, left);
      return { id, removed: true, bytes, worktree: tree.worktree, trashed: tree.trashed, left };
    });
    reportOutcomes(verb, outcomes, json);
  },
});
