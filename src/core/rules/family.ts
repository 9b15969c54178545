/** What a family is made of: sessions, and who started them. */
export interface Kin {
  readonly id: string;
  readonly parent: string | null;
}

/** A row in the tree of its family. */
export interface Placed<T> {
  readonly row: T;
  /** For each generation below the root, this row's own last: whether it is the last child there. Empty for a root. */
  readonly lastOf: readonly boolean[];
}

/** Of a deeper tree only the nearest generations are drawn. */
const DEEPEST = 8;

/**
 * Rows, newest first, as families: roots stay newest first, children follow their parent, if it is a row, oldest first.
 * No row is lost: where parents run in a circle, its newest row stands for a root.
 */
export function familiesOf<T extends Kin>(rows: readonly T[]): readonly Placed<T>[] {
  const ids = new Set<string | null>(rows.map(({ id }) => id));
  const children = new Map<string | null, T[]>();
  for (const row of rows.toReversed()) {
    const siblings = children.get(row.parent) ?? [];
    children.set(row.parent, siblings);
    siblings.push(row);
  }
  const placed = new Set<string>();
  const family = (row: T, lastOf: readonly boolean[]): readonly Placed<T>[] => {
    placed.add(row.id);
    const below = (children.get(row.id) ?? []).filter(({ id }) => !placed.has(id));
    const isLast = (i: number): readonly boolean[] => [...lastOf, i === below.length - 1].slice(-DEEPEST);
    return [{ row, lastOf }, ...below.flatMap((child, i) => family(child, isLast(i)))];
  };
  const roots = rows.filter(({ parent }) => !ids.has(parent)).flatMap((row) => family(row, []));
  return [...roots, ...rows.flatMap((row) => (placed.has(row.id) ? [] : family(row, [])))];
}

/** For each row the root of its family. */
export function rootsOf(rows: readonly Kin[]): ReadonlyMap<string, string> {
  const roots = new Map<string, string>();
  let root = '';
  for (const { row, lastOf } of familiesOf(rows)) {
    if (lastOf.length === 0) root = row.id;
    roots.set(row.id, root);
  }
  return roots;
}
