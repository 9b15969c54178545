import { ZwarmError } from '../../core/errors.ts';
import type { RequestRecord, TurnKind } from '../../core/session.ts';
import { marksOf } from '../../core/turn-mark.ts';
import { type Claim, claimTurn, flushClaim } from '../../store/claim.ts';
import { locateSession } from '../access/locate-session.ts';
import { type Limits, requireAllowedTurn } from '../access/permissions.ts';
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
import { requireAtRest, requireKnownAgent, requireSameDirectory } from '../launch/preconditions.ts';
import { readNow, type SessionNow } from '../session/current-turn.ts';
import { declareNeverLaunched } from '../stop/never-launched.ts';
import { DEFAULT_GRACE_MS, interruptTurn, refuseFromInside } from '../stop/stop-turn.ts';
import { requireMessage } from './start.ts';

/** How to give a session its next message. */
export interface InjectOptions {
  /** Stop the running turn first; the message is claimed before that, so that it cannot be lost. */
  readonly interrupt?: boolean | undefined;
  /** The user knows that a session of which nobody here can tell whether it runs does not. */
  readonly force?: boolean | undefined;
  /** The most characters of a record of the conversation, where the agent has to be given one. */
  readonly historyChars?: number | undefined;
}

/** A turn to be added to a session. */
export interface NextTurn {
  readonly kind: TurnKind;
  readonly message: string;
  readonly covers: RequestRecord['covers'];
  readonly historyChars: number;
  readonly force?: boolean | undefined;
}

interface Claimed {
  readonly turn: number;
  readonly claim: Claim;
}

function claimNext(
  context: ManagerContext,
  store: Store,
  { id, turns }: SessionNow,
  next: NextTurn,
): Claimed {
  const request = newRequest(context, next.kind, { covers: next.covers });
  const turn = (turns.at(-1) ?? 0) + 1;
  const claim = { request, prompt: Buffer.from(next.message) };
  claimTurn(store.root, id, turn, claim);
  return { turn, claim };
}

function plan(
  context: ManagerContext,
  store: Store,
  now: SessionNow,
  next: NextTurn,
  program: Program,
): Promise<Continuation> {
  const { id, record, turns } = now;
  const { message, historyChars } = next;
  const adapter = requireKnownAgent(now);
  const agentVersion = program.version;
  const continued = { id, record, adapter, turns, message, historyChars, agentVersion };
  return planContinuation(context, store, continued);
}

function launchNext(
  context: ManagerContext,
  store: Store,
  now: SessionNow,
  { turn, claim }: Claimed,
  program: Program,
  continuation: Continuation,
  limits: Limits,
): Promise<StartedTurn> {
  const { id, record } = now;
  const { nonce } = claim.request;
  const adapter = requireKnownAgent(now);
  return launchTurn(context, store, { id, turn, record, nonce, adapter, program, continuation, limits });
}

/** What the next turn of a session is launched with. */
interface Ready {
  readonly limits: Limits;
  readonly program: Program;
}

/** Everything that can be refused of a turn of a session at rest. */
async function requireReady(
  context: ManagerContext,
  store: Store,
  now: SessionNow,
  force: boolean | undefined,
): Promise<Ready> {
  const { record } = now;
  requireAtRest(now, force);
  requireSameDirectory(now);
  const limits = await requireAllowedTurn(context, store, now);
  const program = await requireProgram(context, requireKnownAgent(now), record);
  return { limits, program };
}

/**
 * Adds a turn to a session that is at rest, and launches it.
 * @throws ZwarmError `busy`, `lost_race`, `not_resumable`, `unknown_liveness`, `directory_changed`,
 * `not_allowed`, `over_quota`, …
 */
export async function goOn(
  context: ManagerContext,
  store: Store,
  now: SessionNow,
  next: NextTurn,
): Promise<StartedTurn> {
  const { limits, program } = await requireReady(context, store, now, next.force);
  const continuation = await plan(context, store, now, next, program);
  declareNeverLaunched(context, store, now);
  const claimed = claimNext(context, store, now, next);
  return launchNext(context, store, now, claimed, program, continuation, limits);
}

/** Everything that can be refused of a turn that ends the running one. */
async function requireInterruptible(context: ManagerContext, store: Store, now: SessionNow): Promise<Ready> {
  const { id, record, behind } = now;
  if (behind.length > 0) {
    throw new ZwarmError(
      'busy',
      `${id} is being given another message`,
      `wait for it first: zwarm wait ${id}`,
    );
  }
  requireSameDirectory(now);
  const limits = await requireAllowedTurn(context, store, now);
  const program = await requireProgram(context, requireKnownAgent(now), record);
  refuseFromInside(id, marksOf(store, id, now.current.turn));
  return { limits, program };
}

/** Claims the next turn, ends the running one, and goes on with the claimed one once that end was observed. */
async function interrupt(
  context: ManagerContext,
  store: Store,
  now: SessionNow,
  next: NextTurn,
): Promise<StartedTurn> {
  const { id } = now;
  const { limits, program } = await requireInterruptible(context, store, now);
  const claimed = claimNext(context, store, now, next);
  const { turn } = claimed;
  const continuation = await orNotStarted(store, id, turn, async () => {
    flushClaim(store.root, id, turn);
    await interruptTurn(context, store, now, DEFAULT_GRACE_MS);
    return plan(context, store, now, next, program);
  });
  return launchNext(context, store, now, claimed, program, continuation, limits);
}

/**
 * Gives a session its next message. When this returns, the message is safe on the disk and the agent's runner lives.
 * @throws ZwarmError `busy`, `lost_race`, `not_resumable`, `unknown_liveness`, `directory_changed`, …
 */
export async function inject(
  context: ManagerContext,
  ref: string,
  message: string,
  options: InjectOptions = {},
): Promise<StartedTurn> {
  requireMessage(message, 'message');
  const { store, id } = locateSession(context, ref, { forWriting: true });
  const now = await readNow(store, id, context.now());
  const { historyChars = DEFAULT_HISTORY_CHARS, force } = options;
  const next: NextTurn = { kind: 'prompt', message, covers: [], historyChars, force };
  const isRunning = now.current.verdict.status === 'running';
  return options.interrupt && isRunning
    ? interrupt(context, store, now, next)
    : goOn(context, store, now, next);
}

/** Refuses what `inject` would refuse whatever the message: before somebody writes one. @throws ZwarmError */
export async function checkInject(
  context: ManagerContext,
  ref: string,
  options: InjectOptions = {},
): Promise<void> {
  const { store, id } = locateSession(context, ref, { forWriting: true });
  const now = await readNow(store, id, context.now());
  const isRunning = now.current.verdict.status === 'running';
  if (options.interrupt && isRunning) await requireInterruptible(context, store, now);
  else await requireReady(context, store, now, options.force);
}
