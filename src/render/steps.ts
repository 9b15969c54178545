import { type Step, stepLine, valueText } from '../core/conversation/steps.ts';
import type { FileEdit } from '../core/events.ts';
import { pathFrom } from '../core/path.ts';
import { cutText } from '../core/session.ts';
import { withoutShell } from '../core/shell-word.ts';
import { isOnlyMarks, withoutMarks } from './markdown/without-marks.ts';
import { patchPaint, type Style } from './style.ts';
import { linkTo } from './text/link.ts';
import { safeLine, safeLines } from './text/safe-text.ts';
import { counted } from './text/units.ts';
import { cutToWidth, lineOf, widthOf } from './text/width.ts';
import { readable, type Span, textLines, wrapSpans } from './text/wrap.ts';

/** How much of a step to show. */
export interface StepOptions {
  /** Everything; else long commands, outputs and thoughts are cut short. */
  readonly full: boolean;
  /** The session's working directory: paths below it are shown relative to it. */
  readonly directory: string | null;
}

/** What the words of such a step begin with. */
export const SIGNS = { warning: '! ', error: 'error: ' } as const;

const INDENT = '  ';
const DEEPER = '    ';

/** So many lines of an output are shown: the last ones, which usually hold the result. */
const LAST_LINES = 6;
const MOST_FILES = 20;

/** What a step that has not ended has at its end: the word for a session that has not. */
const RUNNING = ' [running]';

/** Characters of a text that are written as one piece: to hand over each line alone takes longer than to make it. */
const PIECE = 1 << 13;

/**
 * A text of an agent, neutralised, each of its lines behind `by`; so are those that go on where the columns end. It comes
 * in pieces of several lines.
 */
export function* indent(text: string, by: string, columns: number, paint?: Span['paint']): Generator<string> {
  const behind = (line: string): string => (line === '' ? by.trimEnd() : by + line);
  for (let from = 0; from <= text.length; ) {
    const newline = text.indexOf('\n', from + PIECE);
    const to = newline < 0 ? text.length : newline;
    const part = text.slice(from, text[to - 1] === '\r' && to < text.length ? to - 1 : to);
    // One line may be as long as all others.
    if (part.length > 2 * PIECE)
      for (const line of textLines(part, columns - by.length, paint)) yield behind(line);
    else yield Array.from(textLines(part, columns - by.length, paint), behind).join('\n');
    from = to + 1;
  }
}

/** The same with `first` before the first line and as much room before the others. */
export function* hang(
  first: string,
  text: string,
  columns: number,
  paint: Span['paint'] = String,
): Generator<string> {
  let by = first;
  for (const line of textLines(text, columns - first.length)) {
    yield line === '' && by !== first ? '' : paint(by + line);
    by = ' '.repeat(first.length);
  }
}

/** Some words, with line breaks such that commands of ours stay on one line each, to be copied, where they fit on one. */
export function withWholeCommands(words: string, columns: number): string {
  const lines: string[] = [];
  for (const piece of words.split(/ (?=zwarm )|(?<=zwarm [^;]*;) /)) {
    const longer = lines.length === 0 ? piece : `${lines.at(-1)} ${piece}`;
    if (widthOf(longer) <= columns) lines.splice(-1, 1, longer);
    else lines.push(piece);
  }
  return lines.join('\n');
}

/** Some words as one line of running text, which hangs likewise where it is too long; no command of ours is broken. */
export function note(
  first: string,
  words: string,
  { width }: Style,
  paint?: Span['paint'],
): Generator<string> {
  const columns = readable(width);
  return hang(first, withWholeCommands(safeLine(words), columns - first.length), columns, paint);
}

function* messageLines(content: string, style: Style): Generator<string> {
  if (style.markdown === null) yield* indent(content.trimEnd(), INDENT, style.width, style.paint);
  else
    for (const line of style.markdown(content, { ...style, width: style.width - INDENT.length }))
      yield line === '' ? '' : INDENT + line;
}

/** So much of a text is looked at where it becomes one line. */
const LONGEST_START = 1000;

/** What an agent wrote, for a line of its own: on a terminal its beginning, without marks of Markdown if there is more. */
export function proseOf(text: string, { markdown }: Style): string {
  if (markdown === null) return text;
  const start = cutText(text.trimStart(), LONGEST_START);
  const lines = start.split('\n').filter((line) => !isOnlyMarks(line));
  return lines.length === 0 ? start : lines.map(withoutMarks).join('\n');
}

/** Where the last lines of a text begin, and how many there are before them. */
function lastLines(text: string): { readonly from: number; readonly before: number } {
  let from = text.length + 1;
  for (let n = 0; n < LAST_LINES && from > 0; n += 1)
    from = from < 2 ? 0 : text.lastIndexOf('\n', from - 2) + 1;
  let before = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < from; at = text.indexOf('\n', at + 1)) before += 1;
  return { from, before };
}

