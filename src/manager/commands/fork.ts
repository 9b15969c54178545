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
import { locateSession } from '../access/locate-session.ts';
import { requireAllowedSession, requireRoomBelow, settingsFor } from '../access/permissions.ts';
import { type ManagerContext, newSessionId, type Session } from '../context.ts';
import { DEFAULT_HISTORY_CHARS } from '../launch/continuation.ts';
import type { StartedTurn } from '../launch/launch-turn.ts';
import { launchNext, withProgram } from '../launch/next-turn.ts';
import { requireKnownAgent, requireMessage, requireSameDirectory } from '../launch/preconditions.ts';
import { readNow, readTurnNow, type SessionNow } from '../session/current-turn.ts';
import { orDamaged } from '../session/damage.ts';
import { unknownTurn } from '../session/session-detail.ts';
import { cacheState } from '../session/summary-cache.ts';
import { readLineageTurns } from '../session/turn-lineage.ts';
import { historyOf } from '../turn/agent-history.ts';
import { elsewhereError } from '../turn/where-it-ran.ts';

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
  if (!turns.includes(turn)) {
    throw unknownTurn(id, turn, last);
  }
  const open = [current, ...behind].filter(({ verdict }) => !isFinal(verdict.status));
  const first = Math.min(...open.map((state) => state.turn));
  if (turn < first) return turn;
  const before = first > 1 ? `fork what was before: zwarm fork ${id} --turn ${first - 1}` : null;
  if (current.verdict.status === 'unknown') throw elsewhereError(current, before ?? 'fork it there');
  const hint = before ?? `wait for it first: zwarm wait ${id}`;
  throw new ZwarmError('busy', `turn ${first} of ${id} is still ${current.verdict.status}`, hint);
}

/**
 * The size of the agent's own file of the conversation as it is after `turn`: a native fork must find it unchanged. Null
 * where no file holds just that: the thread has gone on since, or goes on now.
 */
async function historyBytes(context: ManagerContext, now: SessionNow, turn: number): Promise<number | null> {
  const adapter = requireKnownAgent(now);
  const places = await readLineageTurns(now, adapter, now.turns, context.now());
  const { thread } = lineageOf(places.filter((place) => place.turn <= turn));
  const isTouched = places.some(
    (place) => place.turn > turn && (place.threadId === thread || (place.asked === thread && !place.forks)),
  );
  if (thread === null || isTouched) return null;
  // The thread of a copied turn may have gone on since it was copied.
  const origin = now.record.forked_from;
  const isCopied = places.some((place) => place.turn <= (origin?.turn ?? 0) && place.threadId === thread);
  return isCopied ? (origin?.history_bytes ?? null) : (historyOf(context, adapter, thread)?.bytes ?? null);
}

async function copiesOf(
  context: ManagerContext,
  { store, id }: Session,
  turns: readonly number[],
): Promise<readonly Copied[]> {
  const copies: Copied[] = [];
  for (const turn of turns) {
    const state = await readTurnNow({ store, id, turn }, context.now());
    copies.push({ directory: turnDir(state), eventBytes: state.exit?.record.events_bytes ?? null });
  }
  return copies;
}

/**
 * Creates a session that begins as another one was right after one of its turns. Both go on by themselves, and either
 * may be removed. With a message its next turn is launched.
 * @throws ZwarmError `usage`, `busy`, `unknown_liveness`, `directory_changed`, …
 */
export async function fork(context: ManagerContext, ref: string, options: ForkOptions = {}): Promise<Forked> {
  const { message, historyChars = DEFAULT_HISTORY_CHARS } = options;
  if (message !== undefined) requireMessage(message, 'message');
  const parent = locateSession(context, ref, { forWriting: true });
  const { store } = parent;
  const now = await readNow(parent, context.now());
  const turn = forkedTurn(now, options.turn);
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
  const session = { store, id: newSessionId(context) };
  const checked = message === undefined ? null : await withProgram(context, { record, adapter, limits });
  const copies = await copiesOf(context, parent, before);
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
  const more = { kind: 'prompt', message, covers: [], before, historyChars } as const;
  const next = { ...session, turn: turn + 1, ...checked, ...more };
  // Planned once more after the copying, which takes its time: the parent may have gone on meanwhile.
  const afterClaim = async () => undefined;
  const started = await launchNext(context, next, { continues: parent, claim: create, afterClaim });
  return { id: session.id, turn: next.turn, started };
}
