import { ZwarmError } from '../../core/errors.ts';
import { isAtRest } from '../../core/status.ts';
import type { OwnTree, SessionRecord } from '../../store/records.ts';
import type { ManagerContext, Session } from '../context.ts';
import { readStateFromRecords } from './current-turn.ts';

/** A session that has a tree of its own. */
export type TreeRecord = SessionRecord & { readonly worktree: OwnTree };

/** The record of a session that is at rest and has a tree of its own. @throws ZwarmError `busy`, `no_tree` */
export async function requireOwnTree(context: ManagerContext, session: Session): Promise<TreeRecord> {
  const { id } = session;
  const { record, current } = await readStateFromRecords(session, context.now());
  const status = current?.verdict.status ?? 'ready';
  if (!isAtRest(status))
    throw new ZwarmError('busy', `${id} is still ${status}`, `wait for it first: zwarm wait ${id}`);
  const { worktree } = record;
  if (worktree !== null) return { ...record, worktree };
  const what = `${id} has no tree of its own: what it changed is in ${record.working_dir}`;
  throw new ZwarmError('no_tree', what, 'commit it there; the next time: zwarm start -W');
}
