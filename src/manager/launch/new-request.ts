import type { Retry } from '../../core/rules/retry.ts';
import { isoTime } from '../../core/time.ts';
import type { TurnKind } from '../../core/turn-kinds.ts';
import { ownIdentity } from '../../process/identity.ts';
import type { RequestRecord } from '../../store/records.ts';
import { callerOf } from '../access/caller.ts';
import type { ManagerContext } from '../context.ts';

/** The turn that is first given a message which may be repeated so often; null where it is not. */
export const firstOf = (retries = 0): Retry | null => (retries === 0 ? null : { number: 0, most: retries });

/** The request of a new turn, claimed by this process now. */
export function newRequest(
  context: ManagerContext,
  kind: TurnKind,
  more: Partial<
    Pick<
      RequestRecord,
      | 'to'
      | 'covers'
      | 'runs'
      | 'run_limits'
      | 'retry'
      | 'adopted'
      | 'at'
      | 'by'
      | 'queued'
      | 'after'
      | 'even_if_failed'
    >
  > = {},
): RequestRecord {
  return {
    v: 1,
    kind,
    queued: false,
    after: [],
    even_if_failed: false,
    claimer: ownIdentity(),
    nonce: context.newNonce(),
    by: callerOf(context).source,
    at: isoTime(context.now()),
    to: null,
    covers: [],
    runs: null,
    run_limits: null,
    retry: null,
    adopted: null,
    opened: null,
    ...more,
  };
}
