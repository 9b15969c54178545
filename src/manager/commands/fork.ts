import { lineageOf } from '../../core/conversation/lineage.ts';
import { ZwarmError } from '../../core/errors.ts';
import { isSessionId, type SessionId } from '../../core/ids.ts';
import type { SessionRecord } from '../../core/session.ts';
import { isFinal } from '../../core/status.ts';
import { isoTime } from '../../core/time.ts';
import { type Copied, createSession } from '../../store/claim.ts';
import { flush } from '../../store/files.ts';
import { sessionsDir, turnDir } from '../../store/layout.ts';
import { hasSession } from '../../store/sessions.ts';
import { callerOf } from '../access/caller.ts';
import { locateSession } from '../access/locate-session.ts';
import { requireAllowedSession, requireRoomBelow, settingsFor } from '../access/permissions.ts';
import type { ManagerContext, Store } from '../context.ts';
import { type Program, requireProgram } from '../launch/agent-program.ts';
import { DEFAULT_HISTORY_CHARS, planContinuation } from '../launch/continuation.ts';
import {
  type Continuation,
  launchTurn,
  newRequest,
  orNotStarted,
  type StartedTurn,
} from '../launch/launch-turn.ts';
import { requireKnownAgent, requireSameDirectory } from '../launch/preconditions.ts';
import { orDamaged, readNow, readTurnNow, type SessionNow } from '../session/current-turn.ts';
import { cacheState } from '../session/summary-cache.ts';
import { readPlaces } from '../session/turn-lineage.ts';
import { historyOf } from '../turn/agent-history.ts';
import { elsewhereError, whoRan } from '../turn/where-it-ran.ts';
import { requireMessage } from './start.ts';

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

/** The first turn of a fork's own. */
interface OwnTurn {
  readonly message: string;
  readonly program: Program;
}

/** The turn after which to fork: it exists and has ended. @throws ZwarmError `usage`, `busy`, `unknown_liveness` */
function forkedTurn({ id, turns, current, behind }: SessionNow, asked: number | undefined): number {
  const last = turns.at(-1) ?? 1;
  const turn = asked ?? last;
  if (!turns.includes(turn)) {
    throw new ZwarmError('usage', `${id} has no turn ${turn}`, `its turns go from 1 to ${last}`);
  }
  const open = [current, ...behind].filter(({ verdict }) => !isFinal(verdict.status));
  const first = Math.min(...open.map((state) => state.turn));
  if (turn < first) return turn;
  const before = first > 1 ? `fork what was before: zwarm fork ${id} --turn ${first - 1}` : null;
  if (current.verdict.status === 'unknown')
    throw elsewhereError(id, whoRan(current), before ?? 'fork it there');
  const hint = before ?? `wait for it first: zwarm wait ${id}`;
  throw new ZwarmError('busy', `turn ${first} of ${id} is still ${current.verdict.status}`, hint);
}

/**
 * The size of the agent's own file of the conversation as it is after `turn`: a native fork must find it unchanged. Null
 * where no file holds just that: the thread has gone on since, or goes on now.
 */
async function historyBytes(
  context: ManagerContext,
  store: Store,
  now: SessionNow,
  turn: number,
): Promise<number | null> {
  const adapter = requireKnownAgent(now);
  const places = await readPlaces(store, now.id, adapter, now.turns, context.now());
  const { thread } = lineageOf(places.filter((place) => place.turn <= turn));
  const isTouched = places.some(
    (place) => place.turn > turn && (place.threadId === thread || (place.asked === thread && !place.forks)),
  );
  if (thread === null || isTouched) return null;
  // What it has copied itself may have gone on since that copy.
  const origin = now.record.forked_from;
  const isCopied = places.some((place) => place.turn <= (origin?.turn ?? 0) && place.threadId === thread);
  return isCopied ? (origin?.history_bytes ?? null) : (historyOf(context, adapter, thread)?.bytes ?? null);
}

async function copiesOf(
  context: ManagerContext,
  store: Store,
  id: SessionId,
  turns: readonly number[],
): Promise<readonly Copied[]> {
  const copies: Copied[] = [];
  for (const turn of turns) {
    const { exit } = await readTurnNow(store, id, turn, context.now());
    copies.push({ directory: turnDir(store.root, id, turn), eventBytes: exit?.eventsBytes ?? null });
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
  const { store, id: from } = locateSession(context, ref, { forWriting: true });
  const now = await readNow(store, from, context.now());
  const turn = forkedTurn(now, options.turn);
  requireSameDirectory(now);
  const { settings, limits } = await settingsFor(context, store);
  if (now.record.orchestrates) requireRoomBelow(context, store, settings);
  await requireAllowedSession(context, store, limits, now.record);
  const adapter = requireKnownAgent(now);
  const turns = now.turns.filter((number) => number <= turn);
  const record: SessionRecord = {
    ...now.record,
    ...callerOf(context),
    forked_from: {
      id: from,
      turn,
      history_bytes: await orDamaged(store, from, () => historyBytes(context, store, now, turn)),
    },
    created_at: isoTime(context.now()),
  };
  const id = context.newId();
  if (!isSessionId(id)) throw new TypeError(`newId() gave ${JSON.stringify(id)}, which is not a session id`);
  const own =
    message === undefined ? null : { message, program: await requireProgram(context, adapter, record) };
  const plan = (of: SessionId, { message, program }: OwnTurn): Promise<Continuation> => {
    const agentVersion = program.version;
    const continued = { id: of, record, adapter, turns, message, historyChars, agentVersion };
    return planContinuation(context, store, continued);
  };
  // Whatever is in the way is said before there is a session.
  if (own !== null) await plan(from, own);
  const request = newRequest(context, 'prompt');
  const claim = own === null ? null : { request, prompt: Buffer.from(own.message) };
  const copies = await copiesOf(context, store, from, turns);
  try {
    const unique = context.newNonce();
    createSession(store, { id, record, name: null, claim, copies, unique });
  } catch (error) {
    if (hasSession(store.root, from)) throw error;
    throw new ZwarmError('not_found', `${from} was removed while it was copied`, 'see: zwarm ls', error);
  }
  flush(sessionsDir(store.root));
  if (own === null) {
    await cacheState(context, store, id);
    return { id, turn, started: null };
  }
  const next = turn + 1;
  // Once more after the copying, which takes its time: the parent may have gone on meanwhile.
  const continuation = await orNotStarted(store, id, next, () => plan(id, own));
  const { nonce } = request;
  const { program } = own;
  const launch = { id, turn: next, record, nonce, adapter, program, continuation, limits };
  return { id, turn: next, started: await launchTurn(context, store, launch) };
}
