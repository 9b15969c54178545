import { ownIdentity } from '../../process/identity.ts';
import type { Claim } from '../../store/claim.ts';
import { claimInQueue } from '../../store/queue.ts';
import type { RequestRecord } from '../../store/records.ts';
import type { ManagerContext, Turn } from '../context.ts';
import { environmentNow } from '../launch/environment.ts';
import type { StartedTurn } from '../launch/launch-turn.ts';
import { firstOf, newRequest } from '../launch/new-request.ts';
import type { Checked } from '../launch/next-turn.ts';
import { openTurns, readStateFromRecords } from '../session/current-turn.ts';
import { waitingOf } from '../session/waiting.ts';
import { launchOf } from '../turn/turn-stream.ts';
import { dispatch } from './dispatch.ts';

/** What a turn waits for besides its place. */
export type WaitsFor = Pick<RequestRecord, 'after' | 'even_if_failed'>;

/** A turn that was checked, and is to wait for its turn. */
export interface ToQueue extends Turn, Pick<Checked, 'runs' | 'runLimits' | 'adapter'>, WaitsFor {
  readonly message: string;
  readonly retries?: number | undefined;
}

/**
 * Claims a turn that waits, and starts it at once where it may begin; its message is safe on the disk when this returns.
 * @throws ZwarmError `lost_race`, `not_found`
 */
export async function queueTurn(
  context: ManagerContext,
  { runs, adapter, message, runLimits, retries, after, even_if_failed, ...turn }: ToQueue,
  claim: (claim: Claim) => void,
): Promise<StartedTurn> {
  claimInQueue(turn, ownIdentity(), () =>
    claim({
      request: newRequest(context, 'prompt', {
        ...{ runs, run_limits: runLimits, retry: firstOf(retries), queued: true },
        ...{ after, even_if_failed },
      }),
      prompt: Buffer.from(message),
      environment: environmentNow(context),
    }),
  );
  // It is queued, whatever becomes of that: it tells itself why it waits.
  await dispatch(context, turn.store).catch(() => undefined);
  const waiting = openTurns(await readStateFromRecords(turn, context.now())).filter(
    ({ turn: number }) => number <= turn.turn,
  );
  const { pending } = await waitingOf(waiting, context.now());
  const launch = pending === null ? launchOf(turn) : null;
  return {
    ...{ id: turn.id, turn: turn.turn, agent: adapter.name, pending },
    ...{ how: launch?.how ?? null, why: launch?.why ?? null, gone: [] },
  };
}
