import type { AgentAdapter } from '../agents/agent.ts';
import { createFolder, type TurnFold } from '../core/conversation/fold.ts';
import type { AgentEvent, Line, LineParser } from '../core/events.ts';
import type { SessionId } from '../core/ids.ts';
import type { LaunchRecord, ProcessIdentity, RequestRecord } from '../core/session.ts';
import {
  type CancelWhy,
  deriveStatus,
  type ExitFact,
  type Liveness,
  type Terminal,
  type TurnVerdict,
} from '../core/status.ts';
import { parseIso } from '../core/time.ts';
import { groupLives, livenessOf } from '../process/identity.ts';
import { turnFile } from '../store/layout.ts';
import { readLines } from '../store/lines.ts';
import { unlessDamaged } from '../store/read-file.ts';
import { readCancel, readExit, readLaunch, readRequest, readRunner } from '../store/sessions.ts';
import { readTail } from '../store/tail.ts';
import type { Store } from './context.ts';

/** The mark that every process of a turn carries in its environment. */
export function markOfTurn(id: SessionId, turn: number, nonce: string): string {
  return `${id}.${turn}.${nonce}`;
}

/** What the files of a turn and the kernel say, without its events. */
interface BareFacts {
  readonly request: RequestRecord;
  readonly claimer: Liveness;
  readonly runner: {
    readonly identity: ProcessIdentity;
    readonly startedMs: number;
    readonly self: Liveness;
    readonly group: boolean;
  } | null;
  readonly cancel: CancelWhy | null;
  readonly exit: {
    readonly fact: ExitFact;
    readonly endedMs: number;
    readonly eventsBytes: number | null;
  } | null;
}

/** A turn as a deciding verb sees it: its status and the processes to act upon, but no conversation. */
export interface TurnState {
  readonly turn: number;
  readonly request: RequestRecord;
  readonly runner: BareFacts['runner'];
  readonly exit: BareFacts['exit'];
  readonly terminal: Terminal | null;
  readonly verdict: TurnVerdict;
}

/** A turn with all that its agent printed. */
export interface TurnReading extends TurnState {
  readonly launch: LaunchRecord | null;
  readonly fold: TurnFold;
}

function runnerFacts({ root }: Store, id: SessionId, turn: number, mark: string): BareFacts['runner'] {
  const record = readRunner(root, id, turn);
  if (record === null) return null;
  const self = livenessOf(record.identity, mark);
  return { ...record, self, group: self === 'no' && groupLives(record.identity, mark) };
}

function readBareFacts(store: Store, id: SessionId, turn: number): BareFacts {
  const { root } = store;
  const request = readRequest(root, id, turn);
  const recorded = readExit(root, id, turn);
  if (recorded !== null) {
    // A recorded end is final: what the kernel says no longer matters, and asking it would cost every list dearly.
    const runner = readRunner(root, id, turn);
    return {
      request,
      claimer: 'no',
      runner: runner === null ? null : { ...runner, self: 'no', group: false },
      cancel: readCancel(root, id, turn)?.why ?? null,
      exit: exitFacts(recorded),
    };
  }
  const mark = markOfTurn(id, turn, request.nonce);
  const claimer = livenessOf(request.claimer, null);
  const shown = runnerFacts(store, id, turn, mark);
  const cancel = readCancel(root, id, turn)?.why ?? null;
  // A runner may have shown itself before the cancellation that we see now: only one that comes later obeys it.
  const runner = shown ?? (cancel === null ? null : runnerFacts(store, id, turn, mark));
  // Last: a runner writes its record before it dies, so a death that was seen above has its record by now.
  const exit = readExit(root, id, turn);
  return { request, claimer, runner, cancel, exit: exit === null ? null : exitFacts(exit) };
}

function exitFacts({
  record,
  endedMs,
}: NonNullable<ReturnType<typeof readExit>>): NonNullable<BareFacts['exit']> {
  return { fact: record, endedMs, eventsBytes: record.events_bytes };
}

/** Nothing writes to the stream any more: its last line may lack a newline, and what is in progress was interrupted. */
function isOver({ runner, exit }: BareFacts): boolean {
  return exit !== null || (runner !== null && runner.self === 'no' && !runner.group);
}

