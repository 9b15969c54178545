import type { ChangeCount } from '../../core/changes.ts';
import type { TurnOutcome } from '../../core/conversation/fold.ts';
import { stepLine } from '../../core/conversation/steps.ts';
import { sumUsage, usagePerTurn } from '../../core/conversation/usage.ts';
import { inConversation, type Speaking, speakingTurn } from '../../core/rules/speaking-turn.ts';
import {
  cutLine,
  cutText,
  firstLine,
  LONGEST_LINE,
  type SessionError,
  type SessionState,
  type TokenUsage,
} from '../../core/session.ts';
import type { Prices, Spent, Unmeasured } from '../../core/spending.ts';
import { isFinal } from '../../core/status.ts';
import { isoTime, parseIso, writtenMs } from '../../core/time.ts';
import { isSaid } from '../../core/turn-kinds.ts';
import { copiedTurns, type LaunchRecord, recordOfTurn, type SessionRecord } from '../../store/records.ts';
import { eventsMtime, readCancel, readPrompt, readSnapshot } from '../../store/sessions.ts';
import type { Session } from '../context.ts';
import { explainVerdict } from '../turn/explain-failure.ts';
import { readLastStep } from '../turn/last-step.ts';
import type { TurnReading } from '../turn/turn-state.ts';
import { setupEnd, stderrTail } from '../turn/turn-stream.ts';
import { whereStarted } from '../turn/where-it-ran.ts';
import { requireTurns } from './current-turn.ts';
import { modelUsedIn } from './model-used.ts';
import type { waitingOf } from './waiting.ts';

/** A session with the outcomes of its turns. */
export interface SessionReading extends Session {
  readonly record: SessionRecord;
  readonly prices: Prices;
  readonly turns: readonly TurnReading[];
  /** What of its records only a newer zwarm knows, in words. */
  readonly unknown: readonly string[];
  readonly waiting: Awaited<ReturnType<typeof waitingOf>>;
}

/** Where the agent of a turn works, or worked. */
export function directoryOf({ working_dir }: SessionRecord, { launch }: Pick<TurnReading, 'launch'>): string {
  return launch?.working_dir ?? working_dir;
}

/** Why a turn failed, or null. */
export function explain({ record }: Pick<SessionReading, 'record'>, turn: TurnReading): SessionError | null {
  return explainVerdict(turn.verdict, {
    id: turn.id,
    adapter: turn.adapter,
    workingDir: directoryOf(record, turn),
    terminal: turn.terminal,
    launched: turn.runner !== null,
    adopted: turn.request.adopted !== null,
    where: whereStarted(turn),
    endedMs: turn.exit?.endedMs ?? eventsMtime(turn),
    timeZone: turn.launch?.time_zone ?? null,
    limit: turn.cancel === 'limit' ? (readCancel(turn)?.limit ?? null) : null,
    stderr: () => stderrTail(turn),
    setup: () => setupEnd(turn),
  });
}

/** Whether the agent was to continue one thread, and used another. */
export function hasLostThread({ thread_id: asked, forks }: LaunchRecord, { threadId }: TurnOutcome): boolean {
  return asked !== null && !forks && threadId !== null && threadId !== asked;
}

/** How a turn really reached its agent: with another thread than it was asked for, the agent has begun afresh. */
export function howOf({ launch, outcome }: TurnReading): string | null {
  return launch !== null && hasLostThread(launch, outcome) ? 'fresh' : (launch?.how ?? null);
}

/** The tokens of each turn. */
export function usageOf(turns: readonly TurnReading[]): (TokenUsage | null)[] {
  return usagePerTurn(
    turns.map((turn) => ({
      threadId: turn.outcome.threadId,
      tokens: turn.outcome.tokens,
      fresh: howOf(turn) !== 'native',
      copyOf: turn.launch?.forks ? turn.launch.thread_id : null,
    })),
  );
}

/** When a turn has ended, as far as that is known; null while it has not. */
const endOf = (turn: TurnReading): string | null =>
  isFinal(turn.verdict.status) ? isoTime(updatedMs(turn)) : null;

