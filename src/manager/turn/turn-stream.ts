import type { AgentAdapter } from '../../agents/agent.ts';
import type { Folder } from '../../core/conversation/fold.ts';
import { createStepList, type PlacedStep } from '../../core/conversation/step-list.ts';
import { stepsInOrder } from '../../core/conversation/steps-in-order.ts';
import type { AgentEvent, Line, LineParser } from '../../core/events.ts';
import { ADOPTED_STREAMS } from '../../core/session.ts';
import { type TurnDir, turnFile } from '../../store/layout.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { type LineRange, readLines } from '../../store/read-forward.ts';
import { readTail } from '../../store/read-from-end.ts';
import type { LaunchRecord, RequestRecord } from '../../store/records.ts';
import { readLaunch } from '../../store/sessions.ts';

/** The stream of one turn: where it is, how much of it counts, and what its lines mean. */
export interface TurnStream {
  readonly path: string;
  readonly range: LineRange;
  /** A parser for one reading, from any line on. */
  readonly newParser: () => LineParser;
  /** Whether its tokens and its end are told by the whole of it, once it has ended; else its last lines tell them. */
  readonly readsWhole: boolean;
  /** Whether we know how to read it: the agent, and what the stream is; else it is empty. */
  readonly isReadable: boolean;
  /** The agent's thread, where that is known without the stream; else null. */
  readonly threadId: string | null;
}

/** What was launched in a turn, or null: nothing is decided by this record, so a damaged one counts as absent. */
export function launchOf(turn: TurnDir): LaunchRecord | null {
  return unlessDamaged(() => readLaunch(turn));
}

/** The stream of a turn, understood as in the agent's version that was launched; empty where the agent is unknown. */
export async function openStream(
  turn: TurnDir & { readonly request: RequestRecord },
  range: LineRange,
  adapter: AgentAdapter | null,
  launch = launchOf(turn),
): Promise<TurnStream> {
  const { adopted } = turn.request;
  const path = turnFile(turn, 'events');
  const threadId = adopted?.thread_id ?? null;
  if (adapter === null || (adopted !== null && !ADOPTED_STREAMS.includes(adopted.stream))) {
    const nothing = { range: { ...range, limit: 0 }, newParser: () => () => [] };
    return { path, ...nothing, readsWhole: false, isReadable: false, threadId };
  }
  const { readsWhole } = adapter;
  const version = launch?.agent_version ?? null;
  const newParser =
    adopted?.stream === 'history' ? await historyParser(adapter) : await adapter.loadParser(version);
  return { path, range, newParser, readsWhole, isReadable: true, threadId };
}

/** Parsers for lines of the agent's own session file. */
async function historyParser({ history }: AgentAdapter): Promise<() => LineParser> {
  const newReader = await history?.files?.loadReader();
  return () => {
    const read = newReader?.();
    return (line) => read?.(line).events ?? [];
  };
}

const STDERR_TAIL = 1 << 16;

/** The end of what the agent of a turn printed on stderr, where it says why it failed. @throws DamagedRecord */
export function stderrTail(turn: TurnDir): string {
  return readTail(turnFile(turn, 'stderr'), STDERR_TAIL);
}

/** The file with what the setup of a turn's worktree printed, and the last line of it. */
export function setupEnd(turn: TurnDir): { readonly log: string; readonly last: string } {
  const log = turnFile(turn, 'setup');
  const lines = readTail(log, STDERR_TAIL).split('\n');
  return { log, last: lines.findLast((line) => line.trim() !== '')?.trim() ?? 'it said nothing' };
}

/** The events of some lines. */
export function* eventsOf(lines: Iterable<Line>, parse: LineParser): Generator<AgentEvent> {
  for (const line of lines) yield* parse(line);
}

function* readInto(folder: Folder, { path, range, newParser }: TurnStream): Generator<AgentEvent> {
  for (const event of eventsOf(readLines(path, range), newParser())) {
    folder.add(event);
    yield event;
  }
}

/** The agent's messages of a turn, as they are read; every event goes into the fold. @throws DamagedRecord */
export function* readMessages(stream: TurnStream, folder: Folder): Generator<string> {
  for (const event of readInto(folder, stream)) {
    if (event.type === 'message' && event.subagent === undefined) yield event.text;
  }
}

/** The steps of a turn in their order, likewise. @throws DamagedRecord */
export function readSteps(stream: TurnStream, folder: Folder): Generator<PlacedStep> {
  return stepsInOrder(createStepList(), readInto(folder, stream), stream.range.ended);
}
