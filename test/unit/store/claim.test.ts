import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { claimTombstone, claimTurn } from '../../../src/store/claim.ts';
import { readPrompt, readRequest, readSessionRecord } from '../../../src/store/sessions.ts';
import { addSession, createStoredSession, ID, RECORD, requestOf, turnIn } from '../../helpers/store.ts';
import { snapshot } from '../../helpers/tree.ts';

const lostRace = expect.objectContaining({ code: 'lost_race', exitCode: 4 });

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
    expect(readPrompt(turn)).toEqual(prompt);
  }
  expect(readdirSync(join(root, 'sessions', ID, 'turns', '5'))).toEqual(['request.json']);
});

test('an id that is taken is refused, and the session that has it stays whole', () => {
  const store = createStoredSession();
  const { root } = store;
  const again = (): void => addSession(store, ID, { record: { task: 'other' }, name: 'other' });
  expect(again).toThrow(lostRace);
  expect(readSessionRecord({ store, id: ID })).toEqual(RECORD);
  expect(readdirSync(join(root, 'sessions'))).toEqual([ID]);
  expect(readdirSync(join(root, 'names'))).toEqual([]);
});

test.each<[string, (turns: string) => void, string]>([
  ['is taken', (turns) => mkdirSync(join(turns, '2/kept'), { recursive: true }), 'lost_race'],
  ['is taken by a file', (turns) => writeFileSync(join(turns, '2'), 'planted'), 'lost_race'],
  [
    'belongs to a session that was removed',
    (turns) => rmSync(join(turns, '..'), { recursive: true }),
    'not_found',
  ],
  ['cannot be claimed for another reason', (turns) => rmSync(turns, { recursive: true }), 'ENOENT'],
])('a turn number that %s is refused, also to a tombstone, and nothing is written', (_, spoil, code) => {
  const { root } = createStoredSession();
  spoil(join(root, 'sessions', ID, 'turns'));
  const before = snapshot(root);
  const turn = turnIn(root, 2);
  expect(() => claimTurn(turn, { request: requestOf('late'), prompt: Buffer.from('late') })).toThrow(
    expect.objectContaining({ code }),
  );
  expect(() => claimTombstone(turn, { ...requestOf('late'), kind: 'tombstone' })).toThrow(
    expect.objectContaining({ code }),
  );
  expect(snapshot(root)).toEqual(before);
});

test('an empty directory that somebody left at the number is no claim', () => {
  const { root } = createStoredSession();
  mkdirSync(join(root, 'sessions', ID, 'turns', '2'));
  claimTurn(turnIn(root, 2), { request: requestOf('x'), prompt: null });
  expect(readRequest(turnIn(root, 2)).nonce).toBe('x');
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

test('a session whose id is taken gives its name up again', () => {
  const store = createStoredSession();
  mkdirSync(join(store.root, 'sessions', 'bcdefghjkm', 'turns'), { recursive: true });
  expect(() => addSession(store, 'bcdefghjkm' as SessionId, { name: 'mine' })).toThrow(lostRace);
  expect(readdirSync(join(store.root, 'names'))).toEqual([]);
});

test('a tombstone takes the next number', () => {
  const { root } = createStoredSession();
  const tombstone = { ...requestOf('one'), kind: 'tombstone' } as const;
  claimTombstone(turnIn(root, 2), tombstone);
  expect(readRequest(turnIn(root, 2))).toEqual(tombstone);
});
