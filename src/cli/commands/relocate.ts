import { resolve } from 'node:path';
import { unrepairedTree } from '../../core/unrepaired-tree.ts';
import { safeLine } from '../../render/text/safe-text.ts';
import { counted } from '../../render/text/units.ts';
import { confirm } from '../ask-first.ts';
import { YES } from '../common-options.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { directory } from '../parsers.ts';

/** `zwarm relocate` */
export const relocate = defineVerb({
  name: 'relocate',
  summary: 'keep the sessions of a project that was moved',
  options: {
    to: value('--to <dir>', 'give the sessions that are kept for this place to DIR', directory),
    yes: YES,
    json: flag('--json', 'print {from, to, sessions, dropped, kept, unrepaired} as JSON'),
  },
  notes: `
zwarm knows a project by its path and by the directory itself. Where that is sure, a project that was moved has its sessions at
once, and the next start keeps them for the new place. Where it is not, this asks; run it in the new place, or name the old
one, also if nothing is there any more. Where both have sessions, those of the old place come to the others, and a name that is
taken is dropped. git connects their worktrees with the repository again. Refused while a session of the project runs.`,
  examples: [
    'mv shop store && cd store && zwarm relocate',
    ['zwarm --project ~/shop relocate --to ~/store', 'where the old place is gone, or holds a new clone'],
  ],
  async run(verb, _args, { to, yes, json }) {
    const { manager } = verb;
    // From where the user is, whatever the project.
    const plan = await manager.planRelocation(to === undefined ? null : resolve(verb.context.cwd, to));
    const sessions = counted(plan.sessions, 'session');
    const others = plan.merges ? ', which has sessions of its own' : '';
    const question =
      plan.from === plan.to
        ? `Give ${sessions} of the directory that was at ${safeLine(plan.from)} to the one that is there?`
        : `Give ${sessions} of ${safeLine(plan.from)} to ${safeLine(plan.to)}${others}?`;
    if (!(await confirm(verb, question, yes))) return;
    const { dropped, kept, unrepaired } = await manager.relocate(plan);
    for (const { id, name } of dropped)
      verb.warn(`${id} has lost its name ${name}, which another session has there`);
    for (const path of unrepaired) verb.warn(unrepairedTree(path));
    for (const id of kept) verb.warn(`${id} stays, as there is another session with this id`);
    const moved = plan.sessions - kept.length;
    const { from, to: place } = plan;
    if (json) return verb.printJson({ from, to: place, sessions: moved, dropped, kept, unrepaired });
    verb.print(safeLine(plan.to));
    verb.hint(`${counted(moved, 'session')} of ${safeLine(plan.from)} now belong to it`);
  },
});
