import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isWithin } from '../../core/path.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { withoutLinks } from '../../store/real-path.ts';
import type { SessionRecord } from '../../store/records.ts';
import { readRequest, readSessionRecord } from '../../store/sessions.ts';
import { knownTree, listUntouched, recordTouched } from '../../store/trees.ts';
import { listWriters } from '../../store/writers.ts';
import { writableBy } from '../access/reach.ts';
import type { ManagerContext, Session } from '../context.ts';
import { adapterOf } from '../turn/turn-state.ts';
import { launchOf } from '../turn/turn-stream.ts';
import { isWorking } from '../turn/writers.ts';
import type { NextTurn } from './continuation.ts';

/*
 * A setup runs outside of any sandbox, so that it runs only in a tree in which no agent has been able to write. This sees who
 * comes into such a tree: an agent that is about to begin, and one that runs already when the tree is made.
 */

/** A turn, as far as it decides where its agent can write. */
interface Reaching extends Pick<NextTurn, 'adapter'> {
  readonly record: Pick<SessionRecord, 'working_dir' | 'sandbox' | 'agent_args'>;
  readonly isConfined: boolean;
}

/** Whether the agent of a turn can write in a tree; one without a sandbox can anywhere, and counts where it works. */
async function reaches(
  context: ManagerContext,
  { record, adapter, isConfined }: Reaching,
  path: string,
): Promise<boolean> {
  if (record.sandbox === 'read-only') return false;
  const { directories } = await writableBy(context, adapter.confinement, record, isConfined);
  // Where it is now, too, if it lies behind a link since it was made.
  const paths = [path, withoutLinks(path)];
  return [record.working_dir, ...directories].some((at) =>
    paths.some((one) => isWithin(one, at) || isWithin(at, one)),
  );
}

/** The session of another agent that runs now and can write in the tree of this one; or null. */
export async function agentReaching(
  context: ManagerContext,
  { store, id: own }: Session,
  path: string,
): Promise<SessionId | null> {
  for (const { id, turn } of listWriters(store.root)) {
    const other = { store, id, turn };
    if (id === own || !isWorking(other)) continue;
    const record = unlessDamaged(() => readSessionRecord(other));
    const adapter = record && adapterOf(record, readRequest(other));
    const isConfined = launchOf(other)?.confined_by != null;
    if (
      record === null ||
      adapter === null ||
      (await reaches(context, { record, adapter, isConfined }, path))
    )
      return id;
  }
  return null;
}

/**
 * Records that an agent is going to write in the worktrees of other sessions that it reaches: no setup runs there any more.
 * @throws ZwarmError `busy` while one may run
 */
export async function touchOthersTrees(
  context: ManagerContext,
  { store, id: own, record, adapter, confiner }: Session & Pick<NextTurn, 'record' | 'adapter' | 'confiner'>,
): Promise<void> {
  const turn = { record, adapter, isConfined: confiner !== null };
  for (const id of listUntouched(store.root)) {
    const session = { store, id };
    const path = id === own ? undefined : knownTree(session)?.path;
    if (path === undefined || !(await reaches(context, turn, path))) continue;
    if (isWorking(session))
      throw new ZwarmError(
        'busy',
        `${path} is just being made ready for ${id}`,
        `try again once its agent runs: zwarm show ${id}`,
      );
    recordTouched(session);
  }
}
