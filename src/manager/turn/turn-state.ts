import type { AgentAdapter } from '../../agents/agent.ts';
import type { TurnOutcome } from '../../core/conversation/fold.ts';
import type { LineParser } from '../../core/events.ts';
import type { SessionId } from '../../core/ids.ts';
import type { LaunchRecord, RequestRecord, RunnerRecord } from '../../core/session.ts';
import {
  type CancelWhy,
  deriveStatus,
  type ExitFact,
  type Liveness,
  type Terminal,
  type TurnVerdict,
} from '../../core/status.ts';
import { parseIso } from '../../core/time.ts';
import { marksOf } from '../../core/turn-mark.ts';
import { type Census, createCensus, processesOfTurn, type TurnProcesses } from '../../process/bearers.ts';
import { livenessOf } from '../../process/identity.ts';
import { turnFile } from '../../store/layout.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { readCancel, readExit, readLaunch, readRequest, readRunner } from '../../store/sessions.ts';
import type { Store } from '../context.ts';
import { readOutcome, readTerminal, readThreadId } from './turn-outcome.ts';
import { openStream, type TurnStream } from './turn-stream.ts';

/** What the files of a turn and the kernel say, without its events. */
interface BareFacts {
  readonly request: RequestRecord;
  readonly claimer: Liveness;
  /** Whom `runner.stat` names: within the agent's reach. */
  readonly runner: (RunnerRecord & { readonly fileMs: number }) | null;
  readonly processes: TurnProcesses;
  readonly cancel: CancelWhy | null;
  readonly exit: {
    readonly fact: ExitFact;
    readonly endedMs: number;
    readonly uptime: number | null;
    readonly eventsBytes: number | null;
  } | null;
}

/** A turn as a deciding verb sees it: its status and the processes to act upon, but no conversation. */
export interface TurnState {
  readonly turn: number;
  readonly request: RequestRecord;
  readonly runner: BareFacts['runner'];
  readonly processes: TurnProcesses;
  readonly cancel: CancelWhy | null;
  readonly exit: BareFacts['exit'];
  readonly terminal: Terminal | null;
  readonly verdict: TurnVerdict;
}

/** A turn with its outcome, and its stream for whoever reads on. */
export interface TurnReading extends TurnState {
  readonly launch: LaunchRecord | null;
  readonly outcome: TurnOutcome;
  readonly stream: TurnStream;
}

const NOTHING_LIVES: TurnProcesses = { runner: null, living: 'no' };

function readBareFacts(store: Store, id: SessionId, turn: number, census: Census): BareFacts {
  const { root } = store;
  const request = readRequest(root, id, turn);
  if (request.kind === 'rewind') {
    return { request, claimer: 'no', runner: null, processes: NOTHING_LIVES, cancel: null, exit: null };
  }
  const recorded = readExit(root, id, turn);
  if (recorded !== null) {
    // A recorded end is final: what the kernel says no longer matters, and asking it would cost every list dearly.
    const runner = readRunner(root, id, turn);
    const cancel = readCancel(root, id, turn);
    const exit = exitFacts(recorded);
    return { request, claimer: 'no', runner, processes: NOTHING_LIVES, cancel, exit };
  }
  const claimer = livenessOf(request.claimer);
  const shown = readRunner(root, id, turn);
  const marks = marksOf(store, id, turn);
  const processes = processesOfTurn(marks, shown?.identity ?? null, request.claimer, census);
  const cancel = readCancel(root, id, turn);
  // A runner may have shown itself before the cancellation that we see now: only one that comes later obeys it.
  const late = shown === null && cancel !== null ? readRunner(root, id, turn) : null;
  const runner = shown ?? late;
  const alive =
    late === null ? processes : processesOfTurn(marks, late.identity, request.claimer, createCensus());
  // Last: a runner writes its record before it dies, so a death that was seen above has its record by now.
  const exit = readExit(root, id, turn);
  return { request, claimer, runner, processes: alive, cancel, exit: exit === null ? null : exitFacts(exit) };
}

