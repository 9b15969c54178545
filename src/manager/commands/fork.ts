import { lineageOf } from '../../core/conversation/lineage.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isFinal } from '../../core/status.ts';
import { isoTime } from '../../core/time.ts';
import { type Claim, type Copied, createSession } from '../../store/claim.ts';
import { flush } from '../../store/files.ts';
import { sessionsDir, turnDir } from '../../store/layout.ts';
import type { SessionRecord } from '../../store/records.ts';
import { hasSession } from '../../store/sessions.ts';
import { callerOf } from '../access/caller.ts';
import { requireAllowedSession, requireRoomBelow, settingsFor } from '../access/permissions.ts';
import type { ManagerContext, Session } from '../context.ts';
import { DEFAULT_HISTORY_CHARS } from '../launch/continuation.ts';
import type { StartedTurn } from '../launch/launch-turn.ts';
import { launchNext, withProgram } from '../launch/next-turn.ts';
import { requireKnownAgent, requireMessage, requireSameDirectory } from '../launch/preconditions.ts';
import { readNow, readTurnNow, type SessionNow } from '../session/current-turn.ts';
import { orDamaged, unknownTurn } from '../session/damage.ts';
import { cacheState } from '../session/session-summary.ts';
import { historyOf, readLineageTurns } from '../session/turn-lineage.ts';
import { elsewhereError, starterOf } from '../turn/where-it-ran.ts';

/** What to fork, and how to go on. */
export interface ForkOptions {
  /** As it was right after this turn; else after the newest. */
  readonly turn?: number | undefined;
  /** The first message of the fork; without one it waits for `inject`. */
  readonly message?: string | undefined;
  readonly historyChars?: number | undefined;
}

/** A session that was forked: its newest turn, and the first of its own if a message has begun one. */
export interface Forked {
  readonly id: SessionId;
  readonly turn: number;
  readonly started: StartedTurn | null;
}

/** The turn after which to fork: it exists and has ended. @throws ZwarmError `usage`, `busy`, `unknown_liveness` */
function forkedTurn({ id, turns, current, behind }: SessionNow, asked: number | undefined): number {
  const last = turns.at(-1) ?? 1;
  const turn = asked ?? last;
  if (!turns.includes(turn)) throw unknownTurn(id, turn, last);
  const open = [current, ...behind].filter(({ verdict }) => !isFinal(verdict.status));
  const first = Math.min(...open.map((state) => state.turn));
  if (turn < first) return turn;
  const before = first > 1 ? `fork what was before: zwarm fork ${id} --turn ${first - 1}` : null;
  const { status } = current.verdict;
  if (status === 'unknown') throw elsewhereError(id, starterOf(current), before ?? 'fork it there');
  const hint = before ?? `wait for it first: zwarm wait ${id}`;
  throw new ZwarmError('busy', `turn ${first} of ${id} is still ${status}`, hint);
}

/**
 * The size of the agent's own file of the conversation as it is after `turn`: a native fork must find it unchanged. Null
 * where no file holds just that: the thread has gone on since, or goes on now.
 */
async function historyBytes(context: ManagerContext, now: SessionNow, turn: number): Promise<number | null> {
  const adapter = requireKnownAgent(now);
  const all = await readLineageTurns(now, adapter, now.turns, context.now());
  const { thread } = lineageOf(all.filter((one) => one.turn <= turn));
  const isTouched = all.some(
    (one) => one.turn > turn && (one.threadId === thread || (one.asked === thread && !one.forks)),
  );
  if (thread === null || isTouched) return null;
  // The thread of a copied turn may have gone on since it was copied.
  const origin = now.record.forked_from;
  const isCopied = all.some((one) => one.turn <= (origin?.turn ?? 0) && one.threadId === thread);
  return isCopied ? (origin?.history_bytes ?? null) : (historyOf(context, adapter, thread)?.bytes ?? null);
}

/**
 * Creates a session that begins as another one was right after one of its turns; with a message its next turn is launched.
 * @throws ZwarmError `usage`, `busy`, `unknown_liveness`, `directory_changed`, …
 */
export async function fork(
  context: ManagerContext,
  parent: Session,
  { message, turn: asked, historyChars = DEFAULT_HISTORY_CHARS }: ForkOptions = {},
): Promise<Forked> {
  if (message !== undefined) requireMessage(message, 'message');
  const { store } = parent;
  const now = await readNow(parent, context.now());
  const turn = forkedTurn(now, asked);
  requireSameDirectory(now);
  const { settings, limits } = await settingsFor(context, store);
  if (now.record.orchestrates) requireRoomBelow(context, store, settings);
  await requireAllowedSession(context, store, limits, now.record);
  const adapter = requireKnownAgent(now);
  const before = now.turns.filter((number) => number <= turn);
  const history_bytes = await orDamaged(parent, () => historyBytes(context, now, turn));
  const record: SessionRecord = {
    ...now.record,
    ...callerOf(context),
    forked_from: { id: parent.id, turn, history_bytes },
    created_at: isoTime(context.now()),
  };
  const session = { store, id: context.newId() };
  const checked = message === undefined ? null : await withProgram(context, { record, adapter, limits });
  const copies: Copied[] = [];
  for (const number of before) {
    const state = await readTurnNow({ ...parent, turn: number }, context.now());
    copies.push({ directory: turnDir(state), eventBytes: state.exit?.record.events_bytes ?? null });
  }
  const create = (claim: Claim | null): void => {
    try {
      createSession({ ...session, record, name: null, claim, copies, unique: context.newNonce() });
    } catch (error) {
      if (hasSession(parent)) throw error;
      const what = `${parent.id} was removed while it was copied`;
      throw new ZwarmError('not_found', what, 'see: zwarm ls', error);
    }
    flush(sessionsDir(store.root));
  };
  if (message === undefined || checked === null) {
    create(null);
    await cacheState(context, session);
    return { id: session.id, turn, started: null };
  }
  const next = { ...session, ...checked, kind: 'prompt', message, covers: [], before, historyChars } as const;
  const started = await launchNext(context, next, {
    continues: parent,
    claim: (_, claim) => create(claim),
    // Planned once more after the copying, which takes its time: the parent may have gone on meanwhile.
    afterClaim: async () => undefined,
  });
  return { id: session.id, turn: started.turn, started };
}
