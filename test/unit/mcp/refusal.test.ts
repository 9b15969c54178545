import { expect, test } from 'vitest';
import { type ErrorCode, EXIT_CODES, ZwarmError } from '../../../src/core/errors.ts';
import { parseRef } from '../../../src/core/ids.ts';
import { refusalOf } from '../../../src/mcp/refusal.ts';

const IDS = ['abcdefghjk', 'abcdxxxxxx', 'bbbbbbbbbb', 'abxxxxxxxx', 'zzzzzzzzzz'];

const hintOf = async (error: unknown, ids: readonly string[] = [], known = IDS): Promise<string> =>
  (await refusalOf(error, { ids }, async () => known)).hint;

test('a refusal says what is wrong and what to do, and nothing else', async () => {
  const hint = 'choose another name, or converse with the session that has it';
  const answer = await refusalOf(new ZwarmError('name_taken', 'taken', 'zwarm ls'), {}, async () => []);
  expect(answer).toEqual({ success: false, error: 'taken', hint });
  const broken = { success: false, error: expect.stringContaining('broken'), hint: 'tell the user' };
  expect(await refusalOf(new TypeError('broken'), {}, async () => [])).toMatchObject(broken);
});

test('an id that names no session is answered with the three that begin most like it', async () => {
  const error = new ZwarmError('not_found', 'no session abcdefghjx');
  const hint = 'the closest ids: abcdefghjk, abcdxxxxxx, abxxxxxxxx; list_sessions() has all';
  // Of several that were asked for, the one that the error names.
  for (const asked of [['abcdefghjx'], ['zzzzzzzzzz', 'abcdefghjx']])
    expect(await hintOf(error, asked)).toBe(hint);
  expect(await hintOf(error, ['abcdefghjx'], [])).toBe('there are no sessions yet: delegate');
  // An error that names none of them.
  expect(await hintOf(new ZwarmError('not_found', 'gone'), ['x'], ['aaa', 'uuu'])).toMatch(/ids: aaa, uuu;/);
  // Ids of which one is the beginning of another share all of it.
  expect(await hintOf(error, ['abcdefghjx'], ['b', 'abcdefghj', 'a'])).toMatch(/ids: abcdefghj, a, b;/);
  for (const text of ['../..', '']) {
    const thrown = await (async () => parseRef(text))().catch((noId) => noId);
    expect(await hintOf(thrown, [text])).toMatch(/^the closest ids: /);
  }
});

const CHECK = 'check the arguments of this call';

test.each<[code: ErrorCode, hint: string | null, passed: boolean]>([
  ['not_allowed', 'zwarm config set allowed_dirs DIR', true],
  ['over_quota', 'zwarm config set max_sessions 9', true],
  ['ambiguous', 'zwarm ls', true],
  ['not_allowed', null, false],
  ['usage', 'leave it out of the call', true],
  ['usage', 'a name has at most 41 characters of a-z 0-9 _ . -', true],
  ['usage', 'see: zwarm ls', false],
  ['usage', 'give --name', false],
  ['usage', '-m takes a model', false],
  ['usage', null, false],
])('of the error %s the hint %j is for a model: %j', async (code, hint, passed) => {
  expect(await hintOf(new ZwarmError(code, 'wrong', hint))).toBe(passed ? hint : CHECK);
});

test('no other error shows the words of the command line', async () => {
  for (const code of Object.keys(EXIT_CODES) as ErrorCode[]) {
    if (['usage', 'not_found', 'not_allowed', 'over_quota', 'ambiguous'].includes(code)) continue;
    expect(await hintOf(new ZwarmError(code, 'm', 'type: zwarm xyz')), code).not.toContain('xyz');
  }
  expect(await hintOf(new ZwarmError('busy', 'm'))).toContain('check_session');
  expect(await hintOf(new ZwarmError('io', 'm', 'the disk is full'))).toBe('tell the user');
});
