import type { AgentAdapter } from '../../agents/agent.ts';
import type { Folder } from '../../core/conversation/fold.ts';
import { createStepList, type PlacedStep } from '../../core/conversation/step-list.ts';
import { stepsInOrder } from '../../core/conversation/steps-in-order.ts';
import type { AgentEvent, Line, LineParser } from '../../core/events.ts';
import { type TurnDir, turnFile } from '../../store/layout.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { type LineRange, readLines } from '../../store/read-forward.ts';
import type { LaunchRecord } from '../../store/records.ts';
import { readLaunch } from '../../store/sessions.ts';

/** The stream of one turn: where it is, how much of it counts, and what its lines mean. */
export interface TurnStream {
  readonly path: string;
  readonly range: LineRange;
  readonly parse: LineParser;
}

/** What was launched in a turn, or null: nothing is decided by this record, so a damaged one counts as absent. */
export function launchOf(turn: TurnDir): LaunchRecord | null {
  return unlessDamaged(() => readLaunch(turn));
}

/** The stream of a turn, understood as in the agent's version that was launched; empty where the agent is unknown. */
export async function openStream(
  turn: TurnDir,
  range: LineRange,
  adapter: AgentAdapter | null,
  launch = launchOf(turn),
): Promise<TurnStream> {
  const path = turnFile(turn, 'events');
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

/** The agent's messages of a turn, as they are read; every event goes into the fold. @throws DamagedRecord */
export function* readMessages(stream: TurnStream, folder: Folder): Generator<string> {
  for (const event of readInto(folder, stream)) if (event.type === 'message') yield event.text;
}

/** The steps of a turn in their order, likewise. @throws DamagedRecord */
export function readSteps(stream: TurnStream, folder: Folder): Generator<PlacedStep> {
  return stepsInOrder(createStepList(), readInto(folder, stream), stream.range.ended);
}
