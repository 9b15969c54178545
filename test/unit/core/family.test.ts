import { expect, test } from 'vitest';
import { familiesOf, type Kin } from '../../../src/core/rules/family.ts';
import { branchOf } from '../../../src/render/list.ts';

/** Rows as written, newest first: `id` or `id<parent`. */
function drawn(text: string): string[] {
  const rows = text.split(' ').map((word): Kin => {
    const [id = '', parent = null] = word.split('<');
    return { id, parent };
  });
  return familiesOf(rows).map(({ row, lastOf }) => branchOf(lastOf) + row.id);
}

test('children stand below their parent, oldest first; roots stay newest first', () => {
  expect(drawn('z e<b d<a c<b b<a a')).toEqual(['z', 'a', '├─ b', '│  ├─ c', '│  └─ e', '└─ d']);
  expect(drawn('d<b c<b b<a a')).toEqual(['a', '└─ b', '   ├─ c', '   └─ d']);
});

test('one whose parent is not among the rows is a root', () => {
  expect(drawn('b<a c<gone a')).toEqual(['c', 'a', '└─ b']);
});

test('a circle of parents loses no row and does not hang', () => {
  expect(drawn('z a<b b<c c<a d<a s<s')).toEqual(['z', 'a', '├─ d', '└─ c', '   └─ b', 's']);
});

test('a family as deep as an agent likes is drawn, no deeper than a screen', () => {
  const rows = Array.from({ length: 20_000 }, (_, i) => ({
    id: `r${i}`,
    parent: i === 0 ? null : `r${i - 1}`,
  }));
  const placed = familiesOf(rows.reverse());
  expect(placed.map(({ row }) => row.id)).toEqual(rows.toReversed().map(({ id }) => id));
  expect(Math.max(...placed.map(({ lastOf }) => branchOf(lastOf).length))).toBe(24);
});
