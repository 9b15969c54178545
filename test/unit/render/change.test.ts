import { expect, test } from 'vitest';
import { renderChange } from '../../../src/render/change.ts';
import { createStyle } from '../../../src/render/style.ts';

const style = createStyle({ NO_COLOR: '1' }, { isTTY: true, columns: 80 }, 0);

test('a change has three lines around it, neutralised', () => {
  const before = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';
  expect(renderChange(before, before.replace('5\n', 'five\x1b\n'), style)).toBe(
    '  2\n  3\n  4\n- 5\n+ five\\x1b\n  6\n  7\n  8\n',
  );
  expect(renderChange('', 'a\n', style)).toBe('+ a\n');
});
