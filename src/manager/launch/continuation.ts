import type { AgentAdapter } from '../../agents/agent.ts';
import { createFolder } from '../../core/conversation/fold.ts';
import { type Lineage, type LineageTurn, lineageOf } from '../../core/conversation/lineage.ts';
import { type ReplayEntry, replayInput } from '../../core/conversation/replay.ts';
import { toolContent } from '../../core/conversation/steps.ts';
import type { How, TurnKind } from '../../core/session.ts';
import type { SessionRecord } from '../../store/records.ts';
import { readPrompt } from '../../store/sessions.ts';
import type { Limits } from '../access/permissions.ts';
import type { ManagerContext, Session } from '../context.ts';
import { orDamaged } from '../session/damage.ts';
import { historyOf, readLineageTurns } from '../session/turn-lineage.ts';
import { readTurn, type TurnReading } from '../turn/turn-state.ts';
import { readSteps } from '../turn/turn-stream.ts';
import type { Program } from './agent-program.ts';

/** About 25,000 tokens, which most agents take with ease. */
export const DEFAULT_HISTORY_CHARS = 100_000;

/** How a turn continues what was before it. */
export interface Continuation {
  readonly how: How;
  /** Of a native one: the agent's thread, and whether to fork that. */
  readonly threadId: string | null;
  readonly forks: boolean;
  /** Of a replay: the transcript with the message, and in words why there is no native way. */
  readonly input: string | null;
  readonly why: string | null;
}

const FRESH: Continuation = { how: 'fresh', threadId: null, forks: false, input: null, why: null };

/** A turn that was checked, and is to be claimed and launched. */
export interface NextTurn extends Session {
  readonly record: SessionRecord;
  readonly adapter: AgentAdapter;
  readonly program: Program;
  readonly limits: Limits;
  readonly kind: TurnKind;
  readonly message: string;
  /** Of a compaction: the turns that its summary replaces. */
  readonly covers: readonly number[];
  /** The turns before it, ascending. */
  readonly before: readonly number[];
  /** The limit for a replayed transcript, in characters. */
  readonly historyChars: number;
}

/** The native way to go on with a conversation, or in words why there is none. */
function nativeWay(
  context: ManagerContext,
  { adapter, record, program }: NextTurn,
  { thread, parts }: Lineage,
  turns: readonly LineageTurn[],
): Continuation | string {
  const { name } = adapter;
  if (thread === null) {
    if (turns.every(({ threadId }) => threadId === null))
      return `${name} ended before it had named its conversation`;
    if (parts.some(({ kind }) => kind === 'summary')) return 'the conversation goes on from a summary';
    return turns.some(({ kind }) => kind === 'rewind')
      ? 'the conversation was wound back'
      : 'no thread of the agent holds the whole conversation';
  }
  const file = historyOf(context, adapter, thread);
  if (file === null) return `${name} no longer has its thread ${thread}`;
  // A thread that a copied turn names is another session's, whatever an agent calls its own.
  const origin = record.forked_from;
  const isOwn = turns.every(({ turn, threadId }) => turn > (origin?.turn ?? 0) || threadId !== thread);
  if (isOwn) return { ...FRESH, how: 'native', threadId: thread };
  if (!adapter.canFork(program.version)) return `this ${name} cannot fork a thread`;
  const isAsForked = origin?.history_bytes != null && origin.history_bytes === file?.bytes;
  if (!isAsForked) return 'the thread that it was forked from has gone on since, or may have';
  return { ...FRESH, how: 'native', threadId: thread, forks: true };
}

function entriesOf(reading: TurnReading): ReplayEntry[] {
  const prompt = reading.request.kind === 'prompt' ? readPrompt(reading) : null;
  const asked: ReplayEntry[] = prompt === null ? [] : [{ role: 'user', text: prompt.toString() }];
  const done = [...readSteps(reading.stream, createFolder())].flatMap(({ step }): ReplayEntry[] => {
    if (step.type === 'message') return [{ role: 'assistant', text: step.content }];
    const text = toolContent(step);
    return text === null ? [] : [{ role: 'tool', text }];
  });
  return [...asked, ...done];
}

/** The transcript of a conversation, for a replay. @throws DamagedRecord */
async function readEntries(
  { store, id, adapter }: NextTurn,
  { told }: Lineage,
  nowMs: number,
): Promise<readonly ReplayEntry[]> {
  const entries: ReplayEntry[] = [];
  for (const { kind, turn } of told) {
    const reading = await readTurn({ store, id, turn }, adapter, nowMs);
    if (kind === 'turn') entries.push(...entriesOf(reading));
    else entries.push({ role: 'summary', text: reading.outcome.answer ?? '' });
  }
  return entries;
}

/**
 * How the next turn of a session continues it: in the agent's own thread while that equals the conversation and its file
 * exists, else from a transcript. @throws ZwarmError `damaged`, `not_found`
 */
export function planContinuation(context: ManagerContext, next: NextTurn): Promise<Continuation> {
  return orDamaged(next, async () => {
    const { adapter, before, message, historyChars } = next;
    const turns = await readLineageTurns(next, adapter, before, context.now());
    const lineage = lineageOf(turns);
    if (lineage.told.length === 0) return FRESH;
    const way = nativeWay(context, next, lineage, turns);
    if (typeof way !== 'string') return way;
    const entries = await readEntries(next, lineage, context.now());
    const input = replayInput(entries, message, historyChars);
    return input === message ? FRESH : { ...FRESH, how: 'replay', input, why: way };
  });
}
