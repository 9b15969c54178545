import { join } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import { isOpenDirectory } from '../../store/real-path.ts';
import type { ManagerContext, Session } from '../context.ts';
import { environmentIn } from '../launch/own-tree.ts';
import { requireSameDirectory } from '../launch/preconditions.ts';
import { readStateFromRecords } from '../session/current-turn.ts';

/** Where a session works, and what its turns have in their environment besides that of whoever starts them. */
export interface Place {
  /** The directory in which its agent was told to work. */
  readonly directory: string;
  readonly env: ManagerContext['env'];
}

/** Where a session works. @throws ZwarmError `directory_changed`, `not_resumable` where that is gone */
export async function placeOf(context: ManagerContext, session: Session): Promise<Place> {
  const now = await readStateFromRecords(session, context.now());
  requireSameDirectory(now);
  const { working_dir, work_in, worktree } = now.record;
  const directory = join(working_dir, work_in ?? '');
  if (isOpenDirectory(directory)) return { directory, env: environmentIn(worktree) };
  const what = `the directory of ${session.id} is gone or cannot be read: ${directory}`;
  throw new ZwarmError('not_resumable', what, 'make it available again');
}
