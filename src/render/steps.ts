import type { Step } from '../core/conversation/steps.ts';
import { pathFrom } from '../core/path.ts';
import { withoutShell } from '../core/shell-word.ts';
import { safeLine, safeText } from './safe-text.ts';
import type { Style } from './style.ts';
import { counted } from './units.ts';
import { cutToWidth, lineOf } from './width.ts';
import { readable, type Span, wrapText } from './wrap.ts';

/** How much of a step to show. */
export interface StepOptions {
  /** Everything; else long commands, outputs and thoughts are cut short. */
  readonly full: boolean;
  /** The session's working directory: paths below it are shown relative to it. */
  readonly directory: string | null;
}

const INDENT = '  ';
const DEEPER = '    ';

/** So many lines of an output are shown: the last ones, which usually hold the result. */
const LAST_LINES = 6;
const MOST_FILES = 20;

/** A text of an agent, neutralised, each of its lines behind `by`; so are those that go on where the columns end. */
export function indent(text: string, by: string, columns: number, paint?: Span['paint']): string {
  return wrapText(safeText(text), columns - by.length, paint)
    .map((line) => (line === '' ? by.trimEnd() : by + line))
    .join('\n');
}

/** The same with `first` before the first line and as much room before the others. */
export function hang(first: string, text: string, columns: number, paint: Span['paint'] = String): string {
  const by = ' '.repeat(first.length);
  return wrapText(safeText(text), columns - first.length)
    .map((line, i) => (line === '' && i > 0 ? '' : paint((i === 0 ? first : by) + line)))
    .join('\n');
}

/** Some words as one line of running text, which hangs likewise where it is too long. */
export function note(first: string, words: string, { width }: Style, paint?: Span['paint']): string {
  return hang(first, safeLine(words), readable(width), paint);
}

function messageText(content: string, style: Style): string {
  if (style.markdown === null) return indent(content.trimEnd(), INDENT, style.width, style.paint);
  const lines = style.markdown(content, { ...style, width: style.width - INDENT.length });
  return lines.map((line) => (line === '' ? '' : INDENT + line)).join('\n');
}

function outputLines(output: string, style: Style, full: boolean): string[] {
  const whole = output.trimEnd();
  if (whole === '') return [];
  if (full) return [indent(whole, DEEPER, style.width)];
  const lines = whole.split(/\r?\n/);
  const hidden = lines.length - LAST_LINES;
  const last = lines.slice(-LAST_LINES).map((line) => {
    const tabs = style.width === Number.POSITIVE_INFINITY ? '\t' : '    ';
    return DEEPER + cutToWidth(safeText(line).replaceAll('\t', tabs), style.width - DEEPER.length);
  });
  const cut = hidden > 0 ? [style.paint.dim(`${DEEPER}… ${counted(hidden, 'more line')}`)] : [];
  return [...cut, ...last.map((line) => line.trimEnd())];
}

/** How a step ended: its exit code if it has one, else its status unless it completed. */
export function endWords(step: Step): string {
  if (step.type === 'command' && step.exit_code !== null) return ` [exit ${step.exit_code}]`;
  return 'status' in step && step.status !== 'completed' ? ` [${step.status}]` : '';
}

function paintEnd(words: string, { paint }: Style): string {
  if (words === ' [exit 0]') return paint.dim(words);
  return words === ' [in_progress]' ? paint.yellow(words) : paint.red(words);
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** One step as lines, neutralised and indented, so that none of them can pose as ours; empty where it has no words. */
export function renderStep(step: Step, style: Style, { full, directory }: StepOptions): string {
  const { paint, width } = style;
  const end = endWords(step);
  const room = width - end.length;
  switch (step.type) {
    case 'message':
      return messageText(step.content, style);
    case 'reasoning':
      return full
        ? messageText(step.content.trim(), { ...style, paint: paint.dim })
        : INDENT + paint.dim(lineOf(step.content, width - INDENT.length));
    case 'command': {
      const first = `${INDENT}$ `;
      const head = full
        ? hang(first, step.command.trim(), room, paint.cyan)
        : paint.cyan(first + lineOf(withoutShell(step.command), room - first.length));
      return [head + paintEnd(end, style), ...outputLines(step.output ?? '', style, full)].join('\n');
    }
    case 'file_change': {
      const colours = { add: paint.green, update: paint.yellow, delete: paint.red, unknown: paint.dim };
      const shown = full ? step.changes : step.changes.slice(0, MOST_FILES);
      const lines = shown.map(({ kind, path }) =>
        hang(`${INDENT}${kind.padEnd(6)} `, safeLine(pathFrom(directory, path)), width, colours[kind]),
      );
      const hidden = step.changes.length - shown.length;
      if (hidden > 0) lines.push(paint.dim(`${INDENT}… ${counted(hidden, 'more file')}`));
      if (end !== '') lines.push(paintEnd(` ${end}`, style));
      return lines.join('\n');
    }
    case 'tool_call': {
      const call = `${step.name} ${step.args === null ? '' : valueText(step.args)}`.trim();
      const head = full
        ? indent(call, INDENT, room, paint.cyan)
        : INDENT + paint.cyan(lineOf(call, room - INDENT.length));
      const result = full && step.result !== null ? outputLines(valueText(step.result), style, full) : [];
      return [head + paintEnd(end, style), ...result].join('\n');
    }
    case 'plan':
      return step.items
        .map(({ text, completed }) => {
          const first = `${INDENT}${completed ? '✓' : '☐'} `;
          return note(first, text, style, completed ? paint.green : undefined);
        })
        .join('\n');
    case 'warning':
      return note(`${INDENT}! `, step.message, style, paint.yellow);
    case 'error':
      return note(`${INDENT}error: `, step.message, style, paint.red);
  }
}
