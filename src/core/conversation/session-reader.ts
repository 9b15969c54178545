import type { Message, SessionDetail, SessionSummary, TurnSteps, TurnView } from '../session.ts';
import type { PlacedStep } from './step-list.ts';
import { changedFiles, type Step } from './steps.ts';
import type { StepClock } from './trajectory.ts';

/** A turn that is read while the caller iterates over it, so that only one step is in memory. */
export interface TurnReader {
  /** What the records and the two ends of the stream hold. */
  readonly view: Omit<TurnView, 'warnings'>;
  /** Where its agent worked: what lies below that is shown relative to it. */
  readonly directory: string;
  /** The length of its stream by now. */
  bytes(): number;
  /** The messages, none of a turn that was rewound; with `full` also what the agent did, as messages of role `tool`. */
  messages(full: boolean): Iterable<Message>;
  /** The steps in order. A step that changes later is yielded once more, with the same index. */
  steps(): Iterable<PlacedStep>;
  /** Makes what tells when its steps were done. */
  newClock(): StepClock;
  /** The turn with what only the whole stream tells, which is read now unless it was read before. */
  whole(): TurnView;
}

/** A session whose status is known, and whose turns are read while the caller iterates over them. */
export interface SessionReader {
  readonly summary: SessionSummary;
  readonly turns: readonly TurnReader[];
  /** How many turns its conversation has, also where `turns` are not all of them. */
  readonly length: number;
  /** The files that its conversation changed, where a summary knows them: only all of its streams tell. */
  readonly changed: ChangedFiles | null;
}

/** The length of the streams that a reading of all of these turns goes through, in bytes. */
export function bytesOf(turns: readonly Pick<TurnReader, 'bytes'>[]): number {
  return turns.reduce((sum, { bytes }) => sum + bytes(), 0);
}

/** The files that were changed: how many, and the first few, in the words of the agent. */
export interface ChangedFiles {
  readonly count: number;
  readonly first: readonly string[];
}

const FIRST_FILES = 5;

/** How many files were changed, and the first of them. */
export function changedFilesOf(paths: ReadonlySet<string>): ChangedFiles {
  return { count: paths.size, first: [...paths].slice(0, FIRST_FILES) };
}

/** The same of the whole conversation of a session, whose streams are read for it. */
export function changedIn({ turns }: Pick<SessionReader, 'turns'>): ChangedFiles {
  const paths = new Set<string>();
  for (const { view, directory, steps } of turns) {
    if (!view.in_conversation) continue;
    for (const { step } of steps()) for (const path of changedFiles(step, directory)) paths.add(path);
  }
  return changedFilesOf(paths);
}

/** The messages of all turns, in order. */
export function* messagesOf({ turns }: SessionReader, full: boolean): Generator<Message> {
  for (const turn of turns) yield* turn.messages(full);
}

/** A session without its messages. */
export function withoutMessages({ summary, turns }: SessionReader): Omit<SessionDetail, 'messages'> {
  const views = turns.map((turn) => turn.whole());
  const current = views.find(({ turn, undone }) => turn === summary.turn && !undone);
  return { ...summary, last_message: current?.answer ?? summary.last_message, turns: views };
}

/** The steps of a turn as they are now. */
export function stepsOf(reader: TurnReader): TurnSteps {
  const steps: Step[] = [];
  for (const { index, step } of reader.steps()) steps[index] = step;
  const { turn, undone } = reader.view;
  return { turn, undone, steps };
}
