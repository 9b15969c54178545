import { counted } from '../../render/text/units.ts';
import { ID } from '../common-options.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { count } from '../parsers.ts';
import { printAsRead } from '../terminal/pager.ts';

/** `zwarm history` */
export const history = defineVerb({
  name: 'history',
  summary: 'print a conversation for another program',
  args: { ref: ID },
  options: {
    maxMessages: value('--max-messages <number>', 'at most so many messages, the newest', count(0)),
    maxChars: value('--max-chars <number>', 'at most so many characters of text', count(0)),
    full: flag('--full', 'also what the agent did between its messages'),
    md: flag('--md', 'print it as Markdown (the default)', ['json']),
    json: flag('--json', 'print an array of messages as JSON'),
  },
  notes: `
Turns that were rewound are left out, and a summary stands for what zwarm compact replaced. It always begins with a message
of the user, or with that summary; the oldest messages that do not fit are left out, and stderr says so.`,
  examples: [
    'zwarm history fix-login --max-chars 20000 | llm "go on from here"',
    "zwarm history fix-login --json | jq -r '.[-1].content'",
  ],
  async run(verb, { ref }, { maxMessages, maxChars, full, json }) {
    const { messages, leftOut } = await verb.manager.history(ref, { maxMessages, maxChars, full });
    const left = counted(leftOut.messages, 'older message');
    if (messages.length === 0 && leftOut.messages > 0)
      verb.warn(`nothing fits: your newest message with what followed it is more than that`);
    else if (leftOut.messages > 0)
      verb.warn(`${left} left out${leftOut.summary ? ', with the summary of what was before' : ''}`);
    if (json) return verb.printJson(messages);
    const { stdout } = verb.context;
    const { messagePages } = await import('../../render/export/markdown.ts');
    const { safeText } = await import('../../render/text/safe-text.ts');
    const pages = messagePages(messages);
    // Raw for programs; on a terminal it must not control that.
    await printAsRead(stdout, stdout.isTTY ? pages.map(safeText) : pages);
  },
});
