/** What is drawn before a row of a tree, three columns for each generation; `lastOf` as `core/rules/family` tells it. */
export function branchOf(lastOf: readonly boolean[]): string {
  return lastOf
    .map((last, i) => (i < lastOf.length - 1 ? (last ? '   ' : '│  ') : last ? '└─ ' : '├─ '))
    .join('');
}
