import type { AgentAdapter } from '../../agents/agent.ts';
import { findAgent } from '../../agents/registry.ts';
import type { TurnOutcome } from '../../core/conversation/fold.ts';
import { EXECUTORS } from '../../core/session.ts';
import { deriveStatus, type Liveness, type Terminal, type TurnVerdict } from '../../core/status.ts';
import { parseIso } from '../../core/time.ts';
import { isMarkerKind, isTurnKind } from '../../core/turn-kinds.ts';
import { marksOfClaim } from '../../core/turn-mark.ts';
import { livenessOf } from '../../process/identity.ts';
import {
  anyLives,
  type Census,
  createCensus,
  processesOfTurn,
  type TurnProcesses,
} from '../../process/turn-processes.ts';
import { turnFile } from '../../store/layout.ts';
import { lookAt } from '../../store/read-file.ts';
import type { LineRange } from '../../store/read-forward.ts';
import {
  type LaunchRecord,
  type RequestRecord,
  recordOfTurn,
  type SessionRecord,
} from '../../store/records.ts';
import {
  type RecordedEnd,
  readCancel,
  readExit,
  readPrompt,
  readRequest,
  readRunner,
} from '../../store/sessions.ts';
import type { Turn } from '../context.ts';
import { readOutcome, readTerminal, readThreadId } from './turn-outcome.ts';
import { launchOf, openStream, type TurnStream } from './turn-stream.ts';

/** What the files of a turn and the kernel say, without its events. */
export interface BareFacts {
  readonly request: RequestRecord;
  /** Whether nothing runs in it: it only says something of other turns. */
  readonly isMarker: boolean;
  /** What runs it, where we do not know that and cannot tell whether it lives; else null. */
  readonly executor: string | null;
  readonly claimer: Liveness;
  readonly runner: ReturnType<typeof readRunner>;
  readonly processes: TurnProcesses;
  readonly cancel: string | null;
  readonly exit: RecordedEnd | null;
}

/** A turn as a deciding verb sees it: its status and the processes to act upon, but no conversation. */
export interface TurnState extends Turn, BareFacts {
  /** The agent that runs it; null for one that we do not know, and where its stream is not read. */
  readonly adapter: AgentAdapter | null;
  readonly terminal: Terminal | null;
  readonly verdict: TurnVerdict;
}

/** A turn with its outcome, and its stream for further reading. */
export interface TurnReading extends TurnState {
  readonly launch: LaunchRecord | null;
  readonly outcome: TurnOutcome;
  readonly stream: TurnStream;
}

const NOTHING_LIVES = { claimer: 'no', processes: { runner: null, living: 'no' } } as const;
const MARKED_FACTS = {
  isMarker: true,
  executor: null,
  ...NOTHING_LIVES,
  runner: null,
  cancel: null,
  exit: null,
} as const;

/** Whether nothing runs in a turn: of a kind that we do not know, one with no message, and no trace of anything that ran. */
export function isMarkerOf(turn: Turn, request: RequestRecord, census: Census = createCensus()): boolean {
  const { kind, queued, claimer, nonce } = request;
  if (isTurnKind(kind)) return isMarkerKind(kind);
  if (queued || readPrompt(turn) !== null || launchOf(turn) !== null) return false;
  if (readRunner(turn) !== null || readExit(turn) !== null) return false;
  if ((lookAt(turnFile(turn, 'events'))?.size ?? 0) > 0) return false;
  return processesOfTurn(marksOfClaim(turn, nonce), null, claimer, census).living === 'no';
}

/**
 * What holds a session open by a turn: the command that claimed it, and the agent's own program with the mark of the turn. Null
 * for a turn that is none such, or whose end is recorded. @throws DamagedRecord
 */
export function readHolder(turn: Turn, { opened, claimer: by, nonce }: RequestRecord, census: Census) {
  if (opened === null || readExit(turn) !== null) return null;
  const claimer = livenessOf(by);
  const isOpen = claimer === 'no' && anyLives(marksOfClaim(turn, nonce), census);
  return { claimer, living: isOpen ? ('yes' as const) : claimer };
}

/** What the files of a turn and the kernel say, without its events. @throws DamagedRecord */
export function readBareFacts(turn: Turn, census: Census): BareFacts {
  const request = readRequest(turn);
  const holder = readHolder(turn, request, census);
  if (holder !== null && holder.living !== 'no') {
    const { claimer, living } = holder;
    return { request, ...MARKED_FACTS, isMarker: false, claimer, processes: { runner: null, living } };
  }
  if (request.opened !== null) return { request, ...MARKED_FACTS, exit: readExit(turn) };
  if (isMarkerOf(turn, request, census)) return { request, ...MARKED_FACTS };
  const known = { request, isMarker: false, executor: null } as const;
  const recorded = readExit(turn);
  // A recorded end is final: what the kernel says no longer matters, and asking it would make every list slow.
  if (recorded !== null) {
    const [runner, cancel] = [readRunner(turn), readCancel(turn)?.why ?? null];
    return { ...known, ...NOTHING_LIVES, runner, cancel, exit: recorded };
  }
  const shown = readRunner(turn);
  // Nobody has launched it: to look for its processes would make a long queue slow.
  if (request.queued && shown === null && launchOf(turn) === null) {
    const cancel = readCancel(turn)?.why ?? null;
    const exit = readExit(turn);
    return { ...known, ...NOTHING_LIVES, runner: null, cancel, exit };
  }
  const claimer = livenessOf(request.claimer);
  const marks = marksOfClaim(turn, request.nonce);
  const processes = processesOfTurn(marks, shown?.identity ?? null, request.claimer, census);
  const cancel = readCancel(turn)?.why ?? null;
  // A runner may have shown itself before the cancellation that we see now: only one that comes later obeys it.
  const late = shown === null && cancel !== null ? readRunner(turn) : null;
  const alive =
    late === null ? processes : processesOfTurn(marks, late.identity, request.claimer, createCensus());
  // Last: a runner writes its record before it dies, so a death that was seen above has its record by now.
  return { ...known, claimer, runner: shown ?? late, processes: alive, cancel, exit: readExit(turn) };
}

