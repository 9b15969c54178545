import { MOST_WARNINGS } from '../core/conversation/fold.ts';
import {
  bytesOf,
  changedFilesOf,
  type SessionReader,
  type TurnReader,
} from '../core/conversation/session-reader.ts';
import { changedFiles, type Step } from '../core/conversation/steps.ts';
import { cutFailure } from '../core/session.ts';
import { isSaid } from '../core/turn-kinds.ts';
import { type CardOptions, changedRow, renderCard } from './card.ts';
import { errorLines } from './error-lines.ts';
import { indent, note, type StepOptions, stepLines } from './steps.ts';
import type { Style } from './style.ts';
import { readable } from './text/wrap.ts';
import { rangesOf, ranNothing, turnHeading } from './turn-rule.ts';

/** How to show a page. */
export type PageOptions = CardOptions;

/** What a turn needs to know of its session: its id, and its agent now. */
type TurnOptions = PageOptions & { readonly id: string; readonly agent: string | null };

/** A part of the page: those that take one line each stand below one another, all others between empty lines. */
interface Block {
  readonly lines: Iterable<string>;
  readonly short: boolean;
}

const block = (lines: Iterable<string>): Block => ({ lines, short: false });

/** A step as a block, of which no more is made yet than shows whether it is short; null where it has no words. */
function stepBlock(step: Step, style: Style, options: StepOptions): Block | null {
  const lines = stepLines(step, style, options);
  const [first, second] = [lines.next(), lines.next()];
  if (first.done || (first.value === '' && second.done)) return null;
  const all = function* (): Generator<string> {
    yield first.value;
    if (!second.done) yield second.value;
    yield* lines;
  };
  return {
    lines: all(),
    short: step.type !== 'message' && second.done === true && !first.value.includes('\n'),
  };
}

function* askedBlocks(view: TurnReader['view'], style: Style, options: TurnOptions): Generator<Block> {
  const { paint, width } = style;
  yield block([turnHeading(view, style, options)]);
  // The prompt of a compaction is not the user's.
  if (view.prompt !== null && (isSaid(view.kind) || options.full))
    yield block(indent(view.prompt.trimEnd(), '> ', readable(width), paint.bold));
  if (view.replay_reason !== null) {
    const words = `(a new thread, with the conversation so far: ${view.replay_reason})`;
    yield block(note('  ', words, style, paint.dim));
  }
}

/** Why a turn failed and what to do, but for a look at this very page. */
function errorOf({ error }: TurnReader['view'], { id, full }: TurnOptions): string[] {
  if (error === null) return [];
  const look = new RegExp(`(^|; )see[^;]*: zwarm show ${id}${full ? '(?: --full)?' : ''}(?:; then:? |$)`);
  const hint = error.hint?.replace(look, (seen, before) => (seen.endsWith(' ') ? before : '')) || null;
  return errorLines({ ...error, hint });
}

/** A turn as it is read; the files that it changed are added to `changed`. */
function* turnBlocks(
  turn: TurnReader,
  style: Style,
  options: TurnOptions,
  changed: Set<string>,
): Generator<Block> {
  const { view, directory } = turn;
  const { paint } = style;
  yield* askedBlocks(view, style, options);
  const warned = new Set<string>();
  function* warnings(): Generator<Block> {
    for (const warning of turn.whole().warnings)
      if (!warned.has(warning)) yield block(note('! ', warning, style, paint.magenta));
  }
  if (ranNothing(view)) return yield* warnings();
  let answered = false;
  for (const { step } of turn.steps()) {
    for (const path of changedFiles(step, directory)) changed.add(path);
    if (step.type === 'message' && step.subagent === undefined) answered = true;
    // The same limit as for the turn's warnings.
    if (step.type === 'warning' && warned.size <= MOST_WARNINGS) warned.add(cutFailure(step.message));
    if (step.type === 'reasoning' && !options.full) continue;
    // The failure itself stands below, with what to do.
    if (step.type === 'error' && step.message === view.error?.message) continue;
    const shown = stepBlock(step, style, { full: options.full, directory });
    if (shown !== null) yield shown;
  }
  yield* warnings();
  if (view.status === 'completed' && !answered) yield block(['  (it completed without an answer)']);
  const failure = errorOf(view, options).flatMap((line, i) => [
    ...note(i === 0 ? 'error: ' : '  ', line, style, paint.red),
  ]);
  if (failure.length > 0) yield block(failure);
}

/** From so many bytes of a stream on, the end of its page is seldom on the first screen. */
const LONG = 1 << 16;

function* pageBlocks(session: SessionReader, style: Style, options: PageOptions): Generator<Block> {
  const { summary, turns, length, changed } = session;
  const { id, working_dir: directory, agent } = summary;
  const isHidden = ({ view }: TurnReader): boolean =>
    !options.full && turns.length > 1 && (view.undone || (!view.in_conversation && !ranNothing(view)));
  const current = turns.find(({ view }) => view.turn === summary.turn);
  const host = current?.view.host ?? null;
  const showsCurrent = current !== undefined && !isHidden(current);
  const isLong = bytesOf(turns.filter((turn) => !isHidden(turn))) > LONG;
  yield block(renderCard({ summary, length, host, changed, showsCurrent, isLong }, style, options));
  const hidden = turns.filter(isHidden).map(({ view }) => view);
  for (const [undone, what] of [
    [true, 'rewound'],
    [false, 'withdrawn before it began'],
  ] as const) {
    const numbers = hidden.filter((view) => view.undone === undone).map(({ turn }) => turn);
    if (numbers.length === 0) continue;
    const which = `${numbers.length === 1 ? 'turn' : 'turns'} ${rangesOf(numbers)}`;
    const words = `(${which} ${what}; see: zwarm show ${id} --full)`;
    yield block(note('  ', words, style, style.paint.dim));
  }
  const found = new Set<string>();
  for (const turn of turns) {
    if (!isHidden(turn)) yield* turnBlocks(turn, style, { ...options, id, agent }, found);
  }
  if (changed === null && found.size > 0) yield block(changedRow(changedFilesOf(found), directory, style));
}

/** The page of one session, line by line, as its turns are read. With `full` nothing is cut short. */
export function* renderSession(
  session: SessionReader,
  style: Style,
  options: PageOptions,
): Generator<string> {
  let before: Block | null = null;
  for (const part of pageBlocks(session, style, options)) {
    if (before !== null && !(before.short && part.short)) yield '\n';
    for (const line of part.lines) yield `${line}\n`;
    before = part;
  }
}
