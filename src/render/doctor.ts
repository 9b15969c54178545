import type { Check, CheckStatus } from '../core/check.ts';
import type { Style } from './style.ts';
import { safeLine } from './text/safe-text.ts';
import { counted } from './text/units.ts';
import { widthOf } from './text/width.ts';

const COLOURS = {
  ok: 'green',
  note: 'cyan',
  warning: 'magenta',
  failed: 'red',
  skipped: 'dim',
} as const satisfies Record<CheckStatus, string>;

/** A text in lines of some columns, cut between words; a longer word stays whole, so that a path can be copied. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(`${last} ${word}`) <= columns) lines[lines.length - 1] += ` ${word}`;
    else lines.push(word);
  }
  return lines;
}

const STATUS_COLUMNS = 'warning'.length + 2;

function linesOf({ name, status, message, hint }: Check, columns: number, { paint }: Style): string[] {
  const room = Math.max(20, columns - STATUS_COLUMNS);
  const [first = '', ...rest] = [
    ...wrapped(`${name}: ${safeLine(message)}`, room),
    ...(hint === null ? [] : wrapped(`hint: ${safeLine(hint)}`, room)),
  ];
  const head = paint[COLOURS[status]](status.padEnd(STATUS_COLUMNS));
  return [head + first, ...rest.map((line) => ' '.repeat(STATUS_COLUMNS) + line)];
}

/** The page of `doctor`: each check that had something to look at, with what to do below it; then how many failed. */
export function renderChecks(checks: readonly Check[], columns: number, style: Style): string {
  const count = (wanted: CheckStatus): number => checks.filter(({ status }) => status === wanted).length;
  const [failed, warnings, skipped] = [count('failed'), count('warning'), count('skipped')];
  const verdict = [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(warnings === 0 ? [] : [counted(warnings, 'warning')]),
  ].join(', ');
  return [
    ...checks.filter(({ status }) => status !== 'skipped').flatMap((check) => linesOf(check, columns, style)),
    '',
    `${verdict || 'all is well'}${skipped === 0 ? '' : ` (${skipped} skipped)`}\n`,
  ].join('\n');
}
