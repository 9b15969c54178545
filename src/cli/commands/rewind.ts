import { usageError } from '../../core/errors.ts';
import { shellWord } from '../../core/shell-word.ts';
import { reportSession } from '../await-answer.ts';
import { ID, REPORT_OPTIONS } from '../common-options.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { count } from '../parsers.ts';

/** `zwarm rewind` */
export const rewind = defineVerb({
  name: 'rewind',
  summary: 'go back to an earlier turn of a conversation',
  args: { ref: ID },
  options: {
    to: value('--to <turn>', 'the turn after which to continue; 0 for the beginning', count(0)),
    files: flag('--files', 'also take what the later turns changed out of the files, as undo does'),
    ...REPORT_OPTIONS,
  },
  notes: `
What came after that turn is no longer part of the conversation: the agent will not know of it. Without --files the files
stay as they are, including those that it changed. Turns keep their numbers. A rewind counts as a turn, and another rewind can undo it.`,
  examples: [
    ['zwarm rewind @last --to 2', 'as it was right after turn 2'],
    ['zwarm rewind @last --to 0', 'an empty conversation'],
    'zwarm inject @last "another way: …"',
  ],
  async run(verb, { ref }, { to, files, ...report }) {
    const { manager } = verb;
    if (to === undefined) {
      const { turn } = await manager.summary(await manager.resolve(ref));
      const line = `zwarm rewind ${shellWord(ref)} --to ${Math.max(0, (turn ?? 1) - 1)}`;
      throw usageError('--to is missing', `say after which turn to go on: ${line}`);
    }
    const { id, undone } = await manager.rewind(ref, to, { files });
    const where = to === 0 ? 'the beginning' : `turn ${to}`;
    for (const path of undone?.not_undone ?? [])
      verb.warn(`not undone, as its content was not kept: ${path}`);
    const moved =
      undone === null ? 'files unchanged' : `${undone.files} files reverted (again: zwarm undo ${id} --redo)`;
    const hint = `rewound to ${where}, ${moved}; go on: zwarm inject ${id} "…"`;
    await reportSession(verb, { id, hint }, report);
  },
});
