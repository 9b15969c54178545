import { safeLine } from '../../render/text/safe-text.ts';
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
A name belongs to one session of a project. Where another session has it, the name moves.`,
  examples: ['zwarm name @last fix-login', ['zwarm name fix-login -', 'the session has no name']],
  async run(verb, { ref, name: wanted }, { quiet, json }) {
    const { manager } = verb;
    const { id, takenFrom } = await manager.rename(ref, wanted === '-' ? null : wanted);
    if (json) return verb.printJson(await manager.summary(id));
    verb.print(id);
    if (takenFrom !== null && !quiet) verb.hint(safeLine(`${wanted} was the name of ${takenFrom}`));
  },
});
