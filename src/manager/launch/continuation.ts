import { basename } from 'node:path';
import type { AgentAdapter } from '../../agents/agent.ts';
import { createFolder } from '../../core/conversation/fold.ts';
import { type Lineage, type LineageTurn, lineageOf } from '../../core/conversation/lineage.ts';
import { type ReplayEntry, replayInput } from '../../core/conversation/replay.ts';
import { toolContent } from '../../core/conversation/steps.ts';
import type { RunLimits } from '../../core/rules/run-limits.ts';
import type { How } from '../../core/session.ts';
import { isSaid, type TurnKind } from '../../core/turn-kinds.ts';
import type { Confiner } from '../../process/confine.ts';
import type { HistoryFile } from '../../store/agent-history.ts';
import type { KnownRecord, Runs } from '../../store/records.ts';
import { readPrompt, readSessionRecord } from '../../store/sessions.ts';
import type { Limits } from '../access/permissions.ts';
import type { Allowed } from '../access/reach.ts';
import type { ManagerContext, Session } from '../context.ts';
import { orDamaged } from '../session/damage.ts';
import { readLineageTurns, threadToGoOn } from '../session/turn-lineage.ts';
import { readTurnWithOutcome, type TurnReading } from '../turn/turn-state.ts';
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
  /** As it is for this turn. */
  readonly record: KnownRecord;
  readonly adapter: AgentAdapter;
  readonly runs: Runs;
  /** What zwarm confines it by, or null. */
  readonly confiner: Confiner | null;
  readonly program: Program;
  readonly limits: Limits;
  /** What it could do to zwarm itself, as the user's configuration allows it. */
  readonly allowed: readonly Allowed[];
  readonly kind: TurnKind;
  readonly message: string;
  readonly runLimits: RunLimits | null;
  /** How often the message may be repeated where the turn fails for a reason that passes. */
  readonly retries?: number | undefined;
  /** Of a compaction: the turns that its summary replaces. */
  readonly covers: readonly number[];
  /** The turns before it, ascending. */
  readonly before: readonly number[];
  /** The limit for a replayed transcript, in characters. */
  readonly historyChars: number;
}

/** Whether an agent that keeps its threads by directory would not find this one from another. */
function isElsewhere({ history }: AgentAdapter, file: HistoryFile | null, directory: string): boolean {
  if (history === null || file === null) return false;
  const place = (from: string) => history.place(basename(file.path), from);
  return place('/') !== place(directory) && !file.path.endsWith(`/${place(directory)}`);
}

/** The native way to go on with a conversation, or in words why there is none. */
function nativeWay(
  context: ManagerContext,
  { adapter, record, program }: NextTurn,
  turns: readonly LineageTurn[],
): Continuation | string {
  const found = threadToGoOn(context, { adapter, record }, turns);
  if (typeof found === 'string') return found;
  const { thread, file } = found;
  // A thread that a copied turn names is another session's, whatever an agent calls its own.
  const origin = record.forked_from;
  const isOwn = turns.every(({ turn, threadId }) => turn > (origin?.turn ?? 0) || threadId !== thread);
  if (isOwn) return { ...FRESH, how: 'native', threadId: thread };
  if (!adapter.canFork(program.version)) return `this ${adapter.name} cannot fork a thread`;
  const isAsForked = origin?.history_bytes != null && origin.history_bytes === file?.bytes;
  if (!isAsForked) return 'the thread that it was forked from has gone on since, or may have';
  if (isElsewhere(adapter, file, record.working_dir))
    return `${adapter.name} finds a thread only where it was begun`;
  return { ...FRESH, how: 'native', threadId: thread, forks: true };
}

function entriesOf(reading: TurnReading): ReplayEntry[] {
  const prompt = isSaid(reading.request.kind) ? readPrompt(reading) : null;
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
  session: Session,
  { told }: Lineage,
  nowMs: number,
): Promise<readonly ReplayEntry[]> {
  const entries: ReplayEntry[] = [];
  for (const { kind, turn } of told) {
    const reading = await readTurnWithOutcome({ ...session, turn }, readSessionRecord(session), nowMs);
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
    const { store, id, before, message, historyChars } = next;
    if (before.length === 0) return FRESH;
    const session = { store, id };
    const turns = await readLineageTurns(session, before, context.now());
    const lineage = lineageOf(turns);
    if (lineage.told.length === 0) return FRESH;
    const way = nativeWay(context, next, turns);
    if (typeof way !== 'string') return way;
    const entries = await readEntries(session, lineage, context.now());
    const input = replayInput(entries, message, historyChars);
    return input === message ? FRESH : { ...FRESH, how: 'replay', input, why: way };
  });
}
