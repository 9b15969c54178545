import { renderJsonAsRead } from '../../render/json.ts';
import { noteSeen } from '../await-answer.ts';
import { ID, TURN } from '../common-options.ts';
import { defineVerb, flag } from '../define-verb.ts';
import { printAsRead, showPage } from '../terminal/pager.ts';

/** `zwarm show` */
export const show = defineVerb({
  name: 'show',
  summary: 'show how a session stands, and what was said',
  args: { ref: ID },
  options: {
    turn: TURN,
    full: flag('--full', 'whole commands, outputs and tool calls, and the reasoning of the agent'),
    time: flag('--time', 'absolute times instead of ages'),
    json: flag('--json', 'print it as JSON; with --full also what the agent did between its messages'),
    pager: flag('--no-pager', 'print a long page without stopping'),
  },
  notes: `
On a terminal, a page that is longer than the screen is shown with ZWARM_PAGER, PAGER or less.`,
  examples: [
    'zwarm show @last',
    ['zwarm show fix-login --turn 2 --full', 'whole outputs, and the reasoning'],
    ['zwarm answer fix-login', 'what it answered, and nothing else'],
  ],
  async run(verb, { ref }, { turn, full, time, json, pager }) {
    const session = await verb.manager.read(ref, { turn, countsLeft: true });
    const { context } = verb;
    if (json) {
      const { messagesOf, withoutMessages } = await import('../../core/conversation/session-reader.ts');
      const rest = () => withoutMessages(session);
      await printAsRead(context.stdout, renderJsonAsRead('messages', messagesOf(session, full), rest));
    } else {
      const { renderSession } = await import('../../render/session.ts');
      const style = await verb.pageStyle();
      const page = () => renderSession(session, style, { full, time });
      await showPage(context, page, pager);
      const { id, agent } = session.summary;
      if (full && context.stdout.isTTY && (await verb.manager.canOpen(session.summary)))
        verb.hint(`to go on in ${agent} itself: zwarm open ${id}`);
    }
    await noteSeen(verb, session.summary.id, turn ?? session.summary.turn);
  },
});
