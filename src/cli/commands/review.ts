import { shellWord } from '../../core/shell-word.ts';
import { reportStarted } from '../await-answer.ts';
import { ID, requireWaiting, WAIT_OPTIONS } from '../common-options.ts';
import { argument, defineVerb, flag, value } from '../define-verb.ts';
import { text } from '../parsers.ts';
import { turnOrLast } from './diff.ts';

const HEAD = `# Write a comment on a line below it, on lines that begin with "> ".
# You may delete parts of the patch. The comments become the next message.
`;

/** `zwarm review` */
export const review = defineVerb({
  name: 'review',
  summary: 'comment on what a session changed, as its next message',
  args: { ref: ID, paths: argument('[path...]', 'only these files', text('file')) },
  options: {
    turn: value('--turn <number>', 'only what this turn changed; last for the newest', turnOrLast),
    sinceSeen: flag('--since-seen', 'only the turns that have ended since you last looked', ['turn']),
    file: value('-F, --file <file>', 'read the patch with the comments from a file', text('file')),
    ...WAIT_OPTIONS,
  },
  notes: `
The patch opens in your editor (ZWARM_EDITOR, VISUAL or EDITOR). Write comments below a line of it, on lines that begin with
"> ". All comments become one message, each with path, line and the line itself. Without a comment nothing is sent. You may
delete parts of the patch; any other edit of it is refused.`,
  examples: [
    'zwarm review @last',
    ['zwarm review fix-login --turn last --wait', 'what the newest turn changed; print the answer'],
    ['zwarm review fix-login -F fix.diff', 'comments in the output of: zwarm diff fix-login'],
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
    const { messageOf, commentsIn } = await import('../../core/rules/review.ts');
    const content = HEAD + safeText((await found.patch({ binary: false })).toString());
    const read = (edited: string): string => {
      const comments = commentsIn(edited, content);
      return comments.length === 0 ? '' : messageOf(comments);
    };
    const use = async (message: string): Promise<void> => {
      if (message === '') return verb.hint('no comments: nothing was sent');
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
