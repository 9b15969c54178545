import type { TurnKind } from '../../core/session.ts';
import { claimTurn } from '../../store/claim.ts';
import type { RequestRecord } from '../../store/records.ts';
import { requireAllowedTurn } from '../access/permissions.ts';
import type { ManagerContext } from '../context.ts';
import type { SessionNow } from '../session/current-turn.ts';
import { declareNeverLaunched } from '../stop/never-launched.ts';
import type { StartedTurn } from './launch-turn.ts';
import { type Checked, launchNext, type NextTurn, withProgram } from './next-turn.ts';
import { requireKnownAgent, requireSameDirectory } from './preconditions.ts';

/** What a session is given next. */
export interface FollowUp {
  readonly kind: TurnKind;
  readonly message: string;
  readonly covers: RequestRecord['covers'];
  readonly historyChars: number;
}

/** Checks all that can be refused of another turn of a session, but for what the session is doing now. */
export async function checkFollowUp(context: ManagerContext, now: SessionNow): Promise<Checked> {
  requireSameDirectory(now);
  const limits = await requireAllowedTurn(context, now);
  return withProgram(context, { record: now.record, adapter: requireKnownAgent(now), limits });
}

/** The next turn of a session. */
export function followUpOf(now: SessionNow, checked: Checked, followUp: FollowUp): NextTurn {
  const { store, id, turns } = now;
  return { store, id, turn: (turns.at(-1) ?? 0) + 1, ...checked, ...followUp, before: turns };
}

/** Adds a turn to a session at rest, and launches it. @throws ZwarmError `lost_race`, … */
export async function goOn(
  context: ManagerContext,
  now: SessionNow,
  checked: Checked,
  followUp: FollowUp,
): Promise<StartedTurn> {
  const next = followUpOf(now, checked, followUp);
  return launchNext(context, next, {
    continues: now,
    claim: (claim) => {
      declareNeverLaunched(context, now);
      claimTurn(next, claim);
    },
  });
}
