import { setImmediate } from 'node:timers/promises';
import type { AgentAdapter } from '../../agents/agent.ts';
import { createStepList } from '../../core/conversation/step-list.ts';
import { stepsInOrder } from '../../core/conversation/steps-in-order.ts';
import { numberStep, type TrajectoryStep } from '../../core/conversation/trajectory.ts';
import type { Line } from '../../core/events.ts';
import { isFinal } from '../../core/status.ts';
import { turnDir, turnFile } from '../../store/layout.ts';
import { type Follower, followBytes, followLines } from '../../store/read-forward.ts';
import type { SessionRecord } from '../../store/records.ts';
import { readRequest, readSessionRecord } from '../../store/sessions.ts';
import { watchDirectory } from '../../store/watch.ts';
import type { ManagerContext, Session, Turn } from '../context.ts';
import { turnsOf, undoneIn } from '../session/current-turn.ts';
import { damageError, orDamaged, unknownTurn } from '../session/damage.ts';
import { readTurnState } from '../turn/turn-state.ts';
import { eventsOf, openStream } from '../turn/turn-stream.ts';
import { elsewhereError, whereStarted } from '../turn/where-it-ran.ts';
import { type Beginning, beginningOfLast, beginningSince, FROM_THE_START } from './where-to-begin.ts';