/** The turns that have run and ended, and did not tell what they used. */
export function unmeasuredOf(reading: SessionReading): readonly Unmeasured[] {
  const told = new Set(spentOf(reading).map(({ turn }) => turn));
  return reading.turns.flatMap((turn) => {
    const ended = turn.runner === null || told.has(turn.turn) ? null : endOf(turn);
    return ended === null ? [] : [{ turn: turn.turn, ended }];
  });
}

/** What each turn used that used anything. */
export function spentOf({ record, turns }: SessionReading): readonly Spent[] {
  const usage = usageOf(turns);
  return turns.flatMap((turn, i): Spent[] => {
    const { agent, model } = recordOfTurn(record, turn.request);
    const tokens = usage[i] ?? null;
    const reported = turn.outcome.tokens?.costUsd ?? null;
    if (tokens === null && reported === null) return [];
    const started = startedMs(turn);
    const at = started === null ? null : isoTime(started);
    return [{ turn: turn.turn, at, ended: endOf(turn), agent, model, tokens, reported }];
  });
}

/** When the runner showed itself (ms since the epoch), or null. */
export function startedMs({
  request,
  runner,
  launch,
}: Pick<TurnReading, 'request' | 'runner' | 'launch'>): number | null {
  if (request.adopted !== null) return parseIso(request.adopted.started_at);
  if (request.opened !== null) return parseIso(request.at);
  return runner === null ? null : writtenMs(runner.fileMs, parseIso(launch?.at ?? null));
}

/** What the last activity of a session depends on, of one turn. */
type ActiveTurn = Pick<
  TurnReading,
  'store' | 'id' | 'turn' | 'request' | 'runner' | 'launch' | 'exit' | 'processes'
>;

/**
 * When something was last asked of a session, began or ended (ms since the epoch); what was taken in from elsewhere keeps its
 * time. Of one that runs it does not move, so that `@last` stays the same one of several that run.
 * @param newestFirst its turns; no more than is needed are asked for
 */
export function activeMs(
  { created_at }: Pick<SessionRecord, 'created_at'>,
  newestFirst: Iterable<ActiveTurn>,
): number {
  let active = parseIso(created_at) ?? 0;
  for (const turn of newestFirst) {
    const { request, exit, runner, processes } = turn;
    active = Math.max(active, parseIso(request.at) ?? 0, startedMs(turn) ?? 0, exit?.endedMs ?? 0);
    // A message that was withdrawn may have ended before what ran then.
    if (exit !== null && (runner !== null || request.adopted !== null)) break;
    if (exit === null && runner !== null && processes.living !== 'yes')
      active = Math.max(active, eventsMtime(turn) ?? 0);
  }
  return active;
}

/** How long a turn ran, or has run (ms), by the clock of the machine since its start where it tells; or null. */
export function durationOf(turn: TurnReading, nowMs: number): number | null {
  // What was done there has turns of its own.
  if (turn.isMarker) return null;
  const { runner, exit, verdict } = turn;
  const began = runner?.uptime ?? null;
  const ended = exit?.record.uptime ?? null;
  if (began !== null && ended !== null) return ended < began ? null : Math.round((ended - began) * 1000);
  const start = startedMs(turn);
  const end = exit?.endedMs ?? (verdict.status === 'running' ? nowMs : null);
  if (start === null || end === null) return null;
  const ms = Math.round(end - start);
  // Less: the clock was set back in between. Its two readings may differ by a millisecond.
  return ms < -1 ? null : Math.max(0, ms);
}

function updatedMs(turn: TurnReading): number {
  const news = turn.exit?.endedMs ?? Math.max(startedMs(turn) ?? 0, eventsMtime(turn) ?? 0);
  return Math.max(parseIso(turn.request.at) ?? 0, news);
}

/** The newest message of a conversation, whose turns are told newest first, cut as in a list; or null. */
function lastPromptOf(conversation: readonly TurnReading[]): string | null {
  for (const turn of conversation) {
    const prompt = isSaid(turn.request.kind) ? readPrompt(turn) : null;
    if (prompt !== null) return cutLine(prompt.toString(), LONGEST_LINE);
  }
  return null;
}

