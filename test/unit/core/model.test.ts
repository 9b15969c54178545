import { expect, test } from 'vitest';
import { isModelName } from '../../../src/core/model.ts';

test.each(['gpt-5.5', 'o3', 'vendor/model:free', '@cf/some_model', 'x'.repeat(100)])(
  '%s can be the name of a model',
  (name) => {
    expect(isModelName(name)).toBe(true);
  },
);

test.each(['', '-m', '--evil', 'a b', 'a\n', 'a"', '\u00e4', 'x'.repeat(101)])('%j can not', (name) => {
  expect(isModelName(name)).toBe(false);
});
