import { messageOf, remarksIn } from '../../core/rules/review.ts';
import { shellWord } from '../../core/shell-word.ts';
import { reportStarted } from '../await-answer.ts';
import { ID, requireWaiting, WAIT_OPTIONS } from '../common-options.ts';
import { argument, defineVerb, flag, value } from '../define-verb.ts';
import { text } from '../parsers.ts';
import { turnOrLast } from './diff.ts';

const HEAD = `# Write what you have to say of a line below it, on lines that begin with "> ".
# Whole parts of the patch may be taken out. What you wrote becomes the next message.
`;

/** `zwarm review` */
export const review = defineVerb({
  name: 'review',
  summary: 'write remarks on what a session changed, as its next message',
  args: { ref: ID, paths: argument('[path...]', 'only these files', text('file')) },
  options: {
    turn: value('--turn <number>', 'only what this turn changed; last for the newest', turnOrLast),
    sinceSeen: flag('--since-seen', 'only the turns that have ended since you last looked', ['turn']),
    file: value('-F, --file <file>', 'read the patch with the remarks from a file', text('file')),
    ...WAIT_OPTIONS,
  },
  notes: `
The patch opens in your editor (ZWARM_EDITOR, VISUAL or EDITOR). Lines that you write below a line of it, and that begin with
"> ", are a remark on that line. All remarks become one message, each with path, line and the line itself. Without a remark
nothing is sent. Other changes of the patch are refused, but for parts that you take out.`,
  examples: [
    'zwarm review @last',
    ['zwarm review fix-login --turn last --wait', 'what the newest turn changed; print the answer'],
    ['zwarm review fix-login -F fix.diff', 'remarks in the output of: zwarm diff fix-login'],
  ],
  async run(verb, { ref, paths }, { turn, sinceSeen, file, ...report }) {
    requireWaiting(report);
    const { manager, context } = verb;
    const id = await manager.resolve(ref);
    const found = await manager.diff(id, { turn, sinceSeen, paths });
    const { changeNotes } = await import('../../render/changes.ts');
    for (const note of changeNotes(found.changes)) verb.warn(note);
    if (found.changes.changed_files.length === 0) return verb.hint('nothing changed');
    await manager.checkInject(id);
    const { safeText } = await import('../../render/text/safe-text.ts');
    const content = HEAD + safeText((await found.patch({ binary: false })).toString());
    const read = (edited: string): string => {
      const remarks = remarksIn(edited, content);
      return remarks.length === 0 ? '' : messageOf(remarks);
    };
    const use = async (message: string): Promise<void> => {
      if (message === '') return verb.hint('no remarks: nothing was sent');
      await reportStarted(verb, await manager.inject(id, message), report);
    };
    const { readTask, withEdited } = await import('../task-input.ts');
    if (file === undefined && context.stdin.isTTY) {
      const otherwise = 'write it into a file, and name that with -F FILE';
      return withEdited(context, { what: 'review', name: 'REVIEW.diff', content, otherwise, read }, use);
    }
    const line = `zwarm review ${shellWord(ref)} -F FILE`;
    await use(read(await readTask(context, { argument: undefined, file, what: 'message', line })));
  },
});
