import type { SessionId } from '../ids.ts';
import type { TreeVerdict } from './tree-risk.ts';

/** What `clean` may remove. */
export const CLEAN_KINDS = ['session', 'tree', 'branch', 'trash', 'leftover'] as const;

/** Something that `clean` would remove, or that it keeps. */
export interface CleanItem {
  /**
   * A session, with its tree; a tree without a session, such as one that the agent's own program left; a branch that was made
   * for a session which is gone; what is in the trash; what a command that was killed has left.
   */
  readonly kind: (typeof CLEAN_KINDS)[number];
  /** The session, or what is in the trash; else null. */
  readonly id: SessionId | null;
  readonly name: string | null;
  /** Its tree, or the file; null where it has none. */
  readonly path: string | null;
  readonly branch: string | null;
  /** What it takes on the disk; null where that was not counted to the end. */
  readonly bytes: number | null;
  /** Why it is not safe, in words. */
  readonly reasons: readonly string[];
  /** Files and directories in the tree that git ignores, and that go with it. */
  readonly ignored: readonly string[];
}

/** All that is old enough, in the order in which it goes. */
export type CleanPlan = Readonly<Record<TreeVerdict['group'], readonly CleanItem[]>>;

/** By what an item is known until it is removed. */
export const keyOf = ({
  kind,
  id,
  path,
  branch,
}: Pick<CleanItem, 'kind' | 'id' | 'path' | 'branch'>): string =>
  `${kind} ${kind === 'session' ? id : (path ?? branch)}`;
