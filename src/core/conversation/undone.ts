/**
 * The turns that were rewound. A rewind, which has a turn to which it leads, makes the conversation what it was right after
 * that turn: everything in between is undone, other rewinds included.
 * @param newestFirst all turns of a session, or the newest ones
 */
export function undoneOf(
  newestFirst: readonly { readonly turn: number; readonly to: number | null }[],
): ReadonlySet<number> {
  const undone = new Set<number>();
  let stands = Number.POSITIVE_INFINITY;
  for (const { turn, to } of newestFirst) {
    if (turn > stands) undone.add(turn);
    else if (to !== null && to < turn) stands = to;
  }
  return undone;
}
