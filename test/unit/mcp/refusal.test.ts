import { expect, test } from 'vitest';
import { type ErrorCode, EXIT_CODES, ZwarmError } from '../../../src/core/errors.ts';
import { parseRef } from '../../../src/core/ids.ts';
import { refusalOf } from '../../../src/mcp/refusal.ts';

const IDS = ['abcdefghjk', 'abcdxxxxxx', 'bbbbbbbbbb', 'abxxxxxxxx', 'zzzzzzzzzz'];

/** Where no id is looked for. */
const UNASKED = async () => ({ ids: [], call: 'list_sessions()' });

const hintOf = async (error: unknown, ids: readonly string[] = [], known = IDS): Promise<string> =>
  (await refusalOf(error, { ids }, async () => ({ ids: known, call: 'list_sessions()' }))).hint;

test('a refusal says what is wrong and what to do, and nothing else', async () => {
  const hint = 'choose another name or key, or converse with the session that has it';
  const answer = await refusalOf(new ZwarmError('name_taken', 'taken', 'zwarm ls'), {}, UNASKED);
  expect(answer).toEqual({ success: false, error: 'taken', hint });
  const broken = { success: false, error: expect.stringContaining('broken'), hint: 'tell the user' };
  expect(await refusalOf(new TypeError('broken'), {}, UNASKED)).toMatchObject(broken);
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
const NONE = 'none is allowed here; the user can name some in the configuration (allowed_dirs)';
const SPEAK = 'speak to sessions that you started, or start one';

test.each<[code: ErrorCode, hint: string | null, told: string]>([
  ['not_allowed', NONE, NONE],
  ['not_allowed', SPEAK, SPEAK],
  ['not_allowed', null, CHECK],
  ['over_quota', 'wait_sessions(ids=["a"], mode="any")', 'wait_sessions(ids=["a"], mode="any")'],
  ['usage', 'leave it out of the call', 'leave it out of the call'],
  ['usage', 'see: zwarm ls', CHECK],
  ['usage', 'give --name', CHECK],
  ['usage', '-m takes a model', CHECK],
  ['io', 'the disk is full: free some space', 'tell the user: the disk is full: free some space'],
  ['io', null, 'tell the user'],
  [
    'installation_reachable',
    'install zwarm elsewhere',
    'what writes nothing can be delegated with sandbox="read-only"; for the rest tell the user what is in reach',
  ],
  [
    'agent_not_found',
    'install it with `npm i -g x`, or: zwarm start',
    'tell the user: install it with `npm i -g x`',
  ],
  ['io', 'check --agent-arg, or update Codex', 'tell the user: update Codex'],
])('of the error %s the hint %j becomes %j', async (code, hint, told) => {
  expect(await hintOf(new ZwarmError(code, 'wrong', hint))).toBe(told);
});

test('no error shows the words of the command line', async () => {
  for (const code of Object.keys(EXIT_CODES) as ErrorCode[])
    for (const typed of ['type: zwarm xyz', 'try this; or --xyz', '`zwarm xyz` does it', 'with -x'])
      expect(await hintOf(new ZwarmError(code, 'm', typed)), code).not.toMatch(/xyz|-x/);
  expect(await hintOf(new ZwarmError('busy', 'm'))).toMatch(/wait_sessions.*interrupt=true/);
});
