import { IDS_TO_END, QUIET_IDS } from '../common-options.ts';
import { defineVerb, flag } from '../define-verb.ts';
import { forEachRef, reportOutcomes } from '../each.ts';

/** `zwarm rm` */
export const rm = defineVerb({
  name: 'rm',
  summary: 'delete sessions that are not running',
  args: { refs: IDS_TO_END },
  options: {
    force: flag('--force', 'also sessions whose host or container is gone for good (status unknown)'),
    quiet: QUIET_IDS,
    json: flag('--json', 'print an array as JSON, in the order of the arguments'),
  },
  notes: `
Deletes only the records of zwarm; the files that the agent changed stay as they are. Never deletes a running session.`,
  examples: ['zwarm rm @last', 'zwarm rm $(zwarm ls -q --status failed)'],
  async run(verb, { refs }, { force, json }) {
    const { manager } = verb;
    const outcomes = await forEachRef(refs, async (ref) => {
      const id = manager.resolveForEnding(ref);
      const bytes = await manager.remove(id, { force });
      if (!json) verb.print(id);
      return { id, removed: true, bytes };
    });
    reportOutcomes(verb, outcomes, json);
  },
});
