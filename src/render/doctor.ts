import stringWidth from 'string-width';
import type { Check, CheckStatus } from '../core/check.ts';
import { safeLine } from './safe-text.ts';
import type { Style } from './style.ts';

function paint(status: CheckStatus, text: string, { paint: colour }: Style): string {
  switch (status) {
    case 'ok':
      return colour.green(text);
    case 'note':
      return colour.cyan(text);
    case 'warning':
      return colour.yellow(text);
    case 'failed':
      return colour.red(text);
    case 'skipped':
      return colour.dim(text);
  }
}

/** A text in lines of some columns, cut between words; a longer word stays whole, so that a path can be copied. */
function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && stringWidth(`${last} ${word}`) <= columns)
      lines[lines.length - 1] += ` ${word}`;
    else lines.push(word);
  }
  return lines;
}

const STATUS_COLUMNS = 'warning'.length + 2;

function lines({ name, status, message, hint }: Check, columns: number, style: Style): string[] {
  const room = Math.max(20, columns - STATUS_COLUMNS);
  const said = wrapped(`${name}: ${safeLine(message)}`, room);
  const advice = hint === null ? [] : wrapped(`hint: ${safeLine(hint)}`, room);
  const head = paint(status, status.padEnd(STATUS_COLUMNS), style);
  const indent = ' '.repeat(STATUS_COLUMNS);
  const [first = '', ...rest] = [...said, ...advice];
  return [head + first, ...rest.map((line) => indent + line)];
}

function verdict(checks: readonly Check[]): string {
  const count = (status: CheckStatus): number => checks.filter((check) => check.status === status).length;
  const failed = count('failed');
  const warnings = count('warning');
  const words = [
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(warnings === 0 ? [] : [`${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`]),
  ];
  const skipped = count('skipped');
  return `${words.length === 0 ? 'all is well' : words.join(', ')}${skipped === 0 ? '' : ` (${skipped} skipped)`}`;
}

/**
 * The page of `doctor`: a line for each check that had something to look at, with what to do below it, in lines of
 * some columns.
 */
export function renderChecks(checks: readonly Check[], columns: number, style: Style): string {
  const told = checks.filter(({ status }) => status !== 'skipped');
  const all = told.flatMap((check) => lines(check, columns, style));
  return `${[...all, '', verdict(checks)].join('\n')}\n`;
}