/** A marker is complete as soon as it exists. */
const MARKED: TurnVerdict = { status: 'completed', exitCode: null, signal: null };

/** The same of what something runs that we do not know: without a recorded end nobody here can tell whether it lives. */
function orElsewhere(turn: Turn, facts: BareFacts, record: SessionRecord | null): BareFacts {
  const { isMarker, exit, request, runner, processes } = facts;
  const isKnown = record === null || EXECUTORS.includes(record.executor);
  const waits = request.queued && runner === null && launchOf(turn) === null;
  if (isKnown || isMarker || exit !== null || waits || processes.living === 'yes') return facts;
  return {
    ...facts,
    executor: record.executor,
    claimer: 'cannot_tell',
    processes: { runner: null, living: 'cannot_tell' },
  };
}

/** Where the stream cannot be read, the end that was recorded tells how a turn ended: well, unless it says otherwise. */
function terminalOf(exit: RecordedEnd | null): Terminal | null {
  const { code = null, why = null, cancelled = true } = exit?.record ?? {};
  return !cancelled && why === null && (code ?? 0) === 0 ? { kind: 'completed' } : null;
}

function judge(facts: BareFacts, terminal: Terminal | null, nowMs: number): TurnVerdict {
  const { request, isMarker, claimer, runner, processes, cancel, exit } = facts;
  if (isMarker) return MARKED;
  return deriveStatus({
    adopted: request.adopted !== null,
    queued: request.queued,
    claimer,
    ageMs: nowMs - (parseIso(request.at) ?? 0),
    launched: runner !== null,
    living: processes.living,
    cancel,
    exit: exit?.record ?? null,
    terminal,
  });
}

/** How much of the stream counts. It is over where nothing writes to it any more: its last line may lack a newline. */
function rangeOf({ exit, processes }: BareFacts): LineRange {
  return { limit: exit?.record.events_bytes ?? null, ended: exit !== null || processes.living === 'no' };
}

/** The agent that runs a turn; null for one that we do not know. */
export function adapterOf(record: SessionRecord, request: RequestRecord): AgentAdapter | null {
  return findAgent(recordOfTurn(record, request).agent);
}

/**
 * The state of a turn from its records, the kernel, and the end of its stream; without the `record` of its session the
 * stream is not read. @throws DamagedRecord
 */
export async function readTurnState(
  { store, id, turn }: Turn,
  record: SessionRecord | null,
  nowMs: number,
): Promise<TurnState> {
  const at = { store, id, turn };
  const facts = orElsewhere(at, readBareFacts(at, createCensus()), record);
  const adapter = record === null ? null : adapterOf(record, facts.request);
  const range = rangeOf(facts);
  const stream = range.ended ? await openStream({ ...at, ...facts }, range, adapter) : null;
  const terminal = stream && (stream.isReadable ? readTerminal(stream) : terminalOf(facts.exit));
  return { ...at, ...facts, adapter, terminal, verdict: judge(facts, terminal, nowMs) };
}

/** A turn with its outcome. One `census` serves a whole list. @throws DamagedRecord */
export async function readTurnWithOutcome(
  turn: Turn,
  record: SessionRecord,
  nowMs: number,
  census: Census = createCensus(),
): Promise<TurnReading> {
  const facts = orElsewhere(turn, readBareFacts(turn, census), record);
  const launch = launchOf(turn);
  const adapter = adapterOf(record, facts.request);
  const stream = await openStream({ ...turn, ...facts }, rangeOf(facts), adapter, launch);
  const outcome = readOutcome(stream);
  const terminal = stream.isReadable ? outcome.terminal : terminalOf(facts.exit);
  return {
    ...turn,
    ...facts,
    adapter,
    terminal,
    verdict: judge(facts, terminal, nowMs),
    launch,
    outcome,
    stream,
  };
}

/** The thread that the agent named first in a turn, or null. @throws DamagedRecord */
export async function threadOfTurn(
  turn: Turn & Pick<TurnState, 'request'>,
  adapter: AgentAdapter,
): Promise<string | null> {
  // Whatever was appended after the recorded end does not count.
  const limit = readExit(turn)?.record.events_bytes ?? null;
  return readThreadId(await openStream(turn, { limit, ended: true }, adapter));
}
