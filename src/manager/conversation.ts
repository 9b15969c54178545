import { lineageOf, type Part } from '../core/conversation/lineage.ts';
import type { TurnWords } from '../core/conversation/words.ts';
import type { Message, SessionDetail, TokenUsage, TurnSteps, TurnView } from '../core/session.ts';
import { isoTime } from '../core/time.ts';
import { turnFile } from '../store/layout.ts';
import { readCancelReason, readPrompt } from '../store/sessions.ts';
import type { Store } from './context.ts';
import { placesOf } from './places.ts';
import type { TurnReading } from './read-turn.ts';
import { recordSummaryOf, rowOf } from './row.ts';
import { explain, hasLostThread, howOf, type SessionReading, startedMs, stateOf, usageOf } from './view.ts';

/*
 * What is shown of a session beside how it stands: its turns, and what was said and done in them.
 */

function warningsOf(turn: TurnReading<TurnWords>): readonly string[] {
  const { launch, fold, exit } = turn;
  const lost =
    launch !== null && hasLostThread(launch, fold)
      ? [
          `the agent did not continue its thread ${launch.thread_id} but began ${fold.threadId}: it does not know the earlier turns`,
        ]
      : [];
  const unread =
    fold.malformed === 0
      ? []
      : fold.malformed === 1
        ? ['1 line of its output could not be read; it is kept in the log file']
        : [`${fold.malformed} lines of its output could not be read; they are kept in the log file`];
  const cut = exit?.fact.why === null && exit.fact.detail !== null ? [exit.fact.detail] : [];
  return [...lost, ...fold.warnings, ...unread, ...cut];
}

function turnView(
  reading: SessionReading<TurnWords>,
  store: Store,
  turn: TurnReading<TurnWords>,
  { usage, shown }: { readonly usage: TokenUsage | null; readonly shown: boolean },
): TurnView {
  const { verdict } = turn;
  const started = startedMs(turn);
  const reason = verdict.status === 'killed' ? readCancelReason(store.root, reading.id, turn.turn) : null;
  const asked = reason === null ? [] : [`it was ended on request: ${reason}`];
  return {
    turn: turn.turn,
    kind: turn.request.kind,
    by: turn.request.by,
    to: turn.request.to,
    covers: turn.request.covers,
    in_conversation: shown,
    prompt: readPrompt(store.root, reading.id, turn.turn)?.toString() ?? null,
    status: verdict.status,
    started_at: started === null ? null : isoTime(started),
    ended_at: turn.exit === null ? null : isoTime(turn.exit.endedMs),
    exit_code: verdict.exitCode,
    signal: verdict.signal,
    error: explain(reading, store, turn),
    answer: turn.fold.answer,
    token_usage: usage,
    how: howOf(turn),
    replay_reason: turn.launch?.why ?? null,
    warnings: [...warningsOf(turn), ...asked],
    log_file: turnFile(store.root, reading.id, turn.turn, 'events'),
    stderr_file: turnFile(store.root, reading.id, turn.turn, 'stderr'),
  };
}

function messagesOf(
  prompt: string | null,
  { turn, request, fold }: TurnReading<TurnWords>,
): Iterable<Message> {
  const isAsked = prompt !== null && request.kind === 'prompt';
  return {
    *[Symbol.iterator]() {
      if (isAsked) yield { role: 'user', content: prompt, turn, timestamp: request.at };
      for (const content of fold.messages) yield { role: 'assistant', content, turn, timestamp: null };
    },
  };
}

/** What was said in a session, and how it stands. */
export interface Conversation {
  readonly detail: Omit<SessionDetail, 'messages'>;
  /** What was said in each turn that was not wound back, in order; it may be read anew each time. */
  readonly said: ReadonlyMap<number, Iterable<Message>>;
  /** What the agent is to know of it. */
  readonly parts: readonly Part[];
  /** The thread of the agent in which each turn ran. */
  readonly threads: ReadonlyMap<number, string>;
}

/** The same with the steps of its turns beside it. */
export interface ReadSession extends Conversation {
  readonly steps: readonly TurnSteps[];
}

/** The same as it is shown, the messages in its detail. */
export interface ShownSession extends Pick<ReadSession, 'steps' | 'threads'> {
  readonly detail: SessionDetail;
}

/** All that is shown of one session but for its steps. */
export function conversationView(
  store: Store,
  reading: SessionReading<TurnWords>,
  nowMs: number,
): Conversation {
  const { id, record, turns } = reading;
  const usage = usageOf(turns);
  const state = stateOf(reading, store, nowMs);
  const { shown: list, parts } = lineageOf(placesOf(store, id, reading.adapter, turns));
  const shown = new Set(list);
  const views = turns.map((turn, i) =>
    turnView(reading, store, turn, { usage: usage[i] ?? null, shown: shown.has(turn.turn) }),
  );
  const current = turns.find(({ turn }) => turn === state.turn);
  return {
    detail: {
      ...rowOf(store, id, { ...recordSummaryOf(record), ...state }),
      task: record.task,
      last_message: current?.fold.answer ?? null,
      turns: views,
    },
    // What was wound back is no part of the conversation any more.
    said: new Map(
      turns.flatMap((turn, i) =>
        views[i]?.in_conversation ? [[turn.turn, messagesOf(views[i].prompt, turn)]] : [],
      ),
    ),
    parts,
    threads: new Map(
      turns.flatMap(({ turn, fold }) => (fold.threadId === null ? [] : [[turn, fold.threadId]])),
    ),
  };
}

/** All that is shown of one session. */
export function sessionView(store: Store, reading: SessionReading, nowMs: number): ReadSession {
  const steps = reading.turns.map(({ turn, fold }) => ({ turn, steps: fold.steps }));
  return { ...conversationView(store, reading, nowMs), steps };
}
