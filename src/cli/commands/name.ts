import { ID, REPORT_OPTIONS } from '../common-options.ts';
import { argument, defineVerb } from '../define-verb.ts';
import { text } from '../parsers.ts';

/** `zwarm name` */
export const name = defineVerb({
  name: 'name',
  summary: 'give a session a name, or take it away',
  args: { ref: ID, name: argument('<name>', 'its name from now on; - takes the present one away', text()) },
  options: REPORT_OPTIONS,
  notes: `
A name belongs to one session of a project: one that is taken is refused (exit code 4) until the other session gives it up.`,
  examples: ['zwarm name @last fix-login', ['zwarm name fix-login -', 'the session has no name']],
  async run(verb, { ref, name: wanted }, { json }) {
    const { manager } = verb;
    const { id } = await manager.rename(ref, wanted === '-' ? null : wanted);
    if (json) verb.printJson(await manager.summary(id));
    else verb.print(id);
  },
});
