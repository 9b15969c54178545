import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { claimTombstone, claimTurn, createSession } from '../../../src/store/claim.ts';
import { TURN_FILES } from '../../../src/store/layout.ts';
import { takeName } from '../../../src/store/names.ts';
import { DamagedRecord } from '../../../src/store/read-file.ts';
import { readPrompt, readRequest, readSessionRecord } from '../../../src/store/sessions.ts';
import { addSession, createStoredSession, ID, RECORD, requestOf, turnIn } from '../../helpers/store.ts';
import { notPrivate, snapshot } from '../../helpers/tree.ts';

test('a new session is complete, ours alone, and leaves nothing half built', () => {
  const store = createStoredSession();
  const { root } = store;
  expect(readdirSync(join(root, 'sessions'))).toEqual([ID]);
  expect(readSessionRecord({ store, id: ID })).toEqual(RECORD);
  expect(readRequest(turnIn(root, 1))).toEqual(requestOf(store.id));
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
  // Its own name is not given up for it.
  takeName({ store, id: ID }, 'docs');
  expect(() => addSession(store, ID, { name: 'docs' })).toThrow(
    expect.objectContaining({ code: 'name_taken' }),
  );
  expect(readdirSync(join(root, 'names'))).toEqual(['docs']);
  expect(readdirSync(join(root, 'sessions'))).toEqual([ID]);
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
  expect(readRequest(turnIn(root, 2))).toEqual(requestOf('x'));
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

const COPY = 'bcdefghjkm' as SessionId;

/** A turn with all its files, each holding its own name, and what forks its session: so many copies, each with so much of its output. */
function withTurn() {
  const store = createStoredSession();
  const directory = join(store.root, 'sessions', ID, 'turns', '1');
  const more = ['cancel.never-launched', 'exit.7', 'exit.null'];
  for (const name of [...Object.values(TURN_FILES), ...more]) writeFileSync(join(directory, name), name);
  const fork = (...eventBytes: readonly (number | null)[]): void => {
    const copies = eventBytes.map((bytes) => ({ directory, eventBytes: bytes }));
    createSession({ store, id: COPY, record: RECORD, names: ['fork'], claims: [], copies, unique: 'x' });
  };
  const turns = join(store.root, 'sessions', COPY, 'turns');
  return { store, directory, more, fork, turns };
}

test('a copied turn holds all records but what only its own session needs, and of its output what counts', () => {
  const { store, directory, more, fork, turns } = withTurn();
  for (const name of ['.new-x', 'notes', 'exit.', 'exit.7.json', 'xexit.7'])
    writeFileSync(join(directory, name), '');
  mkdirSync(join(directory, 'empty'));
  // More than is copied at a time.
  const long = Buffer.alloc((1 << 20) + 3, 'x');
  writeFileSync(join(directory, 'stderr.log'), long);
  utimesSync(join(directory, 'exit.json'), 1, 2);
  fork(3, 0, null, 99);
  expect(readdirSync(turns).sort()).toEqual(['1', '2', '3', '4']);
  const events = (turn: number): string => readFileSync(join(turns, `${turn}`, 'events.jsonl'), 'utf8');
  expect([1, 2, 3, 4].map(events)).toEqual(['eve', '', 'events.jsonl', 'events.jsonl']);
  const copied = join(turns, '1');
  const own = ['notified.json', 'environment', 'before.json', 'after.json'];
  const names = [...Object.values<string>(TURN_FILES).filter((name) => !own.includes(name)), ...more];
  expect(readdirSync(copied).sort()).toEqual(names.sort());
  for (const name of names.filter((one) => one !== 'events.jsonl' && one !== 'stderr.log'))
    expect(readFileSync(join(copied, name), 'utf8')).toBe(name);
  expect(readFileSync(join(copied, 'stderr.log')).equals(long)).toBe(true);
  expect(Math.floor(statSync(join(copied, 'exit.json')).mtimeMs)).toBe(2000);
  expect(notPrivate(join(store.root, 'sessions', COPY))).toEqual([]);
});

test('a message to a fork is the turn after its copies', () => {
  const { store, directory } = withTurn();
  const claim = { request: requestOf('next'), prompt: Buffer.from('go on') };
  const copies = [{ directory, eventBytes: null }];
  createSession({ store, id: COPY, record: RECORD, names: [], claims: [claim], copies, unique: 'x' });
  expect(readPrompt({ store, id: COPY, turn: 1 })?.toString()).toBe('prompt.md');
  expect(readPrompt({ store, id: COPY, turn: 2 })?.toString()).toBe('go on');
});

test.each<[string, (directory: string) => void]>([
  ['is gone', (directory) => rmSync(directory, { recursive: true })],
  ['has lost its claim', (directory) => rmSync(join(directory, 'request.json'))],
  [
    'has a link for a record',
    (directory) => {
      rmSync(join(directory, 'launch.json'));
      symlinkSync('exit.json', join(directory, 'launch.json'));
    },
  ],
])('a turn that %s cannot be copied, and nothing is left of the fork', (_, spoil) => {
  const { store, directory, fork } = withTurn();
  spoil(directory);
  expect(() => fork(null)).toThrow(DamagedRecord);
  expect(readdirSync(join(store.root, 'sessions'))).toEqual([ID]);
  expect(readdirSync(join(store.root, 'names'))).toEqual([]);
});
