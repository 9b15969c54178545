import { expect, test } from 'vitest';
import { isModelName } from '../../../src/core/model.ts';

test('names of models', () => {
  const good = ['gpt-5.5', 'o3', 'vendor/model:free', '@cf/some_model', 'x'.repeat(100)];
  const bad = ['', '-m', '--evil', 'a b', 'a\n', 'a"', '\u00e4', 'x'.repeat(101)];
  expect([...good, ...bad].filter(isModelName)).toEqual(good);
});
