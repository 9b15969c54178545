/** Something in a submodule or a nested repository: what git said of it, or that it was not asked. */
export interface InnerRepository {
  readonly path: string;
  /** What exists only there, in words; null where git said that nothing does. */
  readonly work: string | null;
}

/** An ignored file or directory of a tree. */
export interface IgnoredPath {
  readonly path: string;
  /** Null for what tools make again, which is not counted. */
  readonly bytes: number | null;
  /** Whether it is of value: no known cache or build output, and not as zwarm has copied it there. */
  readonly counts: boolean;
}

/** What is known of a tree before it is removed. Null: it could not be asked. */
export interface TreeFacts {
  /** Why this is not a tree that may be removed by its record, such as a lock of somebody else; or null. */
  readonly foreign: string | null;
  /** How many files are neither committed nor ignored. */
  readonly uncommitted: number | null;
  /** Whether these are stored already, by a snapshot of exactly this state. */
  readonly saved: boolean;
  /** How many commits no other branch, remote or tag has. */
  readonly ownCommits: number | null;
  /** The branch that has all that these commits changed; null where none is known to. */
  readonly integratedIn: string | null;
  /** The branch that is checked out; null where HEAD is detached. */
  readonly branch: string | null;
  /** A merge, rebase, … that was begun and not ended. */
  readonly unfinished: string | null;
  readonly inner: readonly InnerRepository[] | null;
  readonly ignored: readonly IgnoredPath[] | null;
  /** References that only this tree has. */
  readonly ownRefs: readonly string[] | null;
  /** The process that stands in it, with its pid. */
  readonly occupiedBy: number | null;
  /** Another session that works there. */
  readonly usedBy: string | null;
}

/**
 * What may be done with a tree: `safe` to remove, for all that is in it is elsewhere; `saved_first`, for it can be put
 * where it is found again; `kept`, for nobody could bring it back. With the reasons, in words.
 */
export interface TreeVerdict {
  readonly group: 'safe' | 'saved_first' | 'kept';
  readonly reasons: readonly string[];
}

const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** What forbids to remove a tree, in words. */
function obstacles(facts: TreeFacts): string[] {
  const { foreign, unfinished, inner, occupiedBy, usedBy, ownRefs } = facts;
  if (foreign !== null) return [foreign];
  const unasked = [
    facts.uncommitted === null && 'its files',
    facts.ownCommits === null && 'its commits',
    inner === null && 'its submodules',
    facts.ignored === null && 'its ignored files',
    ownRefs === null && 'its references',
  ].filter((what) => what !== false);
  return [
    usedBy && `session ${usedBy} works in it`,
    occupiedBy && `a process stands in it (pid ${occupiedBy})`,
    unfinished && `${unfinished} is not finished`,
    ...(inner ?? []).map(({ path, work }) => work && `${path}: ${work}`),
    ownRefs?.length && `references of its own: ${ownRefs.join(', ')}`,
    unasked.length > 0 && `git could not be asked for ${unasked.join(', ')}`,
  ].filter((reason): reason is string => typeof reason === 'string' && reason !== '');
}

/** What has to be put elsewhere before a tree is removed, in words. */
function toSave({ uncommitted, saved, ownCommits, integratedIn, branch, ignored }: TreeFacts): string[] {
  const lost = ignored?.filter(({ counts }) => counts) ?? [];
  const commits = ownCommits ?? 0;
  return [
    !saved && uncommitted && many(uncommitted, 'uncommitted file'),
    integratedIn === null &&
      commits > 0 &&
      `${many(commits, 'commit')} ${branch === null ? 'on no branch' : `only on ${branch}`}`,
    lost.length > 0 && `ignored: ${lost.map(({ path }) => path).join(', ')}`,
  ].filter((reason): reason is string => typeof reason === 'string');
}

/** What may be done with a tree of which this is known. What could not be asked keeps it. */
export function judgeTree(facts: TreeFacts): TreeVerdict {
  const kept = obstacles(facts);
  if (kept.length > 0) return { group: 'kept', reasons: kept };
  const reasons = toSave(facts);
  return { group: reasons.length > 0 ? 'saved_first' : 'safe', reasons };
}
