import type { AgentAdapter } from '../../agents/agent.ts';
import { requireAgent } from '../../agents/registry.ts';
import { type ContextFill, shouldCompact } from '../../core/conversation/compact.ts';
import { lineageOf } from '../../core/conversation/lineage.ts';
import { COMPACT_PROMPT } from '../../core/conversation/prompts.ts';
import { readyError, ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { readTail } from '../../store/read-from-end.ts';
import { recordOfTurn } from '../../store/records.ts';
import { catchUp } from '../adopt/opened.ts';
import type { ManagerContext, Session } from '../context.ts';
import { DEFAULT_HISTORY_CHARS } from '../launch/continuation.ts';
import type { StartedTurn } from '../launch/launch-turn.ts';
import { addTurn, checkFollowUp } from '../launch/next-turn.ts';
import { requireAtRest } from '../launch/preconditions.ts';
import { orDamaged } from '../session/damage.ts';
import { historyOf, readLineageTurns } from '../session/turn-lineage.ts';
import { requireKnownWords } from '../session/unknown-words.ts';

/** When and how to compact. */
export interface CompactOptions {
  /** Only if the agent's context is filled by more than this share of it; undefined: always. */
  readonly ifOver?: number | undefined;
  readonly historyChars?: number | undefined;
}

/** A turn that was begun, or none because the context is not that full. */
export type Compacted =
  | { readonly id: SessionId; readonly started: StartedTurn }
  | { readonly id: SessionId; readonly started: null; readonly fill: ContextFill | null };

/** The end of an agent's file in which it last reports its context. */
const TAIL = 1 << 20;

/** How full the agent's context is, from its own file of the thread; null where that is unknown. */
function fillOf(context: ManagerContext, adapter: AgentAdapter, thread: string | null): ContextFill | null {
  const file = thread === null ? null : historyOf(context, adapter, thread);
  if (file == null) return null;
  const tail = unlessDamaged(() => readTail(file.path, TAIL));
  return tail === null ? null : (adapter.history?.contextFill(tail) ?? null);
}

/** Asks the agent for a summary, from which the conversation goes on once it has come. @throws ZwarmError as `inject` */
export async function compact(
  context: ManagerContext,
  session: Session,
  { ifOver, historyChars = DEFAULT_HISTORY_CHARS }: CompactOptions = {},
): Promise<Compacted> {
  const { id } = session;
  const now = await requireKnownWords(await catchUp(context, session));
  requireAtRest(now);
  if (now.current === null) throw readyError(id, 'it has no turn of its own to compact');
  const adapter = requireAgent(recordOfTurn(now.record, now.last?.request ?? now.current.request).agent);
  const { parts, thread } = await orDamaged(session, async () =>
    lineageOf(await readLineageTurns(session, now.turns, context.now())),
  );
  if (parts.every(({ kind }) => kind === 'summary'))
    throw new ZwarmError('not_resumable', `${id} has nothing to compact`, `see: zwarm show ${id}`);
  if (ifOver !== undefined) {
    const fill = fillOf(context, adapter, thread);
    if (!shouldCompact(fill?.tokens ?? null, fill?.window ?? null, ifOver))
      return { id, started: null, fill };
  }
  const covers = parts.map(({ turn }) => turn);
  const given = { kind: 'compact', message: COMPACT_PROMPT, covers, historyChars } as const;
  return { id, started: await addTurn(context, now, await checkFollowUp(context, now), given) };
}
