import { safeLine } from '../../render/text/safe-text.ts';
import { ID } from '../common-options.ts';
import { defineVerb, flag } from '../define-verb.ts';

/** `zwarm apply` */
export const apply = defineVerb({
  name: 'apply',
  summary: 'bring what a session changed in its own tree here, uncommitted',
  args: { ref: ID },
  options: {
    dryRun: flag('--dry-run', 'only show what would be changed'),
    json: flag('--json', 'print what was changed as JSON'),
  },
  notes: `
For sessions with a tree of their own (zwarm start -W). Their files as they are now, committed or not, are merged with yours
in the checkout where you are. Your index and your commits stay as they are. Where both sides changed the same lines, or a
file is in the way that git ignores, these files are named, and nothing has moved (exit code 4). Submodules stay as they are.`,
  examples: [
    'zwarm apply parser',
    ['zwarm apply parser --dry-run', 'what would change'],
    ['zwarm diff parser --patch | git apply -R', 'take it out again'],
  ],
  async run(verb, { ref }, { dryRun, json }) {
    const applied = await verb.manager.apply(ref, { dryRun });
    if (json) return verb.printJson(applied);
    const { id, into, left_out: left, changed_files: files } = applied;
    const { stdout } = verb.context;
    const { renderStat, renderStatRow } = await import('../../render/changes.ts');
    if (left.length > 0) verb.warn(`not kept, and left in its tree: ${left.map(safeLine).join(', ')}`);
    if (files.length === 0) return verb.hint(`nothing to apply: ${safeLine(into)} has all of ${id}`);
    if (stdout.isTTY) await stdout.send(renderStat(applied, await verb.style('stdout')));
    else await stdout.send(files.map((file) => `${renderStatRow(file)}\n`).join(''));
    if (dryRun) verb.hint('nothing was changed; without --dry-run it is');
  },
});
