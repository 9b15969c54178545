import { usageError } from '../../core/errors.ts';
import type { Undone } from '../../manager/commands/undo.ts';
import { ID } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { defineVerb, flag, value } from '../define-verb.ts';
import { count } from '../parsers.ts';

/** Which turns, in words. */
const turnsOf = ({ turns }: Undone): string =>
  turns.length === 1 ? `turn ${turns[0]}` : `turns ${turns.join(', ')}`;

/** Says which files were moved, and how to go back. */
export async function reportUndone(verb: Verb, undone: Undone, dryRun: boolean): Promise<void> {
  const { id, redone, not_undone: left, changed_files: files } = undone;
  const { stdout } = verb.context;
  const { renderStat, renderStatRow } = await import('../../render/changes.ts');
  if (left.length > 0) verb.warn(`not undone, as their content was not kept: ${left.join(', ')}`);
  if (files.length === 0) return verb.hint(`nothing of ${turnsOf(undone)} is left to be undone`);
  if (stdout.isTTY) await stdout.send(renderStat(undone, await verb.style('stdout')));
  else await stdout.send(files.map((file) => `${renderStatRow(file)}\n`).join(''));
  if (dryRun) return verb.hint('nothing was moved; without --dry-run it is');
  verb.hint(
    redone
      ? `${turnsOf(undone)} done again; to undo: zwarm undo ${id} --turn ${undone.turns.at(-1)}`
      : `${turnsOf(undone)} undone; to go back: zwarm undo ${id} --redo`,
  );
}

/** `zwarm undo` */
export const undo = defineVerb({
  name: 'undo',
  summary: 'revert what a turn changed in the files',
  args: { ref: ID },
  options: {
    turn: value('--turn <number>', 'this turn (default: the newest)', count(1)),
    redo: flag('--redo', 'do again what was undone last'),
    dryRun: flag('--dry-run', 'only show what would be changed'),
    json: flag('--json', 'print what was moved as JSON'),
  },
  notes: `
Later edits stay, made by hand or in later turns: this is a three-way merge with the files as they are now. Where both
changed the same lines, it is refused with the names of the files (exit code 4), and nothing changes. The current files are
saved first. Your index, your commits and the conversation stay as they are; zwarm rewind --files reverts the conversation,
too.`,
  examples: [
    'zwarm undo @last',
    ['zwarm undo fix-login --turn 2 --dry-run', 'what would change'],
    ['zwarm undo fix-login --redo', 'go back'],
  ],
  async run(verb, { ref }, { turn, redo, dryRun, json }) {
    if (redo && turn !== undefined)
      throw usageError('--redo does again what was undone last', 'leave --turn out');
    const undone = await verb.manager.undo(ref, { turn, redo, dryRun });
    if (json) return verb.printJson(undone);
    await reportUndone(verb, undone, dryRun);
  },
});