/** How much of a session to read, and whether to go on as it grows. */
export interface FollowOptions {
  /** Go on until the session is at rest, through every turn that begins meanwhile; else only what is there. */
  readonly follow?: boolean | undefined;
  readonly turn?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A session that is followed. */
interface Followed extends Session {
  readonly context: ManagerContext;
}

/** Begins to follow a turn that has been launched; `adapter` is null for an agent that we do not know. */
type OpenSource<T> = (turn: Turn, adapter: AgentAdapter | null) => Promise<Follower<T>>;

/** Comes between two items: everything that exists by now was delivered. */
const CAUGHT_UP = null;

/** Notification only shortens the wait: a death that no file records is found by looking again. */
const LOOK_AGAIN_MS = 1000;

async function* followTurn<T>(
  turn: Turn & Pick<Followed, 'context'>,
  record: SessionRecord,
  { follow, signal }: FollowOptions,
  open: OpenSource<T>,
): AsyncGenerator<T | typeof CAUGHT_UP> {
  // It begins before the first look: what happens in between is not missed.
  const watch = follow ? watchDirectory(turnDir(turn), []) : null;
  let source: Follower<T> | null = null;
  let delivered = 0;
  try {
    while (!signal?.aborted) {
      // Before the reading: what was written before the end is there by then.
      const state = await readTurnState(turn, record, turn.context.now());
      const { verdict, exit, adapter } = state;
      const ended = isFinal(verdict.status);
      // The launch records the agent's version, without which its lines cannot be understood.
      if (verdict.status !== 'pending') source ??= await open(turn, adapter);
      for (const item of source?.read({ limit: exit?.record.events_bytes ?? null, ended }) ?? []) {
        yield item;
        delivered += 1;
        // However much there is to read, Ctrl-C and the end of the reader are noticed.
        if (delivered % 256 === 0) await setImmediate();
        if (signal?.aborted) return;
      }
      if (ended || watch === null) return;
      if (verdict.status === 'unknown') throw elsewhereError(turn.id, whereStarted(state), 'follow it there');
      yield CAUGHT_UP;
      await watch.next(LOOK_AGAIN_MS, signal ?? new AbortController().signal);
    }
  } finally {
    watch?.close();
  }
}

/**
 * Follows turn after turn, from `from` to the one that was asked for, or to the newest when that has ended.
 * @throws ZwarmError `usage` for a turn that does not exist, `not_found`, `damaged`, `unknown_liveness`
 */
async function* followTurns<T>(
  followed: Followed,
  from: number,
  options: FollowOptions,
  open: OpenSource<T>,
): AsyncGenerator<T | typeof CAUGHT_UP> {
  const { turn: last, signal } = options;
  try {
    const record = readSessionRecord(followed);
    const turns = turnsOf(followed);
    if (last !== undefined && !turns.includes(last)) throw unknownTurn(followed.id, last, turns.at(-1) ?? 0);
    for (let turn = from; !signal?.aborted; turn += 1) {
      yield* followTurn({ ...followed, turn }, record, options, open);
      if (turn === last || !turnsOf(followed).includes(turn + 1)) return;
    }
  } catch (error) {
    throw damageError(followed, error);
  }
}

/** All items, without the marks between them. */
async function* everything<T>(items: AsyncIterable<T | typeof CAUGHT_UP>): AsyncGenerator<T> {
  for await (const item of items) if (item !== CAUGHT_UP) yield item;
}

/** The two files that grow with what an agent prints. */
export type OutputFile = 'events' | 'stderr';

/** Follows one of these files; of the events alone the end is recorded. */
function followFile<T>(
  followed: Followed,
  file: OutputFile,
  options: FollowOptions,
  follow: (path: string) => Follower<T>,
): AsyncIterable<T> {
  const open: OpenSource<T> = async (turn) => {
    const source = follow(turnFile(turn, file));
    return { read: (range) => source.read(file === 'events' ? range : { ...range, limit: null }) };
  };
  return everything(followTurns(followed, options.turn ?? 1, options, open));
}

/** What an agent printed, byte for byte; each piece is valid until the next one is asked for. */
export function followOutput(
  followed: Followed,
  file: OutputFile,
  options: FollowOptions,
): AsyncIterable<Uint8Array> {
  return followFile(followed, file, options, followBytes);
}

/** The lines of an agent's stderr; empty ones are left out but counted by `seq`, which begins anew with each turn. */
export function followStderr(followed: Followed, options: FollowOptions): AsyncIterable<Line> {
  return followFile(followed, 'stderr', options, (path) => followLines(path));
}

/** Which steps, and whether to go on as they come. */
export interface FollowStepsOptions extends FollowOptions {
  /** Of the steps that are there, only so many of the last. */
  readonly last?: number | undefined;
  /** Not what is known to have been done before this time (ms since the epoch). */
  readonly sinceMs?: number | undefined;
  /** The numbers of the steps are not needed, and count from where the reading begins: for `last` that is near the end. */
  readonly unnumbered?: boolean | undefined;
}

type Steps = AsyncIterable<TrajectoryStep | typeof CAUGHT_UP>;

async function* onlyTurn(steps: Steps, turn: number): AsyncGenerator<TrajectoryStep | typeof CAUGHT_UP> {
  for await (const step of steps) if (step === CAUGHT_UP || step.turn === turn) yield step;
}

/** Of what is there only the last `count` steps, each as it stands by now; then all that comes. */
async function* lastSteps(steps: Steps, count: number): AsyncGenerator<TrajectoryStep> {
  const recent = new Map<number, TrajectoryStep>();
  let newest = 0;
  let caughtUp = false;
  const kept = (): TrajectoryStep[] => [...recent.values()].sort((a, b) => a.step - b.step);
  for await (const step of steps) {
    if (step === CAUGHT_UP) {
      if (!caughtUp) yield* kept();
      caughtUp = true;
    } else if (caughtUp) yield step;
    else {
      for (; newest < step.step; newest += 1) recent.delete(newest + 1 - count);
      if (step.step > newest - count) recent.set(step.step, step);
    }
  }
  if (!caughtUp) yield* kept();
}

/** Where the steps begin that are wanted. @throws ZwarmError `not_found`, `damaged` */
function whereToBegin(
  followed: Followed,
  { last, sinceMs, unnumbered, turn }: FollowStepsOptions,
): Promise<Beginning> {
  const { context, store, id } = followed;
  const session = { store, id };
  return orDamaged(session, async () => {
    if (sinceMs !== undefined) return beginningSince(context, session, sinceMs);
    if (!unnumbered || last === undefined) return FROM_THE_START;
    return beginningOfLast(session, last, turn);
  });
}

/** The steps of a session as they come, numbered through all turns; one that changes comes again, with its number. */
export async function* followSteps(
  followed: Followed,
  options: FollowStepsOptions,
): AsyncGenerator<TrajectoryStep> {
  const begin = await whereToBegin(followed, options);
  // As it is now: what is rewound while it is followed was told before.
  const undone = await orDamaged(followed, async () =>
    undoneIn(
      followed,
      turnsOf(followed).filter((turn) => turn >= begin.turn),
    ),
  );
  let before = 0;
  let list = createStepList();
  const open: OpenSource<TrajectoryStep> = async (turn, adapter) => {
    before += list.length();
    list = createStepList();
    const first = before + 1;
    const placed = { turn: turn.turn, undone: undone.has(turn.turn) };
    const isFirst = turn.turn === begin.turn;
    const skip = turn.turn < begin.turn ? Number.POSITIVE_INFINITY : isFirst ? begin.skip : 0;
    const { path, newParser } = await openStream(
      { ...turn, request: readRequest(turn) },
      { limit: null, ended: false },
      adapter,
    );
    const lines = followLines(path, undefined, isFirst ? begin.from : 0);
    const parse = newParser();
    return {
      *read(range) {
        const events = eventsOf(lines.read(range), parse);
        for (const { index, step } of stepsInOrder(list, events, range.ended)) {
          if (index >= skip) yield numberStep(step, placed, first + index);
        }
      },
    };
  };
  // The numbers go through all turns: those before the one that is asked for are read for their count.
  const from = options.unnumbered ? Math.min(begin.turn, options.turn ?? begin.turn) : 1;
  const all = followTurns(followed, from, options, open);
  const steps = options.turn === undefined ? all : onlyTurn(all, options.turn);
  yield* options.last === undefined ? everything(steps) : lastSteps(steps, options.last);
}
