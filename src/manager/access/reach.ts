import { resolve } from 'node:path';
import type { AgentAdapter } from '../../agents/agent.ts';
import { ZwarmError } from '../../core/errors.ts';
import { isWithin } from '../../core/path.ts';
import { readText, unlessDamaged } from '../../store/read-file.ts';
import { realPathToBe } from '../../store/real-path.ts';
import type { SessionRecord } from '../../store/records.ts';
import { locateProject, type ManagerContext, stateDirectory } from '../context.ts';

/** A turn as far as this rule needs it. */
type Confined = Pick<SessionRecord, 'working_dir' | 'sandbox' | 'agent_args'>;

/** The directories that the agent of a turn may write: none in particular where nothing confines it. Real paths. */
export async function writableBy(
  { env }: ManagerContext,
  confinement: AgentAdapter['confinement'],
  { working_dir: directory, agent_args: args }: Confined,
  isConfined: boolean,
): Promise<readonly string[]> {
  if (confinement?.by !== 'agent') {
    const own = isConfined ? [directory, ...(confinement?.state(env, directory).directories ?? [])] : [];
    return own.map(realPathToBe);
  }
  const files = confinement.configurationFiles(env, directory, args);
  const texts = files.flatMap((path) => unlessDamaged(() => readText(path)) ?? []);
  const named = await confinement.writable(args, texts);
  const home = env['HOME'] ?? '';
  const paths = named.map((path) => resolve(directory, path.replace(/^~(?=\/|$)/, home)));
  return [directory, '/tmp', env['TMPDIR'] || '/tmp', ...paths].map(realPathToBe);
}

/**
 * Refuses a turn whose agent could write to the state directory, unless the user's own configuration allows it: zwarm
 * believes its own records. An agent without a sandbox can write wherever the user can, and nothing of ours changes that.
 * @throws ZwarmError `state_reachable`, `config`
 */
export async function requireOutOfReach(
  context: ManagerContext,
  { confinement }: AgentAdapter,
  turn: Confined,
  isConfined: boolean,
): Promise<void> {
  if (turn.sandbox !== 'workspace-write') return;
  const state = realPathToBe(stateDirectory(context));
  const writable = await writableBy(context, confinement, turn, isConfined);
  const through = writable.find((path) => isWithin(state, path));
  if (through === undefined) return;
  const { env } = context;
  const projectRoot = locateProject(context).checkout;
  const { reachableState } = await context.loadSettings({ env, projectRoot });
  if (reachableState) return;
  throw new ZwarmError(
    'state_reachable',
    `the agent could write to zwarm's own records: ${state} lies in ${through}, which it may write`,
    'set XDG_STATE_HOME to a directory elsewhere, run it with -s read-only, or give that safety up: zwarm config set reachable_state true',
  );
}
