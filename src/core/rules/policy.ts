import { isWithin } from '../path.ts';
import { SANDBOXES, type Sandbox } from '../session.ts';
import type { Budget } from './budget.ts';
import type { Filling } from './filling.ts';
import type { Notify } from './notification.ts';

/** What callers other than the user may do: agents of zwarm, and the clients of `zwarm mcp`. */
export interface Policy {
  /** Where their agents may work: real paths or `*`. Each list must hold a directory; the first is the user's. */
  readonly allowedDirs: readonly (readonly string[])[];
  /** The widest sandbox. */
  readonly sandbox: Sandbox;
  /** How many sessions may stand above a new one: 0 lets no agent start another. */
  readonly maxDepth: number;
  /** How many of their sessions may run at a time, all callers together. */
  readonly maxSessions: number;
  /** Whether they may end and delete sessions that others started. */
  readonly endOthers: boolean;
  /** Whether their agents may run although nothing confines them. */
  readonly unconfined: boolean;
  /** Whether they may land what their sessions have changed in trees of their own. */
  readonly allowLand: boolean;
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
  /** Whether turns may run whose agents can write the records of zwarm, or change what else it relies on. */
  readonly reachable: Readonly<Record<'reachable_state' | 'reachable_installation', boolean>>;
  /** Where the worktrees of all projects are made; null for beside each of them. */
  readonly worktreeDir: string | null;
  /** What the project wants in its new worktrees; null where it says nothing. */
  readonly filling: Filling | null;
  /** How many turns may run at once in a project; null for any number. */
  readonly maxRunning: number | null;
  /** What may be spent until no more turns begin; all of them hold. */
  readonly budgets: readonly Budget[];
  /** Null where the user is not to be told of anything. */
  readonly notify: Notify | null;
  readonly policy: Policy;
  /** Problems of the files: unknown keys, and values that have no effect. */
  readonly notices: readonly string[];
}

export const ANY_DIRECTORY = '*';

/** Where agents may work unless the user says so: in the project, unless that holds all of `home`, a real path or null. */
export function defaultDirectories(projectRoot: string, home: string | null): readonly string[] {
  return projectRoot === '/' || (home !== null && isWithin(home, projectRoot)) ? [] : [projectRoot];
}

/** Hooks and configuration lie there, which other programs run outside of any sandbox. */
export const CLOSED = ['.git', '.codex', '.agents', '.claude', '.zwarm'];

/** Whether a path below an allowed directory is closed to agents. */
export function isClosed(path: string, allowed: string): boolean {
  // `*` is as long as the slash at the beginning.
  return path
    .slice(allowed.length)
    .split('/')
    .some((part) => CLOSED.includes(part.toLowerCase()));
}

const holds = (directory: string, path: string): boolean =>
  directory === ANY_DIRECTORY || isWithin(path, directory);

/**
 * The allowed directory that holds a real path; the path itself where any is allowed. An agent runs at such a root and
 * never below it, as another agent there could exchange what is below: a root that is allowed in part is refused.
 */
export function allowedRoot(
  { allowedDirs }: Pick<Policy, 'allowedDirs'>,
  path: string,
): { readonly root: string } | { readonly refused: 'outside' | 'closed' | 'narrowed' } {
  const [mine = [], ...narrower] = allowedDirs;
  const allowed = mine.find((one) => holds(one, path));
  if (allowed === undefined || !isAllowedDirectory({ allowedDirs: narrower }, path))
    return { refused: 'outside' };
  if (isClosed(path, allowed)) return { refused: 'closed' };
  const root = allowed === ANY_DIRECTORY ? path : allowed;
  return isAllowedDirectory({ allowedDirs: narrower }, root) ? { root } : { refused: 'narrowed' };
}

/** The policy for the agent of a session: at most the directory of that session. */
export function policyBelow(
  policy: Policy,
  { working_dir, sandbox }: { readonly working_dir: string; readonly sandbox: Sandbox },
): Policy {
  const [mine = [], ...others] = policy.allowedDirs;
  const own = mine.map((one) => (isWithin(working_dir, one) ? working_dir : one));
  return { ...policy, allowedDirs: [own, ...others], sandbox: narrower(policy.sandbox, sandbox) };
}

/** Whether an agent may work in a directory; its real path. */
export function isAllowedDirectory({ allowedDirs }: Pick<Policy, 'allowedDirs'>, path: string): boolean {
  return allowedDirs.every((list) => list.some((one) => holds(one, path)));
}

/** Whether a sandbox lets an agent do more than another one. */
export function isWider(sandbox: Sandbox, than: Sandbox): boolean {
  return SANDBOXES.indexOf(sandbox) > SANDBOXES.indexOf(than);
}

/** The one of two sandboxes that lets an agent do less. */
export const narrower = (a: Sandbox, b: Sandbox): Sandbox => (isWider(a, b) ? b : a);
