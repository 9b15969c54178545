import { dirname, join, resolve } from 'node:path';
import type { AgentAdapter, ConfigurationTexts, Reach } from '../../agents/agent.ts';
import { isErrno, ZwarmError } from '../../core/errors.ts';
import { isWithin } from '../../core/path.ts';
import { CLOSED } from '../../core/rules/policy.ts';
import { trustedParts } from '../../store/layout.ts';
import { DamagedRecord, readBlocks } from '../../store/read-file.ts';
import { placesOf, withoutLinks } from '../../store/real-path.ts';
import type { SessionRecord } from '../../store/records.ts';
import { locateProject, type ManagerContext, stateDirectory } from '../context.ts';
import { reliedOn, stateVariable } from './relied-on.ts';

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
      if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ENAMETOOLONG')) continue;
      if (!(error instanceof DamagedRecord) && !isErrno(error, 'EACCES', 'ELOOP', 'ENXIO')) throw error;
      texts.set(path, null);
    }
  }
  return texts;
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
  const paths = directories
    // Such a path leads nowhere.
    .filter(({ path }) => !path.includes('\0'))
    .map(({ path, base }) => resolve(base, path.replace(/^~(?=\/|$)/, home)));
  return { directories: [directory, ...paths].map(withoutLinks), ...others };
}

/** What the user's configuration allows the agent of a turn, by that key: what it could do, and how. */
export interface Allowed {
  readonly what: string;
  readonly why: string;
  readonly allowedBy: 'reachable_state' | 'reachable_installation';
}

/** A way in which the agent of a turn could change what zwarm relies on. */
interface Way extends Allowed {
  /** What to do about it, but for allowing it. */
  readonly otherwise: string;
}

const READ_ONLY = 'run it with -s read-only';

/** Why an agent could replace what a path leads to: a place on the way lies in a directory which it may write; or null. */
function wayThrough(path: string, { directories }: Writable, closed: readonly string[]): string | null {
  const isOpen = (place: string, directory: string): boolean =>
    isWithin(place, directory) &&
    // A link of such a name could be replaced.
    !closed.some((name) => isWithin(dirname(place), join(directory, name)));
  for (const place of placesOf(path)) {
    const directory = directories.find((one) => isOpen(place, one));
    if (directory === undefined) continue;
    const which = place === path ? place : `${path} leads to ${place}, which`;
    return `${which} lies in ${directory}, which it may write`;
  }
  return null;
}

/** Why an agent could change some of what is at a path; or null. */
function wayInto(path: string, { directories }: Writable): string | null {
  const inside = directories.find((one) => isWithin(one, withoutLinks(path)));
  return inside === undefined ? null : `${inside}, which it may write, lies in ${path}`;
}

/** The way to zwarm's own records, or null. */
function wayToState(
  { state, env }: { readonly state: string; readonly env: ManagerContext['env'] },
  { sandbox }: Confined,
  writable: Writable,
): Way | null {
  const { unclear, outside } = writable;
  const way = { what: "write to zwarm's own records", allowedBy: 'reachable_state' } as const;
  const [free] = outside;
  if (free !== undefined)
    return { ...way, why: `${free.what} run outside of the sandbox`, otherwise: free.otherwise };
  if (sandbox === 'read-only') return null;
  const inside = trustedParts(state).map((part) => wayInto(part, writable));
  const why = wayThrough(state, writable, []) ?? inside.find((one) => one !== null) ?? null;
  if (why !== null)
    return { ...way, why, otherwise: `set ${stateVariable(env)} to a directory elsewhere, ${READ_ONLY}` };
  const [first] = unclear;
  if (first === undefined) return null;
  return {
    ...way,
    why: `zwarm cannot tell what it may write by ${first}`,
    otherwise: `take that out or write it otherwise, ${READ_ONLY}`,
  };
}

/** The way to the first of what else zwarm relies on, or null; what is `closed` in a directory cannot be written there. */
function wayToOthers(
  all: ReturnType<typeof reliedOn>,
  writable: Writable,
  closed: readonly string[],
): Way | null {
  for (const { what, path, otherwise } of all) {
    const why = wayThrough(path, writable, closed) ?? wayInto(path, writable);
    if (why !== null)
      return {
        what: `change ${what}`,
        why,
        otherwise: `${otherwise}, ${READ_ONLY}`,
        allowedBy: 'reachable_installation',
      };
  }
  return null;
}

/**
 * Refuses a turn whose agent could change what zwarm relies on, its own records first, unless the user's own configuration
 * allows it; returns what that allows. An agent without a sandbox can write wherever the user can, and nothing of ours
 * changes that.
 * @throws ZwarmError `state_reachable`, `installation_reachable`, `config`
 */
export async function requireOutOfReach(
  context: ManagerContext,
  adapter: AgentAdapter,
  turn: Confined,
  isConfined: boolean,
): Promise<readonly Allowed[]> {
  if (turn.sandbox === 'danger-full-access') return [];
  const { confinement } = adapter;
  const writable = await writableBy(context, confinement, turn, isConfined);
  const { env } = context;
  const state = wayToState({ state: stateDirectory(context), env }, turn, writable);
  const writesNothing = turn.sandbox === 'read-only' || writable.directories.length === 0;
  if (state === null && writesNothing) return [];
  const projectRoot = locateProject(context).checkout;
  const settings = await context.loadSettings({ env, projectRoot });
  const closed = confinement?.by === 'agent' ? confinement.closed : CLOSED;
  const others = writesNothing
    ? null
    : wayToOthers(reliedOn(context, settings, adapter, turn.working_dir), writable, closed);
  const ways = [state, others].filter((way) => way !== null);
  const { reachable } = settings;
  const refused = ways.find(({ allowedBy }) => !reachable[allowedBy]);
  if (refused === undefined) return ways;
  const { what, why, otherwise, allowedBy } = refused;
  throw new ZwarmError(
    allowedBy === 'reachable_state' ? 'state_reachable' : 'installation_reachable',
    `the agent could ${what}: ${why}`,
    `${otherwise}, or give that safety up: zwarm config set ${allowedBy} true`,
  );
}
