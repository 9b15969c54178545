import type { AgentAdapter } from '../agents/agent.ts';
import { createFolder, type TurnFold } from '../core/conversation/fold.ts';
import type { Folder } from '../core/conversation/outcome.ts';
import type { Line, LineParser, PassedOver, Sieve } from '../core/events.ts';
import type { LaunchRecord } from '../core/session.ts';
import type { LineRange } from '../store/follow.ts';
import { readSieved } from '../store/lines.ts';

/** The stream of one turn: where it is, how much of it counts, and how its lines are read. */
export interface TurnStream {
  readonly path: string;
  readonly range: LineRange;
  readonly parse: LineParser;
  readonly sieve: Sieve | null;
}

/** What is made of a stream: all of it, or what was said, or no more than `readOutcome` needs. @throws DamagedRecord */
export type ReadStream<F> = (stream: TurnStream) => F;

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
  if (adapter === null) return { path, range: { ...range, limit: 0 }, parse: () => [], sieve: null };
  const parse = await adapter.loadParser(launch?.agent_version ?? null);
  return { path, range, parse, sieve: adapter.sieve };
}

/** Adds what some lines mean to a fold. */
export function addLines(
  folder: Folder<unknown>,
  lines: Iterable<Line | PassedOver>,
  parse: LineParser,
): void {
  for (const line of lines) {
    if ('type' in line) folder.add(line);
    else for (const event of parse(line)) folder.add(event);
  }
}

/** All that was said and done in a turn: every line is parsed. */
export function readSteps({ path, range, parse }: TurnStream): TurnFold {
  const folder = createFolder();
  addLines(folder, readSieved(path, range, null), parse);
  return folder.result(range.ended);
}
