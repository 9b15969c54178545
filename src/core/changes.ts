import type { SessionId } from './ids.ts';
import type { RawPath } from './raw-path.ts';

/** A file, or with a slash at its end a directory with all that is in it, whose content is not in a snapshot. */
export interface LeftOut {
  readonly path: RawPath;
  /** Why: `large`, `many`, `unreadable` or `name`, or the word of a newer zwarm. */
  readonly why: string;
  /** Null for a directory, and where it could not be asked. */
  readonly bytes: number | null;
  readonly mtime_ms: number | null;
}

/** How much was changed: files, and lines of those that are text. */
export interface ChangeCount {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

/**
 * What happened to a file. `unknown`: it is there or its content is known at one of the two times alone, so that nobody
 * can tell.
 */
export const CHANGE_KINDS = ['added', 'modified', 'deleted', 'renamed', 'type_changed', 'unknown'] as const;

/** A file that differs between two snapshots. */
export interface FileChange {
  readonly kind: (typeof CHANGE_KINDS)[number];
  readonly path: RawPath;
  /** Of one that was renamed: its path before; else null. */
  readonly from: RawPath | null;
  /** Lines; null of a file that is not text, or not in both snapshots. */
  readonly added: number | null;
  readonly removed: number | null;
}

const isLeftOut = (path: RawPath, leftOut: readonly LeftOut[]): boolean =>
  leftOut.some(({ path: one }) => path === one || (one.endsWith('/') && path.startsWith(one)));

/** The two snapshots of a comparison, as far as their contents are not in them. */
export interface Gaps {
  readonly from: readonly LeftOut[];
  readonly to: readonly LeftOut[];
}

/**
 * The changes with those of files that one snapshot does not hold as what they are: unknown. A file that neither holds is
 * named where its size or time differs.
 */
export function withGaps(changes: readonly FileChange[], { from, to }: Gaps): readonly FileChange[] {
  const all = [...from, ...to];
  const known = changes.map((change): FileChange => {
    const isKnown = [change.path, change.from ?? change.path].every((path) => !isLeftOut(path, all));
    return isKnown ? change : { ...change, kind: 'unknown', added: null, removed: null };
  });
  const told = new Set(known.map(({ path }) => path));
  const before = new Map(from.map((one) => [one.path, one]));
  const others = to.flatMap(({ path, bytes, mtime_ms }): FileChange[] => {
    const was = before.get(path);
    const isSame = was?.bytes === bytes && was.mtime_ms === mtime_ms;
    if (told.has(path) || isSame) return [];
    return [{ kind: 'unknown', path, from: null, added: null, removed: null }];
  });
  const after = new Set(to.map(({ path }) => path));
  const gone = from.flatMap(({ path }): FileChange[] =>
    told.has(path) || after.has(path)
      ? []
      : [{ kind: 'unknown', path, from: null, added: null, removed: null }],
  );
  return [...known, ...others, ...gone].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

/** How much a list of changes is. */
export function countOf(changes: readonly FileChange[]): ChangeCount {
  const sum = (of: (change: FileChange) => number | null): number =>
    changes.reduce((all, change) => all + (of(change) ?? 0), 0);
  return {
    files: changes.length,
    added: sum(({ added }) => added),
    removed: sum(({ removed }) => removed),
  };
}

/** A file that changed, as verbs tell it: the JSON contract of `docs/formats.md`. */
export interface ChangedFile extends Omit<FileChange, 'path' | 'from'> {
  readonly path: string;
  /** Base64 of a path that is not text; else null. */
  readonly path_bytes: string | null;
  readonly from: string | null;
  /** Whether it also changed between the turns, so that not all of its lines need be the session's. */
  readonly also_outside: boolean;
}

/** What turns of a session changed, or how the files of another one differ from its own. */
export interface Changes extends ChangeCount {
  readonly id: SessionId;
  /** That other session; else null. */
  readonly other: SessionId | null;
  /** The root of the files, from which their paths go. */
  readonly root: string;
  /** The turns whose changes these are. */
  readonly turns: readonly number[];
  /** Whether one of them still runs. */
  readonly so_far: boolean;
  /** Turns after whose end the files were looked at too late to be sure that nobody else has changed them. */
  readonly late: readonly number[];
  /** Turns of which it is not known what they changed. */
  readonly unknown_turns: readonly { readonly turn: number; readonly why: string }[];
  readonly changed_files: readonly ChangedFile[];
}
