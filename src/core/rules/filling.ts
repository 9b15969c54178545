/** What a project wants in its new worktrees besides what git puts there. */
export interface Filling {
  /** Patterns, as in a `.gitignore`, of untracked files that are copied. */
  readonly copy: readonly string[];
  /** Paths from the root of the checkout, of directories that are copied whole, such as `node_modules`. */
  readonly clone: readonly string[];
  /** A shell command that makes the worktree ready, outside of any sandbox; or null. */
  readonly setup: string | null;
  /** How long that may take, in seconds. */
  readonly timeoutS: number;
  /** Whether the user trusts the file that says so as it is now: else `setup` does not run. */
  readonly isTrusted: boolean;
  /** That file. */
  readonly file: string;
}

/** Whether a path, from the root of a checkout, stays in it and out of its git directory. */
export function isInside(path: string): boolean {
  const parts = path.replace(/\/$/, '').split('/');
  return parts.every((part) => !['', '.', '..'].includes(part) && part.toLowerCase() !== '.git');
}
