import type { Changes } from '../../core/changes.ts';
import { usageError } from '../../core/errors.ts';
import { safeLine } from '../../render/text/safe-text.ts';
import { ID } from '../common-options.ts';
import type { Verb } from '../context.ts';
import { argument, defineVerb, flag, value } from '../define-verb.ts';
import { count, text } from '../parsers.ts';
import { showPage } from '../terminal/pager.ts';

/** A number, or the newest turn. */
export const turnOrLast = (given: string, name: string): number | 'last' =>
  given === 'last' ? 'last' : count(1)(given, name);

/** Another session, where one is named before `--`; and the paths behind that. @throws ZwarmError `usage` */
function readMore({ behindDashes }: Verb, more: readonly string[]) {
  const [other, ...rest] = more.slice(0, more.length - behindDashes.length);
  if (rest.length > 0) throw usageError('diff compares two sessions at most', 'paths go after --');
  return { other, paths: behindDashes };
}

/** The files of some changes: a line each. */
async function printFiles(verb: Verb, changes: Changes, namesOnly: boolean): Promise<void> {
  const { stdout } = verb.context;
  const { renderStat, renderStatRow } = await import('../../render/changes.ts');
  const { changed_files: files } = changes;
  if (namesOnly) return stdout.send(files.map(({ path }) => `${safeLine(path)}\n`).join(''));
  if (!stdout.isTTY) return stdout.send(files.map((file) => `${renderStatRow(file)}\n`).join(''));
  if (files.length > 0) await stdout.send(renderStat(changes, await verb.style('stdout')));
}

/** `zwarm diff` */
export const diff = defineVerb({
  name: 'diff',
  summary: 'show what a session changed in the files',
  args: {
    ref: ID,
    more: argument('[more...]', 'another session to compare with; -- and paths', text('session')),
  },
  options: {
    turn: value('--turn <number>', 'only this turn; last for the newest', turnOrLast),
    sinceSeen: flag('--since-seen', 'only the turns that have ended since you last looked', ['turn']),
    outside: flag('--outside', 'what others changed between the turns'),
    stat: flag('--stat', 'the files with the number of their lines'),
    nameOnly: flag('--name-only', 'the files alone', ['stat']),
    patch: flag('--patch', 'a patch for git apply, byte for byte', ['stat', 'name-only']),
    json: flag('--json', 'print it as JSON, without the lines', ['patch']),
    pager: flag('--no-pager', 'print a long page without stopping'),
  },
  notes: `
zwarm looks at the files of the checkout before and after each turn, so that it knows what changed, whatever the agent says
and whoever commits. Files that git ignores are not looked at, nor the content of those over 10 MiB. What others change while
a turn runs counts as the turn's. While a turn runs it is what has changed so far.

Without --turn it is what all turns changed together. Where a file also changed between turns, those lines are shown, too.

With two sessions it is how the files that the second one left differ from those that the first one left.

When piped, --stat prints a letter (A, M, D, R, T, ? for a file whose content was not kept), added and removed lines, path
and former path, separated by tabs.`,
  examples: [
    'zwarm diff @last',
    ['zwarm diff fix-login --turn last --stat', 'which files its newest turn changed'],
    ['zwarm diff fix-login -- src/login', 'only below a directory'],
    ['zwarm diff fix-login --patch | git apply', 'the same changes in another checkout'],
    ['zwarm diff one other', 'how two attempts differ'],
  ],
  async run(verb, { ref, more }, { turn, sinceSeen, outside, stat, nameOnly, patch, json, pager }) {
    const { manager, context } = verb;
    const { other, paths } = readMore(verb, more);
    const isOfTurns = turn !== undefined || sinceSeen || outside;
    if (other !== undefined && isOfTurns)
      throw usageError(
        'two sessions are compared as they are now',
        'leave out --turn, --since-seen and --outside',
      );
    const found =
      other === undefined
        ? await manager.diff(ref, { turn, sinceSeen, outside, paths })
        : await manager.diffBetween([ref, other], paths);
    const { changes } = found;
    const { changeNotes, renderPatch } = await import('../../render/changes.ts');
    if (json) return verb.printJson(changes);
    for (const note of changeNotes(changes)) verb.warn(note);
    if (patch) return context.stdout.send(await found.patch({ binary: true }));
    if (stat || nameOnly) await printFiles(verb, changes, nameOnly);
    else {
      const lines = (await found.patch({ binary: false })).toString();
      const style = await verb.style('stdout');
      if (lines !== '') await showPage(context, () => renderPatch(lines, style), pager);
    }
    if (changes.changed_files.length === 0) verb.hint('nothing changed');
  },
});
