import { MARK_VARIABLE } from '../../process/identity.ts';
import { spawnDetached } from '../../process/launch.ts';
import type { ManagerContext } from '../context.ts';
import { lastingEnvironment } from '../launch/environment.ts';

/** The environment without what makes a process part of a turn. */
function outsideOfTurns(env: ManagerContext['env'], state: string): ManagerContext['env'] {
  const ofTurn = ['SESSION_ID', 'TURN', 'STORE', 'NODE', 'MAIN'].map((name) => `ZWARM_${name}`);
  const without = [MARK_VARIABLE, ...ofTurn].map((name) => [name, undefined]);
  return { ...lastingEnvironment(env), ...Object.fromEntries(without), ZWARM_DIR: state };
}

/** Runs a verb of zwarm for a state directory, in a process that nothing waits for; resolves when it runs, or rejects. */
export function runBeside(
  context: ManagerContext,
  state: string,
  verb: 'dispatch' | 'notify',
): Promise<void> {
  const { node, cli } = context.paths;
  return spawnDetached(node, [cli, verb], { cwd: '/', env: outsideOfTurns(context.env, state) });
}
