import { createFolder, type Folder, type TurnFold } from '../../core/conversation/fold.ts';
import type { TurnReader } from '../../core/conversation/session-reader.ts';
import { type Step, toolContent } from '../../core/conversation/steps.ts';
import type { StepClock } from '../../core/conversation/trajectory.ts';
import type { Message, TokenUsage, TurnView } from '../../core/session.ts';
import { isFinal } from '../../core/status.ts';
import { isoTime } from '../../core/time.ts';
import { isSaid } from '../../core/turn-kinds.ts';
import { turnFile } from '../../store/layout.ts';
import { lookAt } from '../../store/read-file.ts';
import { recordOfTurn } from '../../store/records.ts';
import { readCancel, readPrompt, readSnapshot } from '../../store/sessions.ts';
import type { TurnReading } from '../turn/turn-state.ts';
import { readMessages, readSteps, type TurnStream } from '../turn/turn-stream.ts';
import { otherHostOf } from '../turn/where-it-ran.ts';
import { walkOrDamaged } from './damage.ts';
import {
  directoryOf,
  durationOf,
  explain,
  hasLostThread,
  howOf,
  type SessionReading,
  startedMs,
} from './session-state.ts';

function warningsOf(turn: TurnReading, { warnings, malformed }: TurnFold): readonly string[] {
  const { request, launch, outcome, exit, verdict } = turn;
  const reason = verdict.status === 'killed' ? (readCancel(turn)?.reason ?? null) : null;
  const all: readonly (string | false | null | undefined)[] = [
    launch !== null &&
      hasLostThread(launch, outcome) &&
      `the agent did not continue its thread ${launch.thread_id} but began ${outcome.threadId}: it does not know the earlier turns`,
    ...warnings,
    malformed === 1 && '1 line of its output could not be read; it is kept in the log file',
    malformed > 1 && `${malformed} lines of its output could not be read; they are kept in the log file`,
    exit?.record.why === null && exit.record.detail,
    request.opened !== null &&
      exit === null &&
      isFinal(verdict.status) &&
      'it was cut off: what was said there comes in with the next message, or a fork',
    reason !== null && `it was ended on request: ${reason}`,
  ];
  return all.filter((warning) => typeof warning === 'string');
}

/** What a turn alone used, whether it is part of the conversation, and whether it was rewound. */
interface Account {
  readonly usage: TokenUsage | null;
  readonly cost: number | null;
  readonly inConversation: boolean;
  readonly undone: boolean;
  readonly nowMs: number;
  /** Makes what tells when its steps were done. */
  readonly newClock: (turn: TurnReading) => StepClock;
}

/** Reads the conversation of a turn. */
export function createTurnReader(
  session: SessionReading,
  reading: TurnReading,
  { usage, cost, inConversation, undone, nowMs, newClock }: Account,
): TurnReader {
  const { turn, request, stream, verdict, launch, outcome, exit } = reading;
  const started = startedMs(reading);
  const view: TurnReader['view'] = {
    turn,
    kind: request.kind,
    agent: recordOfTurn(session.record, request).agent,
    by: request.by,
    to: request.to,
    covers: request.covers,
    retry: request.retry,
    in_conversation: inConversation,
    undone,
    prompt: readPrompt(reading)?.toString() ?? null,
    status: verdict.status,
    started_at: started === null ? null : isoTime(started),
    ended_at: exit === null ? null : isoTime(exit.endedMs),
    duration_ms: durationOf(reading, nowMs),
    exit_code: verdict.exitCode,
    signal: verdict.signal,
    error: explain(session, reading),
    answer: outcome.answer,
    token_usage: usage,
    cost_usd: cost,
    diff_stat: readSnapshot(reading, 'after')?.changed ?? null,
    how: howOf(reading),
    replay_reason: launch?.why ?? null,
    log_file: turnFile(reading, 'events'),
    stderr_file: turnFile(reading, 'stderr'),
    host: otherHostOf(reading),
  };
  let fold: TurnFold | null = null;

  function* walk<T>(read: (stream: TurnStream, folder: Folder) => Iterable<T>): Generator<T> {
    const folder = createFolder();
    yield* walkOrDamaged(reading, read(stream, folder));
    fold = folder.result();
  }

  function* messages(full: boolean): Generator<Message> {
    if (!inConversation) return;
    if (view.prompt !== null && isSaid(request.kind))
      yield { role: 'user', content: view.prompt, turn, timestamp: request.at };
    const clock = newClock(reading);
    const said = (step: Step, content: string): Message => {
      const time = clock(step);
      const role = step.type === 'message' ? 'assistant' : 'tool';
      return { role, content, turn, timestamp: time && isoTime(time.endedMs) };
    };
    if (!full) {
      for (const content of walk(readMessages))
        yield said({ type: 'message', role: 'assistant', content }, content);
      return;
    }
    for (const { step } of walk(readSteps)) {
      const content = step.type === 'message' ? step.content : toolContent(step);
      if (content !== null) yield said(step, content);
    }
  }

  function whole(): TurnView {
    if (fold === null) {
      const folder = createFolder();
      for (const _ of walkOrDamaged(reading, readMessages(stream, folder)));
      fold = folder.result();
    }
    return { ...view, answer: fold.answer, warnings: warningsOf(reading, fold) };
  }

  return {
    view,
    directory: directoryOf(session.record, reading),
    bytes: () => lookAt(stream.path)?.size ?? 0,
    messages,
    steps: () => walk(readSteps),
    newClock: () => newClock(reading),
    whole,
  };
}
