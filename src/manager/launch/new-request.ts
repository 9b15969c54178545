import type { TurnKind } from '../../core/session.ts';
import { isoTime } from '../../core/time.ts';
import { ownIdentity } from '../../process/identity.ts';
import type { RequestRecord } from '../../store/records.ts';
import { callerOf } from '../access/caller.ts';
import type { ManagerContext } from '../context.ts';

/** The request of a new turn, claimed by this process now. */
export function newRequest(
  context: ManagerContext,
  kind: TurnKind,
  more: Partial<Pick<RequestRecord, 'to' | 'covers'>> = {},
): RequestRecord {
  return {
    v: 1,
    kind,
    queued: false,
    claimer: ownIdentity(),
    nonce: context.newNonce(),
    by: callerOf(context).source,
    at: isoTime(context.now()),
    to: null,
    covers: [],
    ...more,
  };
}
