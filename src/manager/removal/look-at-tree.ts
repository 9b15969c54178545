import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { isWithin } from '../../core/path.ts';
import { judgeTree, type TreeVerdict } from '../../core/rules/tree-risk.ts';
import { findGit, gitIn } from '../../git/git.ts';
import { type AskedFacts, askTree } from '../../git/risk.ts';
import { whereProcessesStand } from '../../process/standing.ts';
import { gitStateOf, ownCheckoutAt } from '../../store/git.ts';
import { readLanded } from '../../store/landed.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { realPathOf } from '../../store/real-path.ts';
import type { SessionRecord, TrashedRecord } from '../../store/records.ts';
import { hasSession, listSessionIds, readSessionRecord } from '../../store/sessions.ts';
import { knownTree } from '../../store/trees.ts';
import { placeOf } from '../changes/place.ts';
import { gitsOf, ofKnownFiles, treeNow } from '../changes/tree-now.ts';
import type { ManagerContext, Session, Store } from '../context.ts';
import { reasonFor } from '../launch/tree.ts';

/** A worktree that may be removed: where it is, and what its session has recorded of it. */
export type Tree = Omit<TrashedRecord['tree'], 'at'> & {
  /** The checkout that it was made from; or null. */
  readonly origin: string | null;
};

/** What was found out about a tree, and what may be done with it; `facts` is null where there is nothing any more. */
export interface LookedAt {
  readonly tree: Tree;
  readonly facts: AskedFacts | null;
  readonly verdict: TreeVerdict;
  /** The process that stands in it; or null. */
  readonly occupiedBy: number | null;
}

/** Who is where: one look serves a whole `clean`. */
export interface Surroundings {
  /** Where each process stands, by its pid. */
  readonly standing: ReadonlyMap<number, string>;
  /** Where each session works. */
  readonly working: ReadonlyMap<SessionId, string>;
}

/** Who is where now. */
export async function lookAround(context: ManagerContext, store: Store): Promise<Surroundings> {
  const working = new Map<SessionId, string>();
  for (const id of listSessionIds(store.root)) {
    const record = unlessDamaged(() => readSessionRecord({ store, id }));
    if (record !== null) working.set(id, record.working_dir);
  }
  const standing = await whereProcessesStand(context.env, realPathOf(context.cwd) ?? context.cwd);
  return { standing, working };
}

/** The branch that the main checkout of a project has; or null. */
export const mainBranch = (store: Store): string | null => gitStateOf(store.projectRoot)?.branch ?? null;

/** The worktree that was made for a session, by its records; null where there is none. */
export function treeOf(session: Session): Tree | null {
  const known = knownTree(session);
  if (known === null || !known.isMade) return null;
  const { path } = known;
  const record = hasSession(session) ? unlessDamaged(() => readSessionRecord(session)) : null;
  const own = record?.worktree ?? null;
  // The session's record follows a repository that was moved.
  const common = own === null ? known.common : dirname(dirname(own.git_dir));
  const checkout = ownCheckoutAt(path);
  const found = checkout?.common === common ? checkout.gitDir : null;
  return {
    path,
    common,
    git_dir: own?.git_dir ?? found ?? `${common}/worktrees/${session.id}`,
    branch: known.branch,
    target: own?.base_branch ?? mainBranch(session.store),
    lock: reasonFor(session.id),
    origin: own?.checkout ?? null,
  };
}

/** Whether all uncommitted files of a session's tree are as they were when they were brought onto a branch that has them still. */
async function isLanded(context: ManagerContext, session: Session, record: SessionRecord): Promise<boolean> {
  const landed = readLanded(session);
  if (landed === null || !landed.done) return false;
  try {
    const place = placeOf(context, session, record);
    const gits = gitsOf(context, place);
    const now = await treeNow(context, session, place);
    if (now.leftOut.length > 0) return false;
    if ((await ofKnownFiles(context, place, gits.making, now)) !== landed.tree) return false;
    const heads = ['refs/heads', 'refs/remotes', 'refs/tags'];
    const { stdout } = await gits.plain([
      'for-each-ref',
      '--count=1',
      `--contains=${landed.commit}`,
      ...heads,
    ]);
    return stdout.length > 0;
  } catch (error) {
    // Whatever the reason: that it is elsewhere is not known.
    if (error instanceof ZwarmError) return false;
    throw error;
  }
}

const NOTHING_LEFT: TreeVerdict = { group: 'safe', reasons: [] };

/** Looks at a tree; `session`: the one that it was made for, or null. Nothing is changed. */
export async function lookAtTree(
  context: ManagerContext,
  tree: Tree,
  session: Session | null,
  { standing, working }: Surroundings,
): Promise<LookedAt> {
  const { path, git_dir: gitDir, branch, target, lock, origin } = tree;
  if (!existsSync(path) && !existsSync(gitDir))
    return { tree, facts: null, verdict: NOTHING_LEFT, occupiedBy: null };
  const kept = (reason: string): LookedAt => ({
    tree,
    facts: null,
    verdict: { group: 'kept', reasons: [reason] },
    occupiedBy: null,
  });
  // An agent could have put a link there, or it lies behind one now.
  if (existsSync(path) && realPathOf(path) !== path) return kept('its path leads to another place now');
  try {
    const program = findGit(context.env, [path]);
    const asked = { workTree: path, gitDir, branch, target, lock, origin };
    const facts = await askTree(asked, program, context.env);
    const record =
      session !== null && facts.uncommitted ? unlessDamaged(() => readSessionRecord(session)) : null;
    const saved = session !== null && record !== null && (await isLanded(context, session, record));
    const stands = [...standing].find(([, where]) => isWithin(where, path));
    const works = [...working].find(([id, where]) => id !== session?.id && isWithin(where, path));
    const occupiedBy = stands?.[0] ?? null;
    const verdict = judgeTree({ ...facts, saved, occupiedBy, usedBy: works?.[0] ?? null });
    return { tree, facts, verdict, occupiedBy };
  } catch (error) {
    if (error instanceof ZwarmError) return kept(error.message);
    throw error;
  }
}

/** git in the repository of a tree, whatever is checked out. @throws ZwarmError `git_failed` */
export const gitOfTree = ({ env }: ManagerContext, { common, path }: Pick<Tree, 'common' | 'path'>) =>
  gitIn({ gitDir: common, workTree: null }, findGit(env, [path]), env);
