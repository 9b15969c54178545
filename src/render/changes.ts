import type { ChangeCount, ChangedFile, Changes } from '../core/changes.ts';
import { patchPaint, type Style } from './style.ts';
import { safeLine, safeLines } from './text/safe-text.ts';
import { counted, plusMinus } from './text/units.ts';
import { lineOf } from './text/width.ts';
import { rangesOf } from './turn-rule.ts';

const LETTERS: Readonly<Record<ChangedFile['kind'], string>> = {
  added: 'A',
  modified: 'M',
  deleted: 'D',
  renamed: 'R',
  type_changed: 'T',
  unknown: '?',
};

const nameOf = ({ from, path }: ChangedFile): string => (from === null ? path : `${from} → ${path}`);

/** What is to be known of a file besides its lines. */
function remarkOf({ kind, added, also_outside }: ChangedFile): string {
  if (kind === 'unknown') return '  (its content was not kept)';
  return `${added === null ? '  (not text)' : ''}${also_outside ? '  (also changed between the turns)' : ''}`;
}

/** The files with their lines for a terminal, and the sum of both. */
export function renderStat(
  changes: ChangeCount & Pick<Changes, 'changed_files'>,
  { paint, width }: Style,
): string {
  const { changed_files: files } = changes;
  const counts = files.map(({ added, removed }) =>
    added === null || removed === null ? '' : plusMinus({ added, removed }),
  );
  const room = Math.max(0, ...counts.map((count) => count.length));
  const lines = files.map((file, i) => {
    const [plus = '', minus = ''] = (counts[i] ?? '').split(' ');
    const pad = ' '.repeat(room - (counts[i] ?? '').length);
    const count = `${pad}${paint.green(plus)}${minus === '' ? ' ' : ` ${paint.red(minus)}`}`;
    const rest = lineOf(`${nameOf(file)}${remarkOf(file)}`, Math.max(1, width - room - 6));
    return `${LETTERS[file.kind]}  ${count}  ${rest}\n`;
  });
  return `${lines.join('')}${counted(files.length, 'file')}, ${plusMinus(changes)}\n`;
}

/** The same for pipes: a letter, added and removed lines, path and former path, between tabs. */
export function renderStatRow(file: ChangedFile): string {
  const { kind, added, removed, path, from } = file;
  return [LETTERS[kind], added ?? '', removed ?? '', safeLine(path), safeLine(from ?? '')].join('\t');
}

/** A patch, in colours where there are any, a line at a time. */
export function* renderPatch(patch: string, style: Style): Generator<string> {
  let inHeader = false;
  for (const line of safeLines(patch.replace(/\n$/, ''))) {
    if (line.startsWith('diff ')) inHeader = true;
    if (line.startsWith('@@')) inHeader = false;
    const paint = inHeader ? style.paint.bold : patchPaint(line, style);
    yield `${paint(line)}\n`;
  }
}

/** What is to be said of changes that are not all, or not only, the session's. */
export function changeNotes({
  late,
  unknown_turns,
  changed_files: files,
  so_far,
}: Changes): readonly string[] {
  const names = (some: readonly ChangedFile[]): string => {
    const first = some.slice(0, 3).map(({ path }) => path);
    return some.length > 3 ? `${first.join(', ')} and ${some.length - 3} more` : first.join(', ');
  };
  const [lost, shared] = [
    files.filter(({ kind }) => kind === 'unknown'),
    files.filter(({ also_outside }) => also_outside),
  ];
  return [
    ...unknown_turns.map(({ turn, why }) => `what turn ${turn} changed is not known: ${why}`),
    ...(late.length === 0
      ? []
      : [
          `the files after turn ${rangesOf(late)} were looked at late: others may have changed them until then`,
        ]),
    ...(lost.length === 0 ? [] : [`not kept, so that nobody can tell what changed in it: ${names(lost)}`]),
    ...(shared.length === 0 ? [] : [`changed between the turns, too, by others: ${names(shared)}`]),
    ...(so_far ? ['it still runs: these are its changes so far'] : []),
  ];
}
