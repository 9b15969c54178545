import type { AgentAdapter } from '../../agents/agent.ts';
import type { TurnKind } from '../../core/session.ts';
import type { Claim } from '../../store/claim.ts';
import type { RequestRecord, SessionRecord } from '../../store/records.ts';
import type { Limits } from '../access/permissions.ts';
import type { ManagerContext, Session, Turn } from '../context.ts';
import { type Program, requireProgram } from './agent-program.ts';
import { planContinuation } from './continuation.ts';
import { launchTurn, orNotStarted, type StartedTurn } from './launch-turn.ts';
import { newRequest } from './new-request.ts';

/*
 * The way of every turn: check → program → plan → claim → launch. The verbs check, each in its own way, and say how the
 * turn is claimed.
 */

/** A turn that its caller may have, and the agent's program that will run it. */
export interface Checked {
  readonly record: SessionRecord;
  readonly adapter: AgentAdapter;
  readonly limits: Limits;
  readonly program: Program;
}

/** A turn that was checked, and is to be claimed and launched. */
export interface NextTurn extends Turn, Checked {
  readonly kind: TurnKind;
  readonly message: string;
  /** Of a compaction: the turns for which its summary will stand. */
  readonly covers: RequestRecord['covers'];
  /** The turns before it, ascending. */
  readonly before: readonly number[];
  /** The limit for a replayed transcript, in characters. */
  readonly historyChars: number;
}

/** Finds the agent's program for a turn that was checked. @throws ZwarmError as `requireProgram` */
export async function withProgram(
  context: ManagerContext,
  checked: Omit<Checked, 'program'>,
  elsewise?: string,
): Promise<Checked> {
  const program = await requireProgram(context, checked.adapter, checked.record, elsewise);
  return { ...checked, program };
}

/** How a turn is claimed. */
export interface Claiming {
  /** The session whose conversation it continues as it is now; null where that must come to rest after the claim. */
  readonly continues: Session | null;
  /** Claims the turn. */
  claim(claim: Claim): void;
  /** Comes between claim and launch, and may change what the turn continues: that is planned anew. */
  afterClaim?(): Promise<void>;
}

/**
 * Plans how a turn continues the conversation, claims it and launches it. Whatever can be refused is refused before
 * the claim; a failure after it is recorded as the end of the turn.
 */
export async function launchNext(
  context: ManagerContext,
  next: NextTurn,
  { continues, claim, afterClaim }: Claiming,
): Promise<StartedTurn> {
  const planned = continues === null ? null : await planContinuation(context, { ...next, ...continues });
  const request = newRequest(context, next.kind, { covers: next.covers });
  claim({ request, prompt: Buffer.from(next.message) });
  const continuation =
    planned !== null && afterClaim === undefined
      ? planned
      : await orNotStarted(next, async () => {
          await afterClaim?.();
          return planContinuation(context, next);
        });
  return launchTurn(context, { ...next, nonce: request.nonce, continuation });
}
