import { lineageOf } from '../core/conversation/lineage.ts';
import { ZwarmError } from '../core/errors.ts';
import { isSessionId, type SessionId } from '../core/ids.ts';
import type { SessionRecord } from '../core/session.ts';
import { isFinal } from '../core/status.ts';
import { isoTime } from '../core/time.ts';
import { type Copied, createSession } from '../store/claim.ts';
import { flush } from '../store/files.ts';
import { sessionsDir, turnDir } from '../store/layout.ts';
import { type ManagerContext, openForWriting, type Store } from './context.ts';
import { DEFAULT_HISTORY_CHARS, historyOf, planContinuation } from './continuation.ts';
import { launchTurn, newRequest, type StartedTurn } from './launch.ts';
import { readPlaces } from './places.ts';
import { programOf } from './program.ts';
import { orDamaged, readNow, readTurnNow, type SessionNow } from './read.ts';
import { requireKnownAgent, requireSameDirectory, requireSeal } from './ready.ts';
import { resolveSession } from './resolve.ts';
import { parentOf, requireMessage, sourceOf } from './start.ts';

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
    throw new ZwarmError('usage', `${id} has no turn ${turn}`, `its turns go from 1 to ${last}`);
  }
  const open = [current, ...behind].filter(({ verdict }) => !isFinal(verdict.status));
  const first = Math.min(...open.map((state) => state.turn));
  if (turn < first) return turn;
  const hint =
    first > 1
      ? `fork what was before: zwarm fork ${id} --turn ${first - 1}`
      : `wait for it first: zwarm wait ${id}`;
  if (current.verdict.status === 'unknown') {
    throw new ZwarmError(
      'unknown_liveness',
      `${id} may be running on another host or in another container`,
      hint,
    );
  }
  throw new ZwarmError('busy', `turn ${first} of ${id} is still ${current.verdict.status}`, hint);
}

/** How large the agent's own file of the conversation after these turns is: a native fork must find it unchanged. */
async function historyBytes(
  context: ManagerContext,
  store: Store,
  now: SessionNow,
  turns: readonly number[],
): Promise<number | null> {
  const adapter = requireKnownAgent(now);
  const { thread } = lineageOf(await readPlaces(store, now.id, adapter, turns, context.now()));
  return thread === null ? null : (historyOf(context, adapter, thread)?.bytes ?? null);
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
 * @throws ZwarmError `usage`, `busy`, `unknown_liveness`, `seal_broken`, `directory_changed`, …
 */
export async function fork(context: ManagerContext, ref: string, options: ForkOptions = {}): Promise<Forked> {
  const { message, historyChars = DEFAULT_HISTORY_CHARS } = options;
  if (message !== undefined) requireMessage(message, 'message');
  const store = openForWriting(context);
  const from = resolveSession(store, ref);
  const now = await readNow(store, from, context.now());
  const turn = forkedTurn(now, options.turn);
  requireSeal(store, now);
  requireSameDirectory(now);
  const adapter = requireKnownAgent(now);
  const turns = now.turns.filter((number) => number <= turn);
  const record: SessionRecord = {
    ...now.record,
    // The newest of a name wins, and a fork is not meant when its parent is named.
    name: null,
    source: sourceOf(context.env),
    parent: parentOf(context.env),
    forked_from: {
      id: from,
      turn,
      history_bytes: await orDamaged(store, from, () => historyBytes(context, store, now, turns)),
    },
    created_at: isoTime(context.now()),
  };
  const id = context.newId();
  if (!isSessionId(id)) throw new TypeError(`newId() gave ${JSON.stringify(id)}, which is no session id`);
  const request = newRequest(context, 'prompt');
  const asked = message === undefined ? null : { claim: { request, prompt: Buffer.from(message) }, message };
  // Of the parent's files, which hold the same: should that fail, nothing has been created.
  const program = asked === null ? null : await programOf(context, adapter, record.working_dir);
  const continuation =
    asked === null || program === null
      ? null
      : await orDamaged(store, from, () =>
          planContinuation(context, store, {
            id: from,
            record,
            adapter,
            turns,
            message: asked.message,
            historyChars,
            agentVersion: program.version,
          }),
        );
  const copies = await copiesOf(context, store, from, turns);
  await orDamaged(store, from, async () =>
    createSession(store.root, store.sealsDir, id, record, asked?.claim ?? null, copies),
  );
  flush(sessionsDir(store.root));
  if (continuation === null || program === null) return { id, turn, started: null };
  const launch = { id, turn: turn + 1, record, nonce: request.nonce, adapter, program, continuation };
  return { id, turn: turn + 1, started: await launchTurn(context, store, launch) };
}
