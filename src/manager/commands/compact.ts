import { COMPACT_PROMPT, type ContextFill, shouldCompact } from '../../core/conversation/compact.ts';
import { lineageOf } from '../../core/conversation/lineage.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { readTail } from '../../store/tail.ts';
import { locateSession } from '../access/locate-session.ts';
import type { ManagerContext, Store } from '../context.ts';
import { DEFAULT_HISTORY_CHARS } from '../launch/continuation.ts';
import type { StartedTurn } from '../launch/launch-turn.ts';
import { requireAtRest, requireKnownAgent } from '../launch/preconditions.ts';
import { orDamaged, readNow, type SessionNow } from '../session/current-turn.ts';
import { readPlaces } from '../session/turn-lineage.ts';
import { historyOf } from '../turn/agent-history.ts';
import { goOn } from './inject.ts';

/** When and how to compact. */
export interface CompactOptions {
  /** Only if the agent's context is filled by more than this share of it; undefined: always. */
  readonly ifOver?: number | undefined;
  readonly historyChars?: number | undefined;
}

/** What came of it: a turn that was begun, or that none was needed. */
export type Compacted =
  | { readonly id: SessionId; readonly started: StartedTurn }
  | { readonly id: SessionId; readonly started: null; readonly fill: ContextFill | null };

/** So much of the end of an agent's file holds its last word about its context. */
const TAIL = 1 << 20;

/** How full the agent's context is, as its own file of the thread tells it; null where nothing tells it. */
function fillOf(context: ManagerContext, now: SessionNow, thread: string | null): ContextFill | null {
  const { history } = requireKnownAgent(now);
  const file = thread === null ? null : historyOf(context, requireKnownAgent(now), thread);
  if (file == null || history === null) return null;
  const tail = unlessDamaged(() => readTail(file.path, TAIL));
  return tail === null ? null : history.contextFill(tail);
}

async function lineage(context: ManagerContext, store: Store, now: SessionNow) {
  return orDamaged(store, now.id, async () =>
    lineageOf(await readPlaces(store, now.id, requireKnownAgent(now), now.turns, context.now())),
  );
}

/**
 * Asks the agent for a summary of the conversation, an ordinary turn; once it has come, the next message goes on from
 * the summary instead of the conversation. @throws ZwarmError as `inject`
 */
export async function compact(
  context: ManagerContext,
  ref: string,
  { ifOver, historyChars = DEFAULT_HISTORY_CHARS }: CompactOptions = {},
): Promise<Compacted> {
  const { store, id } = locateSession(context, ref, { forWriting: true });
  const now = await readNow(store, id, context.now());
  requireAtRest(now);
  const { parts, thread } = await lineage(context, store, now);
  if (parts.every(({ kind }) => kind === 'summary')) {
    throw new ZwarmError('not_resumable', `${id} has nothing to compact`, `see: zwarm show ${id}`);
  }
  if (ifOver !== undefined) {
    const fill = fillOf(context, now, thread);
    if (!shouldCompact(fill?.tokens ?? null, fill?.window ?? null, ifOver))
      return { id, started: null, fill };
  }
  const covers = parts.map(({ turn }) => turn);
  const started = await goOn(context, store, now, {
    kind: 'compact',
    message: COMPACT_PROMPT,
    covers,
    historyChars,
  });
  return { id, started };
}
