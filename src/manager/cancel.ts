import { join } from 'node:path';
import type { SessionId } from '../core/ids.ts';
import type { CancelRecord } from '../core/session.ts';
import type { CancelWhy } from '../core/status.ts';
import { isoTime } from '../core/time.ts';
import { ownIdentity } from '../process/identity.ts';
import { publishOnce } from '../store/files.ts';
import { BUILDING_PREFIX, turnDir, turnFile } from '../store/layout.ts';
import { encode } from '../store/records.ts';
import type { ManagerContext, Store } from './context.ts';

/** Records that a turn is to stop; false when somebody has done so before. */
export function publishCancel(
  context: ManagerContext,
  store: Store,
  id: SessionId,
  turn: number,
  why: CancelWhy,
): boolean {
  const record: CancelRecord = { v: 1, why, by: ownIdentity(), at: isoTime(context.now()) };
  const temporary = join(turnDir(store.root, id, turn), `${BUILDING_PREFIX}${context.newNonce()}`);
  return publishOnce(turnFile(store.root, id, turn, 'cancel'), encode(record), temporary);
}
