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

test.each([
  ['z e<b d<a c<b b<a a', 'z|a|├─ b|│  ├─ c|│  └─ e|└─ d'],
  ['d<b c<b b<a a', 'a|└─ b|   ├─ c|   └─ d'],
  ['b<a c<gone a', 'c|a|└─ b'],
])('children stand below their parent, oldest first; roots stay newest first: %s', (text, lines) => {
  expect(drawn(text)).toEqual(lines.split('|'));
});

test('of a family of many generations the nearest are drawn', () => {
  const generations = Array.from({ length: 12 }, (_, i) => (i === 0 ? 'g0' : `g${i}<g${i - 1}`));
  const lines = drawn(generations.reverse().join(' '));
  expect(lines.map((line) => line.trimStart().replace('└─ ', ''))).toEqual(lines.map((_, i) => `g${i}`));
  expect(Math.max(...lines.map((line) => line.length))).toBe(24 + 'g11'.length);
});
