import type { Message, SessionDetail, SessionSummary, TurnSteps, TurnView } from '../session.ts';
import type { PlacedStep } from './step-list.ts';
import type { Step } from './steps.ts';

/** A turn that is read while somebody walks through it, so that no more of it is in memory than a step. */
export interface TurnReader {
  /** What the records and the two ends of the stream tell. */
  readonly view: Omit<TurnView, 'warnings'>;
  /** The messages, none of a turn that was wound back; with `full` also what the agent did, as messages of role `tool`. */
  messages(full: boolean): Iterable<Message>;
  /** The steps in their order. One that changes after it was given comes again, with the same index. */
  steps(): Iterable<PlacedStep>;
  /** The turn with what only all of its stream tells; that is read now unless somebody has walked through it. */
  whole(): TurnView;
}

/** A session: how it stands is known, its turns are read while somebody walks through them. */
export interface SessionReader {
  readonly summary: SessionSummary;
  readonly turns: readonly TurnReader[];
}

/** The messages of all turns, in order. */
export function* messagesOf({ turns }: SessionReader, full: boolean): Generator<Message> {
  for (const turn of turns) yield* turn.messages(full);
}

/** All else that is shown of a session. */
export function withoutMessages({ summary, turns }: SessionReader): Omit<SessionDetail, 'messages'> {
  const views = turns.map((turn) => turn.whole());
  const current = views.find(({ turn }) => turn === summary.turn);
  return { ...summary, last_message: current?.answer ?? summary.last_message, turns: views };
}

/** The steps of a turn as they stand by now. */
export function stepsOf(reader: TurnReader): TurnSteps {
  const steps: Step[] = [];
  for (const { index, step } of reader.steps()) steps[index] = step;
  return { turn: reader.view.turn, steps };
}
