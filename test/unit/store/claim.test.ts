import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { claimTombstone, claimTurn } from '../../../src/store/claim.ts';
import { readPrompt, readRequest, readSessionRecord } from '../../../src/store/sessions.ts';
import { addSession, createStoredSession, ID, RECORD, requestOf, turnIn } from '../../helpers/store.ts';
import { snapshot } from '../../helpers/tree.ts';

test('a new session is complete, ours alone, and leaves nothing half built', () => {
  const store = createStoredSession();
  const { root } = store;
  expect(readdirSync(join(root, 'sessions'))).toEqual([ID]);
  expect(readSessionRecord({ store, id: ID })).toEqual(RECORD);
  expect(readRequest(turnIn(root, 1))).toEqual(requestOf('first'));
  expect(readPrompt(turnIn(root, 1))?.toString()).toBe('say hello');
  const turn = join(root, 'sessions', ID, 'turns', '1');
  expect(readdirSync(turn).sort()).toEqual(['events.jsonl', 'prompt.md', 'request.json', 'stderr.log']);
  for (const file of readdirSync(turn)) expect(statSync(join(turn, file)).mode & 0o777).toBe(0o600);
  for (const directory of [turn, join(turn, '..'), root]) {
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  }
});

test('any bytes are a prompt, also none; a marker has neither prompt nor streams', () => {
  const { root } = createStoredSession();
  const prompts = [Buffer.from([0, 255, 10, 13]), Buffer.alloc(0), Buffer.alloc(300_000, 'x'), null];
  for (const [i, prompt] of prompts.entries()) {
    const turn = turnIn(root, i + 2);
    claimTurn(turn, { request: requestOf(`n${i}`), prompt });
    const read = readPrompt(turn);
    // `toEqual` takes seconds for so many bytes.
    expect(prompt === null ? read === null : read?.equals(prompt)).toBe(true);
  }
  expect(readdirSync(join(root, 'sessions', ID, 'turns', '5'))).toEqual(['request.json']);
});

test('an id that is taken is refused, the session that has it stays whole, and the name is given up', () => {
  const store = createStoredSession();
  const { root } = store;
  expect(() => addSession(store, ID, { record: { task: 'other' }, name: 'other' })).toThrow(
    expect.objectContaining({ code: 'lost_race', exitCode: 4 }),
  );
  expect(readSessionRecord({ store, id: ID })).toEqual(RECORD);
  expect(readdirSync(join(root, 'sessions'))).toEqual([ID]);
  expect(readdirSync(join(root, 'names'))).toEqual([]);
});

test.each<[string, (turns: string) => void, string]>([
  ['is taken', (turns) => mkdirSync(join(turns, '2/kept'), { recursive: true }), 'lost_race'],
  ['is taken by a file', (turns) => writeFileSync(join(turns, '2'), 'planted'), 'lost_race'],
  ['has lost its session', (turns) => rmSync(join(turns, '..'), { recursive: true }), 'not_found'],
  ['cannot be claimed for another reason', (turns) => rmSync(turns, { recursive: true }), 'ENOENT'],
])('a turn number that %s is refused, also to a tombstone, and nothing is written', (_, spoil, code) => {
  const { root } = createStoredSession();
  spoil(join(root, 'sessions', ID, 'turns'));
  const before = snapshot(root);
  const turn = turnIn(root, 2);
  const request = requestOf('late');
  const refused = expect.objectContaining({ code });
  expect(() => claimTurn(turn, { request, prompt: Buffer.from('late') })).toThrow(refused);
  expect(() => claimTombstone(turn, { ...request, kind: 'tombstone' })).toThrow(refused);
  expect(snapshot(root)).toEqual(before);
});

test('a tombstone takes the next number; an empty directory that somebody left there is no claim', () => {
  const { root } = createStoredSession();
  mkdirSync(join(root, 'sessions', ID, 'turns', '2'));
  claimTurn(turnIn(root, 2), { request: requestOf('x'), prompt: null });
  expect(readRequest(turnIn(root, 2)).nonce).toBe('x');
  const tombstone = { ...requestOf('one'), kind: 'tombstone' } as const;
  claimTombstone(turnIn(root, 3), tombstone);
  expect(readRequest(turnIn(root, 3))).toEqual(tombstone);
});

test('a session that cannot have its name leaves nothing behind, and the name with the other', () => {
  const store = createStoredSession('docs');
  const other = 'bcdefghjkm' as SessionId;
  expect(() => addSession(store, other, { name: 'docs' })).toThrow(
    expect.objectContaining({ code: 'name_taken', exitCode: 4 }),
  );
  expect(readdirSync(join(store.root, 'sessions'))).toEqual([ID]);
  expect(store.names).toEqual(new Map([[ID, 'docs']]));
});