function exitFacts({
  record,
  endedMs,
}: NonNullable<ReturnType<typeof readExit>>): NonNullable<BareFacts['exit']> {
  return { fact: record, endedMs, uptime: record.uptime, eventsBytes: record.events_bytes };
}

/** Nothing writes to the stream any more: its last line may lack a newline, and what is in progress was interrupted. */
function isOver({ processes, exit }: BareFacts): boolean {
  return exit !== null || processes.living === 'no';
}

/** A marker is done as soon as it is there. */
const MARKED: TurnVerdict = {
  status: 'completed',
  reason: { kind: 'none' },
  exitCode: null,
  signal: null,
  stopping: false,
  orphaned: false,
};

function judge(facts: BareFacts, terminal: Terminal | null, nowMs: number): TurnVerdict {
  if (facts.request.kind === 'rewind') return MARKED;
  return deriveStatus({
    queued: facts.request.queued,
    claimer: facts.claimer,
    ageMs: nowMs - (parseIso(facts.request.at) ?? 0),
    launched: facts.runner !== null,
    living: facts.processes.living,
    attended: facts.processes.runner !== null,
    cancel: facts.cancel,
    exit: facts.exit?.fact ?? null,
    terminal,
  });
}

async function streamOf(
  store: Store,
  id: SessionId,
  turn: number,
  facts: BareFacts,
  adapter: AgentAdapter | null,
): Promise<{ readonly launch: LaunchRecord | null; readonly stream: TurnStream }> {
  // Nothing is decided by launch.json: an agent that spoils it can still be stopped.
  const launch = unlessDamaged(() => readLaunch(store.root, id, turn));
  const range = { limit: facts.exit?.eventsBytes ?? null, ended: isOver(facts) };
  const path = turnFile(store.root, id, turn, 'events');
  return { launch, stream: await openStream(path, range, adapter, launch) };
}

/** The state of a turn from its records, the kernel, and the end of its stream. @throws DamagedRecord */
export async function readTurnState(
  store: Store,
  id: SessionId,
  turn: number,
  adapter: AgentAdapter | null,
  nowMs: number,
): Promise<TurnState> {
  const facts = readBareFacts(store, id, turn, createCensus());
  const terminal = isOver(facts)
    ? readTerminal((await streamOf(store, id, turn, facts, adapter)).stream)
    : null;
  const { request, runner, processes, cancel, exit } = facts;
  const verdict = judge(facts, terminal, nowMs);
  return { turn, request, runner, processes, cancel, exit, terminal, verdict };
}

/** A turn with its outcome. @throws DamagedRecord */
export async function readTurn(
  store: Store,
  id: SessionId,
  turn: number,
  adapter: AgentAdapter | null,
  nowMs: number,
  census: Census,
): Promise<TurnReading> {
  const facts = readBareFacts(store, id, turn, census);
  const { launch, stream } = await streamOf(store, id, turn, facts, adapter);
  const outcome = readOutcome(stream);
  const { terminal } = outcome;
  const { request, runner, processes, cancel, exit } = facts;
  const verdict = judge(facts, terminal, nowMs);
  return { turn, request, runner, processes, cancel, exit, terminal, verdict, launch, outcome, stream };
}

/** What reads the lines of a turn: they mean what they meant in the agent's version that its launch recorded. */
export async function parserOfTurn(
  store: Store,
  id: SessionId,
  turn: number,
  adapter: AgentAdapter,
): Promise<LineParser> {
  const launch = unlessDamaged(() => readLaunch(store.root, id, turn));
  return adapter.loadParser(launch?.agent_version ?? null);
}

/** The thread that the agent named first in a turn, or null. @throws DamagedRecord */
export async function threadOfTurn(
  store: Store,
  id: SessionId,
  turn: number,
  adapter: AgentAdapter,
): Promise<string | null> {
  const launch = unlessDamaged(() => readLaunch(store.root, id, turn));
  // What somebody appended after the recorded end names nothing.
  const limit = readExit(store.root, id, turn)?.record.events_bytes ?? null;
  const path = turnFile(store.root, id, turn, 'events');
  return readThreadId(await openStream(path, { limit, ended: true }, adapter, launch));
}
