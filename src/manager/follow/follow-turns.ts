import { setImmediate } from 'node:timers/promises';
import type { AgentAdapter } from '../../agents/agent.ts';
import { findAgent } from '../../agents/registry.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { Line } from '../../core/events.ts';
import type { SessionId } from '../../core/ids.ts';
import { isFinal } from '../../core/status.ts';
import { turnDir, turnFile } from '../../store/layout.ts';
import { followBytes, followLines, type LineRange } from '../../store/read-forward.ts';
import { readSessionRecord } from '../../store/sessions.ts';
import { watchDirectory } from '../../store/watch.ts';
import type { ManagerContext, Store } from '../context.ts';
import { conversationTurns, damageError } from '../session/current-turn.ts';
import { readTurnState } from '../turn/turn-state.ts';
import { elsewhereError, whoRan } from '../turn/where-it-ran.ts';

/** How much of a session to read, and whether to go on as it grows. */
export interface FollowOptions {
  /** Go on until the session is at rest, through every turn that begins meanwhile; else only what is there. */
  readonly follow?: boolean | undefined;
  /** Only this turn. */
  readonly turn?: number | undefined;
  /** Ends the following; the agent runs on. */
  readonly signal?: AbortSignal | undefined;
}

/** The session that is followed, and where it lies. */
export interface Followed {
  readonly context: ManagerContext;
  readonly store: Store;
  readonly id: SessionId;
}

/** What is followed of a turn, read forward as `Follower` does. */
export interface Source<T> {
  read(range: LineRange): Iterable<T>;
}

/** Begins to follow a turn that has been launched; `adapter` is null for an agent that we do not know. */
export type OpenSource<T> = (turn: number, adapter: AgentAdapter | null) => Promise<Source<T>>;

/** Comes between two items: what is there by now has been told. */
export const CAUGHT_UP = null;

/** Notification only shortens the wait: where there is none, and for a death that no file tells of, we look again. */
const LOOK_AGAIN_MS = 1000;

async function* followTurn<T>(
  { context, store, id }: Followed,
  turn: number,
  adapter: AgentAdapter | null,
  { follow, signal }: FollowOptions,
  open: OpenSource<T>,
): AsyncGenerator<T | typeof CAUGHT_UP> {
  // It begins before the first look: what happens in between is not missed.
  const watch = follow ? watchDirectory(turnDir(store.root, id, turn), []) : null;
  let source: Source<T> | null = null;
  let told = 0;
  try {
    while (!signal?.aborted) {
      // Before the reading: what was written before the end is there by then.
      const state = await readTurnState(store, id, turn, adapter, context.now());
      const { verdict, exit } = state;
      const ended = isFinal(verdict.status);
      // The agent's version, which says what its lines mean, is recorded before it is launched.
      if (verdict.status !== 'pending') source ??= await open(turn, adapter);
      for (const item of source?.read({ limit: exit?.eventsBytes ?? null, ended }) ?? []) {
        yield item;
        told += 1;
        // However much there is to read, Ctrl-C and the end of whoever reads this are noticed.
        if (told % 256 === 0) await setImmediate();
        if (signal?.aborted) return;
      }
      if (ended || watch === null) return;
      if (verdict.status === 'unknown') throw elsewhereError(id, whoRan(state), 'follow it there');
      yield CAUGHT_UP;
      await watch.next(LOOK_AGAIN_MS, signal ?? new AbortController().signal);
    }
  } finally {
    watch?.close();
  }
}

function turnsNow({ store, id }: Followed): readonly number[] {
  const turns = conversationTurns(store, id);
  if (turns === null) throw new ZwarmError('not_found', `${id} is being removed`, 'see: zwarm ls');
  return turns;
}

/**
 * Follows turn after turn, from `from` on to the one that was asked for, or to the newest when that has ended.
 * @throws ZwarmError `usage` for a turn that does not exist, `not_found`, `damaged`, `unknown_liveness`
 */
export async function* followTurns<T>(
  followed: Followed,
  from: number,
  options: FollowOptions,
  open: OpenSource<T>,
): AsyncGenerator<T | typeof CAUGHT_UP> {
  const { store, id } = followed;
  const { turn: last, signal } = options;
  try {
    const adapter = findAgent(readSessionRecord(store, id).record.agent);
    const turns = turnsNow(followed);
    if (last !== undefined && !turns.includes(last)) {
      throw new ZwarmError('usage', `${id} has no turn ${last}`, `its turns go from 1 to ${turns.at(-1)}`);
    }
    for (let turn = from; !signal?.aborted; turn += 1) {
      yield* followTurn(followed, turn, adapter, options, open);
      if (turn === last || !turnsNow(followed).includes(turn + 1)) return;
    }
  } catch (error) {
    throw damageError(store, id, error);
  }
}

/** All that comes, without a word about when. */
export async function* everything<T>(items: AsyncIterable<T | typeof CAUGHT_UP>): AsyncGenerator<T> {
  for await (const item of items) if (item !== CAUGHT_UP) yield item;
}

/** The two files that grow with what an agent prints. */
export type OutputFile = 'events' | 'stderr';

/** The recorded end is that of the events; where other output ended, nobody wrote down. */
function boundsOf(file: OutputFile, range: LineRange): LineRange {
  return file === 'events' ? range : { ...range, limit: null };
}

/** What an agent printed, byte for byte; each piece is valid until the next one is asked for. */
export function followOutput(
  followed: Followed,
  file: OutputFile,
  options: FollowOptions,
): AsyncIterable<Uint8Array> {
  const open: OpenSource<Uint8Array> = async (turn) => {
    const bytes = followBytes(turnFile(followed.store.root, followed.id, turn, file));
    return { read: (range) => bytes.read(boundsOf(file, range)) };
  };
  return everything(followTurns(followed, options.turn ?? 1, options, open));
}

/** The lines of an agent's stderr; empty ones are left out but counted by `seq`, which begins anew with each turn. */
export function followStderr(followed: Followed, options: FollowOptions): AsyncIterable<Line> {
  const open: OpenSource<Line> = async (turn) => {
    const lines = followLines(turnFile(followed.store.root, followed.id, turn, 'stderr'));
    return { read: (range) => lines.read(boundsOf('stderr', range)) };
  };
  return everything(followTurns(followed, options.turn ?? 1, options, open));
}
