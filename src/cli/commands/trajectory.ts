import { FULL_STEPS, ID, TURN, TURN_TIMES } from '../common-options.ts';
import { defineVerb, flag } from '../define-verb.ts';
import { showPage } from '../terminal/pager.ts';

/** Where no terminal sets a width, a line is as long as the texts of a list. */
const PIPED_WIDTH = 500;

/** `zwarm trajectory` */
export const trajectory = defineVerb({
  name: 'trajectory',
  summary: 'list what an agent did, a line for each step',
  args: { ref: ID },
  options: {
    turn: TURN,
    time: TURN_TIMES,
    full: FULL_STEPS,
    json: flag('--json', 'print an array of steps as JSON'),
    pager: flag('--no-pager', 'print a long page without stopping'),
  },
  notes: `
These are the steps that zwarm logs prints, in the same words, without their outputs and with numbers. The numbers run
through all turns. A step that did not end well has its status or exit code at its end. One that changed while others went
on, such as a plan, is listed each time. On a terminal, a page that is longer than the screen is shown with ZWARM_PAGER,
PAGER or less.`,
  examples: [
    'zwarm trajectory @last',
    ['zwarm trajectory @last --turn 2 --full', 'with outputs'],
    `zwarm trajectory @last --json | jq -r '.[] | [.type, .status] | @tsv'`,
  ],
  async run(verb, { ref }, { turn, time, full, json, pager }) {
    const { manager } = verb;
    if (json) return verb.printJson(await manager.steps(ref, { turn }));
    const asked = await manager.read(ref, { turn });
    // The steps of all turns before it count.
    const session = turn === undefined ? asked : await manager.read(ref);
    const { renderTrajectory } = await import('../../render/trajectory.ts');
    const style = await verb.pageStyle();
    const { context } = verb;
    const fitted = context.stdout.isTTY || full ? style : { ...style, width: PIPED_WIDTH };
    const page = () => renderTrajectory(session, fitted, { turn, full, time });
    await showPage(context, page, pager);
  },
});
