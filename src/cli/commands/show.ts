import { messagesOf, withoutMessages } from '../../core/conversation/session-reader.ts';
import { renderJsonAsRead } from '../../render/json.ts';
import { noteSeen } from '../await-answer.ts';
import { ID, TURN } from '../common-options.ts';
import { defineVerb, flag } from '../define-verb.ts';
import { printAsRead, showPage } from '../pager.ts';

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
    const session = await verb.manager.read(ref, { turn });
    const { context } = verb;
    if (json) {
      const rest = () => withoutMessages(session);
      await printAsRead(context.stdout, renderJsonAsRead('messages', messagesOf(session, full), rest));
    } else {
      const { renderSession } = await import('../../render/session.ts');
      const style = await verb.pageStyle();
      const page = () => renderSession(session, style, full);
      await (pager ? showPage(context, page) : printAsRead(context.stdout, page()));
    }
    await noteSeen(verb, session.summary.id, turn ?? session.summary.turn);
  },
});
