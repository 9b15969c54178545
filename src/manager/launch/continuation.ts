import type { AgentAdapter } from '../../agents/agent.ts';
import { createFolder } from '../../core/conversation/fold.ts';
import { type Lineage, lineageOf, type TurnPlace } from '../../core/conversation/lineage.ts';
import { toolContent } from '../../core/conversation/messages.ts';
import { type ReplayEntry, replayInput } from '../../core/conversation/replay.ts';
import type { SessionId } from '../../core/ids.ts';
import type { ForkOrigin, SessionRecord } from '../../core/session.ts';
import { createCensus } from '../../process/bearers.ts';
import type { HistoryFile } from '../../store/agent-history.ts';
import { readPrompt } from '../../store/sessions.ts';
import type { ManagerContext, Store } from '../context.ts';
import { orDamaged } from '../session/current-turn.ts';
import { readPlaces } from '../session/turn-lineage.ts';
import { historyOf } from '../turn/agent-history.ts';
import { readTurn, type TurnReading } from '../turn/turn-state.ts';
import { readSteps } from '../turn/turn-stream.ts';
import type { Continuation } from './launch-turn.ts';

/** So much of a conversation most agents take with ease: some 25,000 tokens. */
export const DEFAULT_HISTORY_CHARS = 100_000;

/** What a turn goes on with. */
export interface Continued {
  readonly id: SessionId;
  readonly record: SessionRecord;
  readonly adapter: AgentAdapter;
  /** The turns before it, ascending. */
  readonly turns: readonly number[];
  readonly message: string;
  readonly agentVersion: string | null;
  /** The most characters of a record of the conversation, where the agent has to be given one. */
  readonly historyChars: number;
}

/** The native way to go on with a conversation, or in words why there is none. */
function nativeWay(
  context: ManagerContext,
  { adapter, record, agentVersion }: Continued,
  { thread, parts }: Lineage,
  places: readonly TurnPlace[],
): Continuation | string {
  const { capabilities, name } = adapter;
  if (!capabilities.resume) return `${name} does not continue conversations`;
  if (thread === null) {
    if (places.every(({ threadId }) => threadId === null))
      return `${name} ended before it had named its conversation`;
    if (parts.some(({ kind }) => kind === 'summary')) return 'the conversation goes on from a summary';
    return places.some(({ kind }) => kind === 'rewind')
      ? 'the conversation was wound back'
      : 'no thread of the agent holds the whole conversation';
  }
  const file = historyOf(context, adapter, thread);
  if (file === null) return `${name} no longer has its thread ${thread}`;
  // A thread that a copied turn names is another session's, whatever an agent calls its own.
  const copied = record.forked_from?.turn ?? 0;
  const isOwn = places.every(({ turn, threadId }) => turn > copied || threadId !== thread);
  if (isOwn) return { how: 'native', threadId: thread, forks: false };
  if (!capabilities.fork(agentVersion)) return `this ${name} cannot fork a thread`;
  return isAsForked(record.forked_from, file)
    ? { how: 'native', threadId: thread, forks: true }
    : 'the thread that it was forked from has gone on since, or may have';
}

function isAsForked(origin: ForkOrigin | null, file: HistoryFile | undefined): boolean {
  return origin?.history_bytes != null && origin.history_bytes === file?.bytes;
}

function entriesOf(prompt: string | null, { request, stream }: TurnReading): ReplayEntry[] {
  const asked: ReplayEntry[] =
    prompt === null || request.kind !== 'prompt' ? [] : [{ role: 'user', text: prompt }];
  const done = [...readSteps(stream, createFolder())].flatMap(({ step }): ReplayEntry[] => {
    if (step.type === 'message') return [{ role: 'assistant', text: step.content }];
    const text = toolContent(step);
    return text === null ? [] : [{ role: 'tool', text }];
  });
  return [...asked, ...done];
}

/** What was said and done in a conversation, for a replay. @throws DamagedRecord */
async function readEntries(
  store: Store,
  { id, adapter }: Continued,
  { told }: Lineage,
  nowMs: number,
): Promise<readonly ReplayEntry[]> {
  const entries: ReplayEntry[] = [];
  for (const { kind, turn } of told) {
    const reading = await readTurn(store, id, turn, adapter, nowMs, createCensus());
    const prompt = readPrompt(store.root, id, turn)?.toString() ?? null;
    if (kind === 'turn') entries.push(...entriesOf(prompt, reading));
    else entries.push({ role: 'summary', text: reading.outcome.answer ?? '' });
  }
  return entries;
}

/**
 * How the next turn of a session goes on: in the agent's own thread while that equals the conversation and its file is
 * there, else from a record of the conversation. @throws ZwarmError `damaged`, `not_found`
 */
export function planContinuation(
  context: ManagerContext,
  store: Store,
  continued: Continued,
): Promise<Continuation> {
  return orDamaged(store, continued.id, () => plan(context, store, continued));
}

async function plan(context: ManagerContext, store: Store, continued: Continued): Promise<Continuation> {
  const { id, adapter, turns, message, historyChars } = continued;
  const places = await readPlaces(store, id, adapter, turns, context.now());
  const lineage = lineageOf(places);
  if (lineage.told.length === 0) return { how: 'fresh' };
  const way = nativeWay(context, continued, lineage, places);
  if (typeof way !== 'string') return way;
  const input = replayInput(
    await readEntries(store, continued, lineage, context.now()),
    message,
    historyChars,
  );
  return input === message ? { how: 'fresh' } : { how: 'replay', input, why: way };
}
