import { ZwarmError } from '../../core/errors.ts';
import { isFinal } from '../../core/status.ts';
import type { Landed, LandOptions } from '../../manager/commands/land.ts';
import { safeLine } from '../../render/text/safe-text.ts';
import { counted } from '../../render/text/units.ts';
import { limitWaiting, noteSeen, warnOfStanding } from '../await-answer.ts';
import { ID } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { text } from '../parsers.ts';
import { passes } from '../run-check.ts';
import { showLiveLine } from '../terminal/live-line.ts';

/** Says on stderr what was landed, or would be, and what stays. */
function tell(
  verb: Verb,
  { id, onto, commit, files, added, removed, left_out: left }: Landed,
  dryRun: boolean,
) {
  const where = safeLine(onto);
  if (commit === null) verb.hint(`nothing to land: ${where} has all of ${id}`);
  else {
    const counts = `${counted(files, 'file')}, +${added} −${removed}`;
    verb.hint(`${dryRun ? 'would land' : 'landed'} ${id} on ${where}: ${counts}`);
  }
  if (left.length > 0) verb.warn(`too large to land, and left in its tree: ${left.map(safeLine).join(', ')}`);
}

/** Has the agent of a session merge what could not be merged by itself; false where the wait was ended before it had. */
async function hasMerged(verb: Verb, ref: string, conflict: ZwarmError, onto: string | undefined) {
  const { manager } = verb;
  const asked = await manager.askMerge(ref, onto);
  // What is in the way is not in the tree: no agent can merge it.
  if (asked === null) throw conflict;
  const { id, turn, agent } = asked.started;
  verb.warn(`${agent} was asked to merge ${asked.onto} into ${id}: ${asked.files.map(safeLine).join(', ')}`);
  const { signal, code } = limitWaiting(verb, undefined);
  const live = showLiveLine(verb, () => [id]);
  const status = await manager.wait(id, signal, turn).finally(() => live.stop());
  if (!isFinal(status)) {
    await warnOfStanding(verb, id, `; once it has merged: zwarm land ${id}`);
    verb.exit(code());
    return false;
  }
  await noteSeen(verb, id, turn);
  if (status === 'completed') return true;
  const hint = `see: zwarm show ${id}; ask it again: zwarm land ${id} --ask`;
  throw new ZwarmError('failed', `${id} ${status} before it had merged: nothing has landed`, hint);
}

/** Lands; with `ask` its agent is asked on a conflict, and it is tried once more. Null where the wait for that was ended. */
async function landed(verb: Verb, ref: string, options: LandOptions, ask: boolean): Promise<Landed | null> {
  const { manager } = verb;
  try {
    return await manager.land(ref, options);
  } catch (error) {
    if (!(ask && error instanceof ZwarmError && error.code === 'conflict')) throw error;
    return (await hasMerged(verb, ref, error, options.onto)) ? manager.land(ref, options) : null;
  }
}

/** `zwarm land` */
export const land = defineVerb({
  name: 'land',
  summary: 'bring what a session changed in its own tree onto a branch',
  args: { ref: ID },
  options: {
    onto: value('--onto <branch>', 'the branch (default: where its tree came from)', text()),
    squash: flag('--squash', 'as one commit (default)', ['commits', 'rebase']),
    commits: flag('--commits', 'with the commits of its tree, by a merge', ['rebase']),
    rebase: flag('--rebase', 'with the commits of its tree, each on top of the branch'),
    check: value('--check <command>', 'land only if this succeeds on the merged files', text()),
    ask: flag('--ask', 'on a conflict have its agent merge, then try again', ['dry-run', 'rebase']),
    dryRun: flag('--dry-run', 'only show what would be landed'),
    quiet: flag('-q, --quiet', 'print only the commit'),
    json: flag('--json', 'print {id, onto, from, commit, files, added, removed, left_out} as JSON'),
  },
  notes: `
For sessions with a tree of their own (zwarm start -W). All that lies there is landed, committed or not, as your commit: its
message has the task and the answer, and names the session and the agent. Where the branch is checked out, the files there
follow; with changes of your own in the same files nothing happens.

Where both sides changed the same lines, these files are named, and nothing has changed (exit code 4). With --ask the branch is
then merged into the tree, its agent gets a message with the names of these files, and what it has made of them is landed,
unless there is a conflict again. --check runs in a checkout of the merged files that is removed again.`,
  examples: [
    'zwarm land parser',
    ['zwarm land parser --check "npm test"', 'only if the tests pass on the merged files'],
    ['zwarm land parser --ask', 'its agent resolves what conflicts'],
    ['zwarm land parser --onto next --rebase', 'commit by commit, on another branch'],
    ['zwarm land parser --dry-run', 'would it work?'],
  ],
  async run(verb, { ref }, { onto, commits, rebase, check, ask, dryRun, quiet, json }) {
    const way = rebase ? 'rebase' : commits ? 'commits' : 'squash';
    const pass = check === undefined ? check : (directory: string) => passes(verb.context, check, directory);
    const options = { onto, way, dryRun, check: pass } as const;
    const done = await landed(verb, ref, options, ask);
    if (done === null) return;
    if (json) return verb.printJson(done);
    if (done.commit !== null) verb.print(done.commit);
    if (!quiet) tell(verb, done, dryRun);
  },
});
