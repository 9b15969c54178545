import { safeLine } from '../../render/text/safe-text.ts';
import { counted } from '../../render/text/units.ts';
import { confirm } from '../ask-first.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { directory } from '../parsers.ts';

/** `zwarm relocate` */
export const relocate = defineVerb({
  name: 'relocate',
  summary: 'keep the sessions of a project that was moved',
  options: {
    to: value('--to <dir>', 'give the sessions that are kept for this place to DIR', directory),
    yes: flag('-y, --yes', 'do not ask'),
    json: flag('--json', 'print {from, to, sessions} as JSON'),
  },
  notes: `
zwarm knows a project by its path and by the directory itself. Run it in the new place. Where another directory has taken
the old place, run it there with --to. Refused while a session of the project runs.`,
  examples: [
    'mv shop store && cd store && zwarm relocate',
    ['zwarm relocate --to ../store', 'where the old place holds a new clone'],
  ],
  async run(verb, _args, { to, yes, json }) {
    const { manager } = verb;
    const plan = await manager.planRelocation(to ?? null);
    const sessions = counted(plan.sessions, 'session');
    const question = `Give ${sessions} of ${safeLine(plan.from)} to ${safeLine(plan.to)}?`;
    if (!(await confirm(verb, question, yes))) return;
    await manager.relocate(plan);
    if (json) return verb.printJson({ from: plan.from, to: plan.to, sessions: plan.sessions });
    verb.print(safeLine(plan.to));
    verb.hint(`${sessions} of ${safeLine(plan.from)} now belong to it`);
  },
});
