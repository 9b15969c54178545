import { usageError } from '../../core/errors.ts';
import { reportSession } from '../await-answer.ts';
import { ID, REPORT_OPTIONS } from '../common-options.ts';
import { defineVerb, value } from '../define-verb.ts';
import { count } from '../parsers.ts';

/** `zwarm rewind` */
export const rewind = defineVerb({
  name: 'rewind',
  summary: 'wind a conversation back to an earlier turn',
  args: { ref: ID },
  options: {
    to: value('--to <turn>', 'the turn after which to continue; 0 for the beginning', count(0)),
    ...REPORT_OPTIONS,
  },
  notes: `
What came after that turn is no longer part of the conversation: the agent will not know of it. Files stay as they are,
including those that it changed. Turns keep their numbers. A rewind counts as a turn, and another rewind can undo it.`,
  examples: [
    ['zwarm rewind ab3 --to 2', 'as it was right after turn 2'],
    ['zwarm rewind ab3 --to 0', 'an empty conversation'],
    'zwarm inject ab3 "another way: …"',
  ],
  async run(verb, { ref }, { to, ...report }) {
    if (to === undefined) throw usageError('--to is missing', 'say where to go on: zwarm rewind ID --to 2');
    const { id } = await verb.manager.rewind(ref, to);
    const where = to === 0 ? 'the beginning' : `turn ${to}`;
    const hint = `rewound to ${where}; files are unchanged; continue with: zwarm inject ${id} "…"`;
    await reportSession(verb, { id, hint }, report);
  },
});