function judge(facts: BareFacts, terminal: Terminal | null, nowMs: number): TurnVerdict {
  return deriveStatus({
    queued: facts.request.queued,
    claimer: facts.claimer,
    ageMs: nowMs - (parseIso(facts.request.at) ?? 0),
    runner: facts.runner,
    cancel: facts.cancel,
    exit: facts.exit?.fact ?? null,
    terminal,
  });
}

function terminalOf(event: AgentEvent): Terminal | null {
  if (event.type === 'turn_completed') return { kind: 'completed' };
  return event.type === 'turn_failed' ? { kind: 'failed', message: event.message } : null;
}

/** Where a terminal event is looked for first: it is the last line of almost every stream that has one. */
const TAIL_BYTES = 1 << 18;

function lastTerminal(events: Iterable<AgentEvent>): Terminal | null {
  let last: Terminal | null = null;
  for (const event of events) last = terminalOf(event) ?? last;
  return last;
}

function* parsed(lines: Iterable<Line>, parse: LineParser): Generator<AgentEvent> {
  for (const line of lines) yield* parse(line);
}

/** The last terminal event of a stream that nobody writes to any more; however long, it is never held as a whole. */
async function readTerminal(
  path: string,
  limit: number | null,
  adapter: AgentAdapter,
  version: string | null,
): Promise<Terminal | null> {
  const tail = readTail(path, TAIL_BYTES, limit);
  const lines = tail.text.split('\n').flatMap((text, seq) => (text === '' ? [] : { seq, text }));
  const near = lastTerminal(parsed(lines, await adapter.loadParser(version)));
  if (near !== null || tail.whole) return near;
  return lastTerminal(parsed(readLines(path, { limit, ended: true }), await adapter.loadParser(version)));
}

/** The state of a turn from its records, the kernel, and the end of its stream. @throws DamagedRecord */
export async function readTurnState(
  store: Store,
  id: SessionId,
  turn: number,
  adapter: AgentAdapter | null,
  nowMs: number,
): Promise<TurnState> {
  const facts = readBareFacts(store, id, turn);
  const limit = facts.exit?.eventsBytes ?? null;
  const path = turnFile(store.root, id, turn, 'events');
  // Nothing is decided by launch.json: an agent that spoils it can still be stopped.
  const version = unlessDamaged(() => readLaunch(store.root, id, turn))?.agent_version ?? null;
  const terminal =
    isOver(facts) && adapter !== null ? await readTerminal(path, limit, adapter, version) : null;
  const { request, runner, exit } = facts;
  return { turn, request, runner, exit, terminal, verdict: judge(facts, terminal, nowMs) };
}

/** A turn with its whole stream folded. @throws DamagedRecord */
export async function readTurn(
  store: Store,
  id: SessionId,
  turn: number,
  adapter: AgentAdapter | null,
  nowMs: number,
): Promise<TurnReading> {
  const facts = readBareFacts(store, id, turn);
  const launch = readLaunch(store.root, id, turn);
  const ended = isOver(facts);
  const folder = createFolder();
  if (adapter !== null) {
    const parse = await adapter.loadParser(launch?.agent_version ?? null);
    const range = { limit: facts.exit?.eventsBytes ?? null, ended };
    for (const line of readLines(turnFile(store.root, id, turn, 'events'), range)) {
      for (const event of parse(line)) folder.add(event);
    }
  }
  const fold = folder.result(ended);
  const { request, runner, exit } = facts;
  const verdict = judge(facts, fold.terminal, nowMs);
  return { turn, request, runner, exit, terminal: fold.terminal, verdict, launch, fold };
}

/** The thread that the agent named first in a turn, or null; reads no further than that. @throws DamagedRecord */
export async function readThreadId(
  store: Store,
  id: SessionId,
  turn: number,
  adapter: AgentAdapter,
): Promise<string | null> {
  const parse = await adapter.loadParser(readLaunch(store.root, id, turn)?.agent_version ?? null);
  for (const line of readLines(turnFile(store.root, id, turn, 'events'), { limit: null, ended: true })) {
    for (const event of parse(line)) if (event.type === 'thread_started') return event.threadId;
  }
  return null;
}
