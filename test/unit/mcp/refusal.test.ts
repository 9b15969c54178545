import { expect, test } from 'vitest';
import { type ErrorCode, EXIT_CODES, ZwarmError } from '../../../src/core/errors.ts';
import { parseRef } from '../../../src/core/ids.ts';
import { refusalOf } from '../../../src/mcp/refusal.ts';

const IDS = ['abcdefghjk', 'abcdxxxxxx', 'bbbbbbbbbb', 'abxxxxxxxx', 'zzzzzzzzzz'];

const hintOf = async (error: unknown, ids: readonly string[] = [], known = IDS): Promise<string> =>
  (await refusalOf(error, { ids }, async () => known)).hint;

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

test('a refusal says what is wrong and what to do, and nothing else', async () => {
  const hint = 'choose another name, or converse with the session that has it';
  const answer = await refusalOf(new ZwarmError('name_taken', 'taken', 'zwarm ls'), {}, async () => []);
  expect(answer).toEqual({ success: false, error: 'taken', hint });
  const broken = { success: false, error: expect.stringContaining('broken'), hint: 'tell the user' };
  expect(await refusalOf(new TypeError('broken'), {}, async () => [])).toMatchObject(broken);
});

test.each<[what: string, error: unknown, asked: string]>([
  ['an id of nobody', new ZwarmError('not_found', 'no session abcdefghjx'), 'abcdefghjx'],
  ['no id at all', thrownBy(() => parseRef('../..')), '../..'],
  ['an empty id', thrownBy(() => parseRef('')), ''],
])('%s is answered with the closest ids', async (_, error, asked) => {
  expect(await hintOf(error, [asked])).toMatch(/^the closest ids: /);
  expect(await hintOf(error, [asked], [])).toBe('there are no sessions yet: delegate');
});

test('the closest ids are those that begin alike, the nearest first, and three of them', async () => {
  const error = new ZwarmError('not_found', 'no session abcdefghjx');
  const hint = 'the closest ids: abcdefghjk, abcdxxxxxx, abxxxxxxxx; list_sessions() has all';
  expect(await hintOf(error, ['abcdefghjx'])).toBe(hint);
  // Of several that were asked for, the one that the error names.
  expect(await hintOf(error, ['zzzzzzzzzz', 'abcdefghjx'])).toBe(hint);
  // An error that names none of them.
  const gone = new ZwarmError('not_found', 'it is gone');
  expect(await hintOf(gone, ['abcdefghjx'], ['aaa', 'uuu'])).toMatch(/ids: aaa, uuu;/);
  // Ids of which one is the beginning of another share all of it.
  expect(await hintOf(error, ['abcdefghjx'], ['b', 'abcdefghj', 'a'])).toMatch(/ids: abcdefghj, a, b;/);
});

test.each<ErrorCode>(['not_allowed', 'over_quota', 'ambiguous'])(
  'the hint of %s is passed on, whatever it names',
  async (code) => {
    expect(await hintOf(new ZwarmError(code, 'no', 'zwarm config set allowed_dirs DIR'))).toBe(
      'zwarm config set allowed_dirs DIR',
    );
    expect(await hintOf(new ZwarmError(code, 'no'))).toBe('check the arguments of this call');
  },
);

test.each<[hint: string | null, passed: boolean]>([
  ['leave it out of the call', true],
  ['a name has at most 41 characters of a-z 0-9 _ . -', true],
  ['see: zwarm ls', false],
  ['give --name', false],
  ['-m takes a model', false],
  [null, false],
])('of a usage error the hint %j is for a model: %j', async (hint, passed) => {
  const shown = await hintOf(new ZwarmError('usage', 'wrong', hint));
  expect(shown).toBe(passed ? hint : 'check the arguments of this call');
});

test('no other error shows the words of the command line', async () => {
  for (const code of Object.keys(EXIT_CODES) as ErrorCode[]) {
    if (['usage', 'not_found', 'not_allowed', 'over_quota', 'ambiguous'].includes(code)) continue;
    expect(await hintOf(new ZwarmError(code, 'm', 'type: zwarm xyz')), code).not.toContain('xyz');
  }
  expect(await hintOf(new ZwarmError('busy', 'm'))).toContain('check_session');
  expect(await hintOf(new ZwarmError('io', 'm', 'the disk is full'))).toBe('tell the user');
});
