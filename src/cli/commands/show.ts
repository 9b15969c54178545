import type { LongDetail } from '../../core/session.ts';
import { renderJsonPieces } from '../../render/json.ts';
import { ID, TURN } from '../common-options.ts';
import { defineVerb, flag } from '../define-verb.ts';
import { noteSeen } from '../note-seen.ts';
import { showPage } from '../pager.ts';
import { printPieces } from '../print-pieces.ts';

/** `zwarm show` */
export const show = defineVerb({
  name: 'show',
  summary: 'show a session: its status, its conversation and what the agent did',
  args: { ref: ID },
  options: {
    turn: TURN,
    full: flag('--full', 'whole commands, outputs and tool calls, and the reasoning of the agent'),
    json: flag('--json', 'print it as JSON; with --full also what the agent did between its messages'),
    pager: flag('--no-pager', 'print a long page without stopping'),
  },
  notes: `
On a terminal, a page that is longer than the screen is shown with ZWARM_PAGER, PAGER or less.`,
  examples: [
    'zwarm show @last',
    ['zwarm show ab3 --turn 2 --full', 'whole outputs, and the reasoning'],
    'zwarm show ab3 --json | jq -r .last_message',
  ],
  async run(verb, { ref }, { turn, full, json, pager }) {
    const manager = await verb.manager();
    const seen = ({ id, turn: newest }: LongDetail): Promise<void> =>
      noteSeen(verb, manager, id, turn ?? newest);
    if (json) {
      const detail = await manager.detail(ref, { turn, full });
      await printPieces(verb.context.stdout, renderJsonPieces(detail));
      return seen(detail);
    }
    const { detail, steps } = await manager.read(ref, { turn });
    const { renderSession } = await import('../../render/session.ts');
    const page = renderSession(detail, steps, await verb.pageStyle(), full);
    if (pager) await showPage(verb.context, page);
    else verb.context.stdout.write(page);
    await seen(detail);
  },
});
