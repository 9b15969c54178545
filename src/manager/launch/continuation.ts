import type { AgentAdapter } from '../../agents/agent.ts';
import { createFolder } from '../../core/conversation/fold.ts';
import { type Lineage, type LineageTurn, lineageOf } from '../../core/conversation/lineage.ts';
import { type ReplayEntry, replayInput } from '../../core/conversation/replay.ts';
import { toolContent } from '../../core/conversation/steps.ts';
import type { HistoryFile } from '../../store/agent-history.ts';
import type { ForkOrigin, SessionRecord } from '../../store/records.ts';
import { readPrompt } from '../../store/sessions.ts';
import type { ManagerContext, Session } from '../context.ts';
import { orDamaged } from '../session/damage.ts';
import { readLineageTurns } from '../session/turn-lineage.ts';
import { historyOf } from '../turn/agent-history.ts';
import { readTurn, type TurnReading } from '../turn/turn-state.ts';
import { readSteps } from '../turn/turn-stream.ts';
import type { Program } from './agent-program.ts';

/** About 25,000 tokens, which most agents take with ease. */
export const DEFAULT_HISTORY_CHARS = 100_000;

/** How a turn continues what was before it: not at all, in a thread of the agent, or from a transcript (`why`). */
export type Continuation =
  | { readonly how: 'fresh' }
  | { readonly how: 'native'; readonly threadId: string; readonly forks: boolean }
  | { readonly how: 'replay'; readonly input: string; readonly why: string };

/** What a turn continues. */
export interface Continued extends Session {
  readonly record: SessionRecord;
  readonly adapter: AgentAdapter;
  readonly program: Pick<Program, 'version'>;
  /** The turns before it, ascending. */
  readonly before: readonly number[];
  readonly message: string;
  /** The limit for a replayed transcript, in characters. */
  readonly historyChars: number;
}

/** The native way to go on with a conversation, or in words why there is none. */
function nativeWay(
  context: ManagerContext,
  { adapter, record, program }: Continued,
  { thread, parts }: Lineage,
  places: readonly LineageTurn[],
): Continuation | string {
  const { name } = adapter;
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
  if (!adapter.canFork(program.version)) return `this ${name} cannot fork a thread`;
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

/** The transcript of a conversation, for a replay. @throws DamagedRecord */
async function readEntries(
  { store, id, adapter }: Continued,
  { told }: Lineage,
  nowMs: number,
): Promise<readonly ReplayEntry[]> {
  const entries: ReplayEntry[] = [];
  for (const { kind, turn: number } of told) {
    const turn = { store, id, turn: number };
    const reading = await readTurn(turn, adapter, nowMs);
    if (kind === 'turn') entries.push(...entriesOf(readPrompt(turn)?.toString() ?? null, reading));
    else entries.push({ role: 'summary', text: reading.outcome.answer ?? '' });
  }
  return entries;
}

/**
 * How the next turn of a session continues it: in the agent's own thread while that equals the conversation and its file
 * exists, else from a transcript. @throws ZwarmError `damaged`, `not_found`
 */
export function planContinuation(context: ManagerContext, continued: Continued): Promise<Continuation> {
  return orDamaged(continued, async () => {
    const { adapter, before, message, historyChars } = continued;
    const places = await readLineageTurns(continued, adapter, before, context.now());
    const lineage = lineageOf(places);
    if (lineage.told.length === 0) return { how: 'fresh' };
    const way = nativeWay(context, continued, lineage, places);
    if (typeof way !== 'string') return way;
    const entries = await readEntries(continued, lineage, context.now());
    const input = replayInput(entries, message, historyChars);
    return input === message ? { how: 'fresh' } : { how: 'replay', input, why: way };
  });
}
