import { ID, TURN } from '../common-options.ts';
import { defineVerb, flag } from '../define-verb.ts';

/** Where no terminal sets a width, a line is as long as the texts of a list. */
const PIPED_WIDTH = 500;

/** `zwarm trajectory` */
export const trajectory = defineVerb({
  name: 'trajectory',
  summary: 'list what the agent of a session did, step by step',
  args: { ref: ID },
  options: {
    turn: TURN,
    full: flag('--full', 'with everything that belongs to a step, such as the output of a command'),
    json: flag('--json', 'print an array of steps as JSON'),
  },
  notes: `
The numbers run through all turns. A step that did not end well has its status or exit code at its end.`,
  examples: [
    'zwarm trajectory @last',
    ['zwarm trajectory ab3 --turn 2 --full', 'also the content of the steps'],
    `zwarm trajectory ab3 --json | jq -r '.[] | select(.type == "command") | .command'`,
  ],
  async run(verb, { ref }, { turn, full, json }) {
    const { manager } = verb;
    const steps = await manager.steps(ref, { turn });
    if (json) return verb.printJson(steps);
    const { summary, turns } = await manager.read(ref, { turn });
    const { renderSteps, renderSummary } = await import('../../render/trajectory.ts');
    const { stdout } = verb.context;
    const style = await verb.pageStyle();
    const list = { turns: turns.map(({ view }) => view), steps };
    stdout.write(
      full
        ? renderSteps(list, style, summary.working_dir)
        : renderSummary(list, stdout.isTTY ? style : { ...style, width: PIPED_WIDTH }),
    );
  },
});
