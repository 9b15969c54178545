import type { SessionId } from '../../core/ids.ts';
import { type Claim, claimTurn } from '../../store/claim.ts';
import { requireAllowedTurn } from '../access/permissions.ts';
import { requireOutOfReach } from '../access/reach.ts';
import { requireBudget } from '../access/require-budget.ts';
import type { ManagerContext, Session, Turn } from '../context.ts';
import type { SessionNow } from '../session/current-turn.ts';
import { declareNeverLaunched } from '../stop/request-cancel.ts';
import { programOf } from './agent-program.ts';
import { type AskedAgent, type KnownNow, nextAgent } from './choose-agent.ts';
import { type NextTurn, planContinuation } from './continuation.ts';
import { environmentNow } from './environment.ts';
import { launchTurn, orFailTurn, type StartedTurn } from './launch-turn.ts';
import { firstOf, newRequest } from './new-request.ts';
import { requireDirectory, requireRepository, requireSameDirectory } from './preconditions.ts';
import { giveBack, requireSlot } from './take-slot.ts';

/** A turn that its caller may have, and the agent's program that will run it. */
export type Checked = Pick<
  NextTurn,
  'record' | 'adapter' | 'runs' | 'runLimits' | 'confiner' | 'limits' | 'program' | 'allowed'
>;

/** What a session is given next. */
export type Given = Pick<NextTurn, 'kind' | 'message' | 'covers' | 'historyChars' | 'retries'>;

interface ProgramOptions {
  /** The session that is there already; null for a new one. */
  readonly id: SessionId | null;
  /** Whether it gets a tree of its own: what its agent can reach is judged where that will be. */
  readonly getsTree?: boolean;
}

/**
 * Finds the program for a turn that was checked: its agent finds its directory and, unless that is yet to come, the repository that it insists on, and
 * cannot change what zwarm relies on. @throws ZwarmError
 */
export async function withProgram(
  context: ManagerContext,
  checked: Omit<Checked, 'program' | 'runLimits' | 'allowed'>,
  { id, getsTree = false }: ProgramOptions,
): Promise<Checked> {
  const { adapter, record, confiner } = checked;
  requireDirectory(record, id);
  // Also of a bare repository a tree can be made.
  if (!getsTree) requireRepository(adapter, record, id);
  const allowed = getsTree ? [] : await requireOutOfReach(context, adapter, record, confiner !== null);
  const program = await programOf(context, adapter, record.working_dir);
  return { ...checked, program, runLimits: record.run_limits, allowed };
}

/** Checks all that can be refused of another turn of a session, but for what the session is doing now. */
export async function checkFollowUp(
  context: ManagerContext,
  now: KnownNow,
  asked: AskedAgent = {},
): Promise<Checked> {
  requireSameDirectory(now);
  const chosen = await nextAgent(context, now, asked);
  const limits = await requireAllowedTurn(context, { ...now, record: chosen.record });
  await requireBudget(context, now);
  return withProgram(context, { ...chosen, limits }, { id: now.id });
}

/** Adds a turn to a session at rest, and launches it. @throws ZwarmError `lost_race`, … */
export function addTurn(
  context: ManagerContext,
  now: SessionNow,
  checked: Checked,
  given: Given,
): Promise<StartedTurn> {
  const { store, id, turns: before } = now;
  const next = { store, id, before, ...checked, ...given };
  const claim: Claiming['claim'] = (turn, claimed) => {
    declareNeverLaunched(context, now);
    claimTurn(turn, claimed);
  };
  return launchNext(context, next, { continues: now, claim });
}

/** How a turn is claimed. */
interface Claiming {
  /** The session whose conversation it continues as it is now; null where that must come to rest after the claim. */
  readonly continues: Session | null;
  claim(turn: Turn, claim: Claim): void;
  /** Comes between claim and launch, and may change what the turn continues: that is planned anew. */
  afterClaim?(turn: Turn): Promise<void>;
}

/**
 * Check → program → plan → claim → launch: plans how a turn continues the conversation, claims and launches it. All that
 * can be refused is refused before the claim; a failure after it is recorded as the end of the turn.
 */
export async function launchNext(
  context: ManagerContext,
  next: NextTurn,
  { continues, claim, afterClaim }: Claiming,
): Promise<StartedTurn> {
  const { store, id, kind, covers, before, message, runs, runLimits, retries } = next;
  const turn = { store, id, turn: (before.at(-1) ?? 0) + 1 };
  const planned = continues === null ? null : await planContinuation(context, { ...next, ...continues });
  const retry = firstOf(retries);
  const request = newRequest(context, kind, { covers, runs, run_limits: runLimits, retry });
  // Whoever repeats it has another environment.
  const environment = retry === null ? undefined : environmentNow(context);
  const slot = await requireSlot(context, turn);
  try {
    claim(turn, { request, prompt: Buffer.from(message), environment });
  } catch (error) {
    if (slot !== null) giveBack(context, turn, slot);
    throw error;
  }
  const continuation =
    planned !== null && afterClaim === undefined
      ? planned
      : await orFailTurn(turn, async () => {
          await afterClaim?.(turn);
          return planContinuation(context, next);
        });
  return launchTurn(context, { ...turn, ...next, nonce: request.nonce, continuation });
}