function* outputLines(output: string, { paint, width }: Style, full: boolean): Generator<string> {
  const whole = output.trimEnd();
  if (whole === '') return;
  if (full) {
    yield* indent(whole, DEEPER, width);
    return;
  }
  const { from, before } = lastLines(whole);
  if (before > 0) yield paint.dim(`${DEEPER}… ${counted(before, 'line')} above; --full shows them`);
  const tab = width === Number.POSITIVE_INFINITY ? '\t' : '    ';
  for (const line of safeLines(whole.slice(from)))
    yield (DEEPER + cutToWidth(line.replaceAll('\t', tab), width - DEEPER.length)).trimEnd();
}

/** How a step ended: its exit code if it has one, else its status unless it completed. */
export function endWords(step: Step): string {
  if (step.type === 'command' && step.exit_code !== null) return ` [exit ${step.exit_code}]`;
  if (!('status' in step) || step.status === 'completed') return '';
  return step.status === 'in_progress' ? RUNNING : ` [${step.status}]`;
}

/** The same in its colour. */
export function paintEnd(words: string, { paint }: Style): string {
  if (words === ' [exit 0]') return paint.dim(words);
  return words === RUNNING ? paint.cyan(words) : paint.red(words);
}

/** How many lines a diff adds and takes away: ` +12 −3`. */
function diffCounts(diff: string): string {
  const count = (sign: RegExp): number => diff.match(sign)?.length ?? 0;
  return ` +${count(/^\+/gm)} −${count(/^-/gm)}`;
}

function* diffLines(diff: string, style: Style): Generator<string> {
  for (const line of safeLines(diff.trimEnd()))
    yield* indent(line, DEEPER, style.width, patchPaint(line, style));
}

/** A changed file: only the word is coloured, so that the name can be read on any background. */
function* changeLines(
  { kind, path, diff }: FileEdit,
  style: Style,
  { directory, full }: StepOptions,
): Generator<string> {
  const { paint, width } = style;
  const colours = { add: paint.green, update: paint.cyan, delete: paint.red, unknown: paint.dim };
  const word = `${INDENT}${kind.padEnd(6)} `;
  const text = safeLine(pathFrom(directory, path));
  const counts = diff === undefined ? [] : [{ text: diffCounts(diff), paint: paint.dim }];
  const lines = wrapSpans([{ text, paint: linkTo(path, directory, style) }, ...counts], width - word.length);
  for (const [i, line] of lines.entries())
    yield (i === 0 ? colours[kind](word) : ' '.repeat(word.length)) + line;
  if (full && diff !== undefined) yield* diffLines(diff, style);
}

/** Some lines with words behind the last of them. */
function* endedBy(lines: Iterable<string>, words: string): Generator<string> {
  let held: string | null = null;
  for (const line of lines) {
    if (held !== null) yield held;
    held = line;
  }
  yield (held ?? '') + words;
}

/**
 * One step as lines, or pieces of several lines, neutralised and indented, so that none of them can pose as ours; none
 * where it has no words. Each is made when it is asked for: an output may have millions.
 */
export function* stepLines(step: Step, style: Style, options: StepOptions): Generator<string> {
  const { full } = options;
  const { paint, width } = style;
  const end = endWords(step);
  const room = width - end.length;
  if (step.subagent !== undefined) yield paint.dim(`${INDENT}↳ subagent`);
  switch (step.type) {
    case 'message':
      yield* messageLines(step.content, style);
      break;
    case 'reasoning':
      if (full) yield* messageLines(step.content.trim(), { ...style, paint: paint.dim });
      else yield INDENT + paint.dim(lineOf(proseOf(step.content, style), width - INDENT.length));
      break;
    case 'command': {
      const first = `${INDENT}$ `;
      const command = withoutShell(step.command);
      const head = full
        ? hang(first, command.trim(), room, paint.cyan)
        : [paint.cyan(first + lineOf(command, room - first.length))];
      yield* endedBy(head, paintEnd(end, style));
      yield* outputLines(step.output ?? '', style, full);
      break;
    }
    case 'file_change': {
      const shown = full ? step.changes : step.changes.slice(0, MOST_FILES);
      for (const change of shown) yield* changeLines(change, style, options);
      const hidden = step.changes.length - shown.length;
      if (hidden > 0) yield paint.dim(`${INDENT}… ${counted(hidden, 'more file')}; --full shows them`);
      if (end !== '') yield paintEnd(` ${end}`, style);
      break;
    }
    case 'tool_call': {
      const call = stepLine(step);
      const head = full
        ? indent(call, INDENT, room, paint.cyan)
        : [INDENT + paint.cyan(lineOf(call, room - INDENT.length))];
      yield* endedBy(head, paintEnd(end, style));
      if (full && step.result !== null) yield* outputLines(valueText(step.result), style, full);
      break;
    }
    case 'plan':
      for (const { text, completed } of step.items)
        yield* note(`${INDENT}${completed ? '✓' : '☐'} `, text, style, completed ? paint.green : undefined);
      break;
    case 'warning':
      yield* note(INDENT + SIGNS.warning, step.message, style, paint.magenta);
      break;
    case 'error':
      yield* note(INDENT + SIGNS.error, step.message, style, paint.red);
  }
}

/** The same as one text. */
export function renderStep(step: Step, style: Style, options: StepOptions): string {
  return [...stepLines(step, style, options)].join('\n');
}
