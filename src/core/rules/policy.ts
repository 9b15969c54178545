import { isWithin } from '../path.ts';
import { SANDBOXES, type Sandbox } from '../session.ts';

/** What callers other than the user may do: agents of zwarm, and the clients of `zwarm mcp`. */
export interface Policy {
  /**
   * Where their agents may work: each of these lists must have the directory, or one above it. The first list is the
   * user's, the others narrow it. Absolute real paths; `*` stands for any directory.
   */
  readonly allowedDirs: readonly (readonly string[])[];
  /** The widest sandbox. */
  readonly sandbox: Sandbox;
  /** How many sessions may stand above a new one: 0 lets no agent start another. */
  readonly maxDepth: number;
  /** How many of their sessions may run at a time, all callers together. */
  readonly maxSessions: number;
  /** Whether they may end and delete sessions that others started. */
  readonly endOthers: boolean;
}

/** Where to look for configuration. */
export interface ConfigPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The root of the project, a real path. */
  readonly projectRoot: string;
}

/** The merged configuration. */
export interface Settings {
  /** Null leaves the choice to zwarm. */
  readonly agent: string | null;
  /** Null leaves the choice to the agent. */
  readonly model: string | null;
  /** Of a new session that asks for none. */
  readonly sandbox: Sandbox;
  /** The longest wait of one call of a tool, in seconds; null for what its client is known to allow. */
  readonly waitSec: number | null;
  /** Whether turns may run whose agents can write the records of zwarm. */
  readonly reachableState: boolean;
  readonly policy: Policy;
  /** Problems of the files: unknown keys, and values that have no effect. */
  readonly notices: readonly string[];
}

export const ANY_DIRECTORY = '*';

/**
 * Where agents may work unless the user says so: in the project. A "project" that holds the user's whole home, or all of
 * the machine, is none: then nowhere.
 * @param home a real path, or null
 */
export function defaultDirectories(projectRoot: string, home: string | null): readonly string[] {
  return projectRoot === '/' || (home !== null && isWithin(home, projectRoot)) ? [] : [projectRoot];
}

/** Hooks and configuration lie there, which other programs run outside of any sandbox. */
const CLOSED = ['.git', '.codex', '.agents', '.claude', '.zwarm'];

/** The part of a path below the allowed directories that is closed to agents, or undefined. */
function closedPart(path: string, allowed: string): string | undefined {
  const below = path.slice(allowed === ANY_DIRECTORY ? 0 : allowed.length);
  return below.split('/').find((part) => CLOSED.includes(part.toLowerCase()));
}

/** Where an agent that is to work in a directory would run, or in words why it may not work there. */
export type AllowedRoot = { readonly root: string } | { readonly refused: 'outside' | 'closed' | 'narrowed' };

/**
 * The allowed directory that holds a path; a path itself where any directory is allowed. An agent runs at such a root and
 * never below it, as another agent at that root could exchange what is below. So a root of which the project allows only
 * a part is refused.
 * @param path a real path
 */
export function allowedRoot({ allowedDirs }: Pick<Policy, 'allowedDirs'>, path: string): AllowedRoot {
  const [mine = [], ...narrower] = allowedDirs;
  const allowed = mine.find((one) => one === ANY_DIRECTORY || isWithin(path, one));
  if (allowed === undefined || !isAllowedDirectory({ allowedDirs: narrower }, path))
    return { refused: 'outside' };
  if (closedPart(path, allowed) !== undefined) return { refused: 'closed' };
  const root = allowed === ANY_DIRECTORY ? path : allowed;
  return isAllowedDirectory({ allowedDirs: narrower }, root) ? { root } : { refused: 'narrowed' };
}

/** The policy for the agent of a session: at most the directory of that session. */
export function policyBelow(
  policy: Policy,
  { working_dir, sandbox }: { readonly working_dir: string; readonly sandbox: Sandbox },
): Policy {
  const [mine = [], ...others] = policy.allowedDirs;
  const own = mine.map((one) => (one !== ANY_DIRECTORY && isWithin(working_dir, one) ? working_dir : one));
  return { ...policy, allowedDirs: [own, ...others], sandbox: narrower(policy.sandbox, sandbox) };
}

/** Whether an agent may work in a directory; its real path. */
export function isAllowedDirectory({ allowedDirs }: Pick<Policy, 'allowedDirs'>, path: string): boolean {
  return allowedDirs.every((list) =>
    list.some((allowed) => allowed === ANY_DIRECTORY || isWithin(path, allowed)),
  );
}

/** Whether a sandbox lets an agent do more than another one. */
export function isWider(sandbox: Sandbox, than: Sandbox): boolean {
  return SANDBOXES.indexOf(sandbox) > SANDBOXES.indexOf(than);
}

/** The one of two sandboxes that lets an agent do less. */
export function narrower(a: Sandbox, b: Sandbox): Sandbox {
  return isWider(a, b) ? b : a;
}