function currentStepOf({ request, adapter, stream }: TurnReading, directory: string): string | null {
  if (request.opened !== null) return `open in ${adapter?.name ?? 'its own program'}`;
  const step = readLastStep(stream);
  return step === null ? null : cutLine(stepLine(step, directory), LONGEST_LINE);
}

/** What the turns of a session have changed by the end of the newest one of which that is known. */
function changedBy(turns: readonly TurnReading[]): ChangeCount | null {
  for (const turn of turns.toReversed()) {
    const total = readSnapshot(turn, 'after')?.total ?? null;
    if (total !== null) return total;
  }
  return null;
}

/** What the turn that speaks for a session tells of it; of one that is ready none does. */
type Spoken = Omit<
  SessionState,
  | 'last_prompt'
  | 'updated_at'
  | 'active_at'
  | 'duration_ms'
  | 'queued'
  | 'thread_id'
  | 'model_used'
  | 'token_usage'
  | 'diff_stat'
>;

const READY: Spoken = {
  status: 'ready',
  turn: null,
  current_step: null,
  turn_started_at: null,
  ended_at: null,
  pid: null,
  exit_code: null,
  signal: null,
  error: null,
  pending: null,
  last_message: null,
  answer_line: null,
};

function spokenOf(
  reading: SessionReading,
  { current, isUndone }: Pick<Speaking<TurnReading>, 'current' | 'isUndone'>,
): Spoken {
  if (current === null) return READY;
  const { verdict, exit, outcome } = current;
  const { status } = verdict;
  const started = startedMs(current);
  // What is said after it was rewound is not part of the conversation.
  const answer = isUndone ? null : outcome.answer;
  return {
    status,
    turn: current.turn,
    current_step: status === 'running' ? currentStepOf(current, reading.record.working_dir) : null,
    turn_started_at: started === null ? null : isoTime(started),
    ended_at: exit === null || !isFinal(status) ? null : isoTime(exit.endedMs),
    pid: status === 'running' ? current.processes.runner : null,
    exit_code: verdict.exitCode,
    signal: verdict.signal,
    error: explain(reading, current),
    pending: status === 'pending' ? reading.waiting.pending : null,
    last_message: answer === null ? null : cutText(answer),
    answer_line: answer === null ? null : cutLine(firstLine(answer), LONGEST_LINE),
  };
}

/** How a session stands: what the turn that speaks for it tells, where its conversation stands, and the sums over all turns. */
export function stateOf(reading: SessionReading, nowMs: number): SessionState {
  const { turns, record, waiting } = reading;
  requireTurns(turns);
  const newestFirst = turns.toReversed();
  const copies = copiedTurns(record);
  const speaking = speakingTurn(newestFirst, copies);
  const conversation = inConversation(newestFirst);
  const own = turns.filter(({ turn }) => turn > copies);
  const durations = own.flatMap((turn) => durationOf(turn, nowMs) ?? []);
  const updated = [
    speaking.current === null ? 0 : updatedMs(speaking.current),
    // A fork, a rewind and a message that was withdrawn are news of a session, too.
    parseIso(record.created_at) ?? 0,
    ...turns.map(({ exit }) => exit?.endedMs ?? 0),
    parseIso(turns.at(-1)?.request.at ?? null) ?? 0,
  ];
  const threaded = conversation.find(({ outcome }) => outcome.threadId !== null);
  return {
    ...spokenOf(reading, speaking),
    last_prompt: lastPromptOf(conversation),
    updated_at: isoTime(Math.max(...updated)),
    active_at: isoTime(activeMs(record, newestFirst)),
    duration_ms: durations.length === 0 ? null : durations.reduce((sum, ms) => sum + ms, 0),
    queued: waiting.queued,
    thread_id: threaded?.outcome.threadId ?? null,
    model_used: threaded === undefined ? null : modelUsedIn(threaded),
    token_usage: sumUsage(usageOf(turns).slice(turns.length - own.length)),
    diff_stat: changedBy(turns),
  };
}
