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

test('of a family of many generations the nearest are drawn', () => {
  const generations = Array.from({ length: 12 }, (_, i) => (i === 0 ? 'g0' : `g${i}<g${i - 1}`));
  const lines = drawn(generations.reverse().join(' '));
  expect(lines.map((line) => line.trimStart().replace('└─ ', ''))).toEqual(lines.map((_, i) => `g${i}`));
  expect(Math.max(...lines.map((line) => line.length))).toBe(24 + 'g11'.length);
});
