import { statSync } from 'node:fs';
import { join } from 'node:path';
import { AGENTS } from '../../agents/registry.ts';
import type { SessionId } from '../../core/ids.ts';
import type { CleanItem } from '../../core/rules/clean-plan.ts';
import type { TreeVerdict } from '../../core/rules/tree-risk.ts';
import { livenessOf } from '../../process/identity.ts';
import { checkoutAt, isGitDirectory, ownCheckoutAt, verified } from '../../store/git.ts';
import { trashedDir } from '../../store/layout.ts';
import { entriesOf, unlessDamaged } from '../../store/read-file.ts';
import { realPathOf } from '../../store/real-path.ts';
import { findLeftovers, MOST_FILES, treeBytes } from '../../store/remove.ts';
import { hasSession } from '../../store/sessions.ts';
import { listTrees } from '../../store/trees.ts';
import type { ManagerContext, Store } from '../context.ts';
import {
  type LookedAt,
  lookAtTree,
  mainBranch,
  type Surroundings,
  type Tree,
  treeOf,
} from './look-at-tree.ts';
import { trashOf } from './trash.ts';

/** An item with its group. */
export interface Judged {
  readonly group: TreeVerdict['group'];
  readonly item: CleanItem;
  /** Of a tree: what was found out about it. */
  readonly tree?: Tree;
}

const ITEM = { id: null, name: null, path: null, branch: null, bytes: null, reasons: [], ignored: [] };

/** The item of a tree, with what else of it there is. */
export function itemOfTree(looked: LookedAt, more: Pick<CleanItem, 'kind'> & Partial<CleanItem>): CleanItem {
  const { tree, facts, verdict } = looked;
  const own = treeBytes(tree.path, MOST_FILES);
  const bytes = own === null ? null : own + (more.bytes ?? 0);
  const ignored = verdict.group === 'safe' ? (facts?.ignored ?? []).map(({ path }) => path) : [];
  const branch = facts?.branch ?? tree.branch;
  return { ...ITEM, ...more, path: tree.path, branch, bytes, reasons: verdict.reasons, ignored };
}

/** The git directory that all worktrees of a project share; null outside of git. */
export function commonOf({ projectRoot }: Store): string | null {
  const checkout = checkoutAt(projectRoot);
  if (checkout !== null) return verified(checkout)?.common ?? null;
  return isGitDirectory(projectRoot) ? projectRoot : null;
}

/** When anything of a worktree was last touched by git, or an entry of it made or removed (ms since the epoch). */
function lastTouched(path: string, gitDir: string): number {
  const files = [path, ...['HEAD', 'index', 'logs/HEAD'].map((name) => join(gitDir, name))];
  return Math.max(...files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}

/** The worktrees of this project that agents' own programs have made in their homes, `<home>/worktrees/<hash>/<name>`. */
function treesOfAgents(context: ManagerContext, store: Store, common: string): readonly Tree[] {
  const target = mainBranch(store);
  const below = (directory: string): readonly string[] =>
    (unlessDamaged(() => entriesOf(directory)) ?? []).flatMap((entry) =>
      entry.isDirectory() ? [join(directory, entry.name)] : [],
    );
  return AGENTS.flatMap((agent) => {
    const directory = agent.worktrees?.(context.env) ?? null;
    const home = directory === null ? null : realPathOf(directory);
    return home === null ? [] : below(home).flatMap(below);
  }).flatMap((path) => {
    const checkout = ownCheckoutAt(path);
    if (checkout?.common !== common) return [];
    const { gitDir } = checkout;
    return [{ path, git_dir: gitDir, common, branch: null, target, lock: null, origin: store.projectRoot }];
  });
}

/** The trees that belong to no session: of one that is gone, or of an agent's own program and not touched for a while. */
export async function strayTrees(
  context: ManagerContext,
  store: Store,
  surroundings: Surroundings,
  isOld: (ms: number) => boolean,
): Promise<readonly Judged[]> {
  const common = commonOf(store);
  if (common === null) return [];
  const found: Judged[] = [];
  const judge = async (tree: Tree, id: SessionId | null) => {
    const looked = await lookAtTree(context, tree, null, surroundings);
    const item = itemOfTree(looked, { kind: 'tree', id });
    found.push({ group: looked.verdict.group, item, tree });
  };
  for (const { id, isMade, claimer } of listTrees(store.root)) {
    // A start that is under way has a tree before it has a session.
    const isStray = isMade && livenessOf(claimer) === 'no' && !hasSession({ store, id });
    const tree = isStray ? treeOf({ store, id }) : null;
    if (tree !== null) await judge(tree, id);
  }
  for (const tree of treesOfAgents(context, store, common))
    if (isOld(lastTouched(tree.path, tree.git_dir))) await judge(tree, null);
  return found;
}

/** What commands that were killed have left, and what has been in the trash long enough. */
export function leftoversOf(store: Store, nowMs: number): readonly Judged[] {
  const leftovers = findLeftovers(store.root, nowMs).map(
    ({ path }): CleanItem => ({ ...ITEM, kind: 'leftover', path, bytes: treeBytes(path, MOST_FILES) }),
  );
  const trash = trashOf(store).filter(({ untilMs }) => nowMs >= untilMs);
  const due = trash.map(({ id, name, at }): CleanItem => {
    const [own, files] = [treeBytes(trashedDir({ store, id }), MOST_FILES), treeBytes(at, MOST_FILES)];
    const bytes = own === null || files === null ? null : own + files;
    return { ...ITEM, kind: 'trash', id, name, path: at, bytes };
  });
  return [...leftovers, ...due].map((item) => ({ group: 'safe', item }));
}
