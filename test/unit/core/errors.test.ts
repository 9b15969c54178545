import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errnoOf, toZwarmError, ZwarmError } from '../../../src/core/errors.ts';

test('whatever is thrown becomes an error with a message, and a hint where one is known', () => {
  const ours = new ZwarmError('busy', 'm', 'h');
  expect(toZwarmError(ours)).toBe(ours);
  const full = toZwarmError(Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' }));
  expect(full).toMatchObject({ code: 'io', exitCode: 1, hint: expect.stringContaining('disk is full') });
  for (const thrown of ['text', null, undefined, 5, {}, { code: 5 }]) {
    expect(toZwarmError(thrown)).toMatchObject({ code: 'io', hint: null, message: String(thrown) });
    expect(errnoOf(thrown)).toBeNull();
  }
});

test('a reading error of a real file keeps its own words', () => {
  try {
    readFileSync('/nowhere/at/all');
  } catch (error) {
    expect(errnoOf(error)).toBe('ENOENT');
    expect(toZwarmError(error).message).toBe('no such file or directory: /nowhere/at/all (open)');
  }
  expect.assertions(2);
});

test('an error has a cause only where it was given one', () => {
  expect(new ZwarmError('io', 'x')).not.toHaveProperty('cause');
  expect(new ZwarmError('io', 'x', null, null)).toHaveProperty('cause', null);
});
