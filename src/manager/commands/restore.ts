import { ZwarmError } from '../../core/errors.ts';
import { requireUser } from '../access/caller.ts';
import { type ManagerContext, openForReading } from '../context.ts';
import { findTrashed, type Restored, takeOutOfTrash } from '../removal/trash.ts';

/** Brings back what was removed and is still in the trash. @throws ZwarmError `not_found`, `ambiguous`, `name_taken` */
export async function restore(context: ManagerContext, ref: string): Promise<Restored> {
  requireUser(context);
  const store = openForReading(context, true);
  const id = findTrashed(store, ref);
  if (store === null) throw new ZwarmError('not_found', 'this project has no sessions');
  return takeOutOfTrash(context, { store, id });
}
