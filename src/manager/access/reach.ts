import { resolve } from 'node:path';
import type { AgentAdapter, ConfigurationTexts, Reach } from '../../agents/agent.ts';
import { isErrno, ZwarmError } from '../../core/errors.ts';
import { isWithin } from '../../core/path.ts';
import { DamagedRecord, readBlocks } from '../../store/read-file.ts';
import { realPathToBe } from '../../store/real-path.ts';
import type { SessionRecord } from '../../store/records.ts';
import { locateProject, type ManagerContext, stateDirectory } from '../context.ts';

/** A turn as far as this rule needs it. */
type Confined = Pick<SessionRecord, 'working_dir' | 'sandbox' | 'agent_args'>;

/** What the agent of a turn can write: its directories as real paths. */
type Writable = Pick<Reach, 'unclear' | 'outside'> & { readonly directories: readonly string[] };

/** Far more than anybody configures, in bytes. */
const TEXT_LIMIT = 1 << 20;

function textAt(path: string): string | null {
  const blocks: Uint8Array[] = [];
  let bytes = 0;
  for (const block of readBlocks(path)) {
    bytes += block.length;
    if (bytes > TEXT_LIMIT) return null;
    blocks.push(block);
  }
  return Buffer.concat(blocks).toString();
}

/** What is at the paths of an agent's configuration; those at which nothing is are left out. Links are followed, as agents do. */
export function textsOf(paths: readonly string[]): ConfigurationTexts {
  const texts = new Map<string, string | null>();
  for (const path of paths) {
    try {
      texts.set(path, textAt(path));
    } catch (error) {
      if (isErrno(error, 'ENOENT', 'ENOTDIR')) continue;
      if (!(error instanceof DamagedRecord) && !isErrno(error, 'EACCES', 'ELOOP', 'ENXIO')) throw error;
      texts.set(path, null);
    }
  }
  return texts;
}

/** A path without links, as far as it can be followed. */
function withoutLinks(path: string): string {
  try {
    return realPathToBe(path);
  } catch (error) {
    if (isErrno(error, 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG')) return path;
    throw error;
  }
}

/** What the agent of a turn may write: nothing in particular where nothing confines it. */
export async function writableBy(
  { env }: ManagerContext,
  confinement: AgentAdapter['confinement'],
  { working_dir: directory, agent_args: args }: Confined,
  isConfined: boolean,
): Promise<Writable> {
  if (confinement?.by !== 'agent') {
    const own = isConfined ? [directory, ...(confinement?.state(env, directory).directories ?? [])] : [];
    return { directories: own.map(withoutLinks), unclear: [], outside: [] };
  }
  const texts = textsOf(confinement.configurationFiles(env, directory, args));
  const { directories, ...others } = await confinement.writable({ env, directory, args }, texts);
  const home = env['HOME'] ?? '';
  const paths = directories.map(({ path, base }) => resolve(base, path.replace(/^~(?=\/|$)/, home)));
  return { directories: [directory, ...paths].map(withoutLinks), ...others };
}

/** Why the agent of a turn might write to the state directory, and what to do about it; null where it cannot. */
function wayInto(state: string, sandbox: Confined['sandbox'], { directories, unclear, outside }: Writable) {
  const [rules] = outside;
  if (rules !== undefined)
    return [
      `commands that ${rules} allows run outside of the sandbox`,
      'leave it out by --agent-arg=--ignore-rules',
    ];
  if (sandbox === 'read-only') return null;
  const through = directories.find((path) => isWithin(state, path));
  const readOnly = 'run it with -s read-only';
  if (through !== undefined)
    return [
      `${state} lies in ${through}, which it may write`,
      `set XDG_STATE_HOME to a directory elsewhere, ${readOnly}`,
    ];
  const [first] = unclear;
  if (first === undefined) return null;
  return [
    `zwarm cannot tell what it may write by ${first}`,
    `take that out or write it otherwise, ${readOnly}`,
  ];
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
  if (turn.sandbox === 'danger-full-access') return;
  const state = realPathToBe(stateDirectory(context));
  const way = wayInto(state, turn.sandbox, await writableBy(context, confinement, turn, isConfined));
  if (way === null) return;
  const { env } = context;
  const projectRoot = locateProject(context).checkout;
  const { reachableState } = await context.loadSettings({ env, projectRoot });
  if (reachableState) return;
  const [why, otherwise] = way;
  throw new ZwarmError(
    'state_reachable',
    `the agent could write to zwarm's own records: ${why}`,
    `${otherwise}, or give that safety up: zwarm config set reachable_state true`,
  );
}
