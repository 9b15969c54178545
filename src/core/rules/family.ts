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

/** An agent may plant any parents: deeper than this, only the nearest generations count. */
const DEEPEST = 8;

/**
 * Rows, newest first, as families: roots stay newest first, children come below their parent, oldest first. A row
 * whose parent is none of the rows is a root. No row is lost or comes twice, also where parents run in a circle.
 */
export function familiesOf<T extends Kin>(rows: readonly T[]): readonly Placed<T>[] {
  const ids = new Set(rows.map(({ id }) => id));
  const children = new Map<string | null, T[]>();
  for (const row of rows.toReversed()) {
    const siblings = children.get(row.parent);
    if (siblings === undefined) children.set(row.parent, [row]);
    else siblings.push(row);
  }
  const placed = new Map<string, Placed<T>>();
  const place = (root: T): void => {
    const waiting: Placed<T>[] = [{ row: root, lastOf: [] }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { row, lastOf } = next;
      placed.set(row.id, next);
      const below = (children.get(row.id) ?? []).filter(({ id }) => !placed.has(id));
      const deeper = below.map((child, i) => ({
        row: child,
        lastOf: [...lastOf, i === below.length - 1].slice(-DEEPEST),
      }));
      for (const child of deeper.reverse()) waiting.push(child);
    }
  };
  for (const row of rows) if (row.parent === null || !ids.has(row.parent)) place(row);
  // Whatever is left runs in a circle: its newest stands for a root.
  for (const row of rows) if (!placed.has(row.id)) place(row);
  return [...placed.values()];
}
