import { ZwarmError } from '../../core/errors.ts';
import { MARK_VARIABLE } from '../../process/identity.ts';
import { runInGroup } from '../../process/run.ts';
import { RUNNER_SUFFIX } from '../../process/turn-processes.ts';
import { hasQueue, readRequest, readSessionRecord } from '../../store/sessions.ts';
import { isUntouched, recordTouched } from '../../store/trees.ts';
import type { ManagerContext } from '../context.ts';
import { changesFiles, takeFilesBefore } from '../launch/launch-turn.ts';
import { setupOf } from '../launch/own-tree.ts';
import { ownTurn } from '../turn/own-turn.ts';
import { adapterOf } from '../turn/turn-state.ts';

/** What is told on the standard output of the turn runner's call, which is `setup.log`. */
type Tell = (line: string) => void;

/**
 * Makes the worktree of the turn in the environment ready, as its project says, outside of any sandbox: what the command
 * prints goes to this process's own streams. Whether it has succeeded. @throws ZwarmError
 */
export async function setUp(context: ManagerContext, tell: Tell): Promise<boolean> {
  const turn = ownTurn(context);
  const record = readSessionRecord(turn);
  const { worktree } = record;
  // Asked once more: the file may have changed since the turn was launched, or an agent come into the tree.
  const setup = worktree === null || !isUntouched(turn) ? null : await setupOf(context, worktree);
  if (worktree === null || setup === null)
    throw new ZwarmError(
      'not_allowed',
      'the setup of this worktree is not trusted any more, or an agent has been there',
      'see: zwarm config trust',
    );
  const mark = context.env[MARK_VARIABLE] ?? '';
  const own = mark.endsWith(RUNNER_SUFFIX) ? mark.slice(0, -RUNNER_SUFFIX.length) : mark;
  tell(`$ ${setup.command}`);
  const env = { ...context.env, [MARK_VARIABLE]: own };
  const ended = await runInGroup('/bin/sh', ['-c', setup.command], {
    cwd: worktree.path,
    env,
    timeoutMs: setup.timeoutS * 1000,
  });
  if (ended === 0) {
    const adapter = adapterOf(record, readRequest(turn));
    if (adapter !== null && changesFiles(record, adapter)) await (await takeFilesBefore(context, turn))();
    recordTouched(turn);
    // Others may have waited for the end of this.
    if (hasQueue(turn.store)) await (await import('../queue/dispatch.ts')).moveBeside(context, turn.store);
    return true;
  }
  tell(
    ended === 'late'
      ? `it had not ended after ${setup.timeoutS} s, and was stopped`
      : `it ended with ${ended ?? 'a signal'}`,
  );
  return false;
}
