import { isWithin } from '../path.ts';
import { SANDBOXES, type Sandbox } from '../session.ts';

/** What callers other than the user may do: agents of zwarm, and the clients of `zwarm mcp`. */
export interface Policy {
  /**
   * Where their agents may work: each of these lists must have the directory, or one above it. Absolute real paths; `*`
   * stands for any directory.
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

/** What the configuration comes to. */
export interface Settings {
  /** Null leaves the choice to zwarm. */
  readonly agent: string | null;
  /** Null leaves the choice to the agent. */
  readonly model: string | null;
  /** Of a new session that asks for none. */
  readonly sandbox: Sandbox;
  /** The longest time that one call of a tool waits, in seconds; null leaves it to what its client is known to bear. */
  readonly waitSec: number | null;
  readonly policy: Policy;
  /** What is to be said about the files: unknown keys, and values that have no effect. */
  readonly notices: readonly string[];
}

export const ANY_DIRECTORY = '*';
export const DEFAULT_SANDBOX: Sandbox = 'workspace-write';
export const DEFAULT_MAX_DEPTH = 1;
export const DEFAULT_MAX_SESSIONS = 8;

/**
 * Where agents may work unless the user says so: in the project. A "project" that holds the user's whole home, or all of
 * the machine, is none: then nowhere.
 * @param home a real path, or null
 */
export function defaultDirectories(projectRoot: string, home: string | null): readonly string[] {
  return projectRoot === '/' || (home !== null && isWithin(home, projectRoot)) ? [] : [projectRoot];
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
