import type { AgentAdapter } from '../../agents/agent.ts';
import type { TurnPlace } from '../../core/conversation/lineage.ts';
import type { SessionId } from '../../core/ids.ts';
import type { LaunchRecord, RequestRecord } from '../../core/session.ts';
import { createCensus } from '../../process/bearers.ts';
import { turnFile } from '../../store/layout.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { readLaunch, readRequest } from '../../store/sessions.ts';
import { readTail } from '../../store/tail.ts';
import type { Store } from '../context.ts';
import { readTurn, type TurnReading, threadOfTurn } from '../turn/turn-state.ts';

const STDERR_TAIL = 1 << 16;

/** Whether the agent ended at once because it no longer has the thread which it was to continue. */
function isThreadGone(
  store: Store,
  id: SessionId,
  turn: number,
  adapter: AgentAdapter,
  launch: LaunchRecord | null,
): boolean {
  if (launch?.how !== 'native') return false;
  const stderr = readTail(turnFile(store.root, id, turn, 'stderr'), STDERR_TAIL);
  return adapter.explain({ message: null, stderr })?.code === 'thread_gone';
}

interface Course {
  readonly turn: number;
  readonly request: RequestRecord;
  readonly launch: LaunchRecord | null;
  readonly threadId: string | null;
  readonly summarised: boolean;
}

function placeOf(store: Store, id: SessionId, adapter: AgentAdapter | null, course: Course): TurnPlace {
  const { turn, request, launch, threadId, summarised } = course;
  return {
    turn,
    kind: request.kind,
    to: request.to,
    how: launch?.how ?? null,
    asked: launch?.thread_id ?? null,
    forks: launch?.forks ?? false,
    threadId,
    summarised,
    threadGone: threadId === null && adapter !== null && isThreadGone(store, id, turn, adapter, launch),
  };
}

function isSummarised({ request, verdict, outcome }: TurnReading): boolean {
  return request.kind === 'compact' && verdict.status === 'completed' && outcome.answer !== null;
}

/** What the course of the conversation needs to know of turns that were read. */
export function placesOf(
  store: Store,
  id: SessionId,
  adapter: AgentAdapter | null,
  turns: readonly TurnReading[],
): readonly TurnPlace[] {
  return turns.map((reading) => {
    const { turn, request, launch, outcome } = reading;
    const course = { turn, request, launch, threadId: outcome.threadId, summarised: isSummarised(reading) };
    return placeOf(store, id, adapter, course);
  });
}

/** The same of all turns of a session, without reading more of them than that needs. @throws DamagedRecord */
export async function readPlaces(
  store: Store,
  id: SessionId,
  adapter: AgentAdapter,
  turns: readonly number[],
  nowMs: number,
): Promise<readonly TurnPlace[]> {
  const places: TurnPlace[] = [];
  const census = createCensus();
  for (const turn of turns) {
    const request = readRequest(store.root, id, turn);
    if (request.kind === 'compact') {
      const reading = await readTurn(store, id, turn, adapter, nowMs, census);
      places.push(...placesOf(store, id, adapter, [reading]));
      continue;
    }
    const launch = unlessDamaged(() => readLaunch(store.root, id, turn));
    const threadId = request.kind === 'rewind' ? null : await threadOfTurn(store, id, turn, adapter);
    places.push(placeOf(store, id, adapter, { turn, request, launch, threadId, summarised: false }));
  }
  return places;
}
