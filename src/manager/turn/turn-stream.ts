import type { AgentAdapter } from '../../agents/agent.ts';
import type { Folder } from '../../core/conversation/fold.ts';
import { createStepList, type PlacedStep } from '../../core/conversation/step-list.ts';
import { stepsInOrder } from '../../core/conversation/steps-in-order.ts';
import type { AgentEvent, Line, LineParser } from '../../core/events.ts';
import type { LaunchRecord } from '../../core/session.ts';
import { type LineRange, readLines } from '../../store/read-forward.ts';

/** The stream of one turn: where it is, how much of it counts, and what its lines mean. */
export interface TurnStream {
  readonly path: string;
  readonly range: LineRange;
  readonly parse: LineParser;
}

/**
 * The stream at a path; nothing is read of it where nobody knows the agent. Its lines mean what they meant in the agent's
 * version that the launch recorded.
 */
export async function openStream(
  path: string,
  range: LineRange,
  adapter: AgentAdapter | null,
  launch: LaunchRecord | null,
): Promise<TurnStream> {
  if (adapter === null) return { path, range: { ...range, limit: 0 }, parse: () => [] };
  return { path, range, parse: await adapter.loadParser(launch?.agent_version ?? null) };
}

/** The events of some lines. */
export function* eventsOf(lines: Iterable<Line>, parse: LineParser): Generator<AgentEvent> {
  for (const line of lines) yield* parse(line);
}

function* readInto(folder: Folder, { path, range, parse }: TurnStream): Generator<AgentEvent> {
  for (const event of eventsOf(readLines(path, range), parse)) {
    folder.add(event);
    yield event;
  }
}

/** What the agent said in a turn, as it is read; every event of the turn goes into the fold. @throws DamagedRecord */
export function* readMessages(stream: TurnStream, folder: Folder): Generator<string> {
  for (const event of readInto(folder, stream)) if (event.type === 'message') yield event.text;
}

/** What the agent did in a turn, likewise, in its order. @throws DamagedRecord */
export function readSteps(stream: TurnStream, folder: Folder): Generator<PlacedStep> {
  return stepsInOrder(createStepList(), readInto(folder, stream), stream.range.ended);
}
