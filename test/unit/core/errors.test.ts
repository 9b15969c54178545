import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type ErrorCode, EXIT_CODES, errnoOf, toZwarmError, ZwarmError } from '../../../src/core/errors.ts';

test('every error has the exit code that the documented table gives it', () => {
  const byExit: Readonly<Record<number, string>> = {
    1: 'io failed still_running',
    2: 'usage config',
    3: 'not_found ambiguous',
    4: 'busy not_running not_resumable lost_race unknown_liveness damaged over_quota project_replaced name_taken',
    5: 'not_allowed directory_changed program_unsafe state_reachable state_dir_unsafe format_newer',
    124: 'timeout',
    126: 'agent_not_executable',
    127: 'agent_not_found',
    130: 'interrupted',
  };
  const expected = Object.entries(byExit).flatMap(([exit, codes]) =>
    codes.split(' ').map((code) => [code, Number(exit)]),
  );
  expect(EXIT_CODES).toEqual(Object.fromEntries(expected));
  for (const [code, exit] of expected) expect(new ZwarmError(code as ErrorCode, 'm').exitCode).toBe(exit);
});

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
