import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CANCEL_REASONS } from '../../../src/core/status.ts';
import { claimTurn } from '../../../src/store/claim.ts';
import { DamagedRecord } from '../../../src/store/read-file.ts';
import { encode } from '../../../src/store/records.ts';
import {
  eventsMtime,
  hasSession,
  hasTurn,
  isTombstone,
  listSessionIds,
  listTurns,
  readCancel,
  readExit,
  readLaunch,
  readPrompt,
  readRequest,
  readRunner,
  readSessionRecord,
} from '../../../src/store/sessions.ts';
import {
  addSession,
  createStoredSession,
  ID,
  RECORD,
  requestOf,
  sessionIn,
  turnIn,
} from '../../helpers/store.ts';

const turnPath = (root: string, name: string): string => join(root, 'sessions', ID, 'turns', '1', name);

test('only names of sessions are sessions, whatever else lies there', () => {
  const store = createStoredSession();
  const { root } = store;
  for (const name of ['.new-abc', 'notes', 'ABCDEFGHJK', 'abcdefghjkm', '..hidden']) {
    mkdirSync(join(root, 'sessions', name));
  }
  const links = ['mnpqrstuvw', 'nqwhereaaa'] as (typeof ID)[];
  symlinkSync('/etc', join(root, 'sessions', 'mnpqrstuvw'));
  symlinkSync('/no/where', join(root, 'sessions', 'nqwhereaaa'));
  expect(listSessionIds(root).sort()).toEqual([ID, ...links]);
  for (const link of links) {
    expect(hasSession({ store, id: link })).toBe(true);
    expect(() => readSessionRecord({ store, id: link })).toThrow(DamagedRecord);
  }
});

test.each<[string, (turns: string) => void, number | string]>([
  [
    'directories',
    (turns) => ['10', '.new-x', '013', '0', 'x'].map((name) => mkdirSync(join(turns, name))),
    10,
  ],
  ['names of session.json', (turns) => linkSync(join(turns, '../session.json'), join(turns, '10')), 10],
  ['not a file', (turns) => writeFileSync(join(turns, '10'), ''), 'turn 10 is not a directory'],
  ['not a link', (turns) => symlinkSync('1', join(turns, '10')), 'turn 10 is not a directory'],
  ['without a gap', (turns) => mkdirSync(join(turns, '11')), 'turn 10 is missing'],
  ['from 1 on', (turns) => renameSync(join(turns, '1'), join(turns, '10')), 'turn 1 is missing'],
])('turns are %s', (_, plant, expected) => {
  const { root } = createStoredSession();
  const turns = join(root, 'sessions', ID, 'turns');
  for (let turn = 2; turn < 10; turn += 1) mkdirSync(join(turns, String(turn)));
  plant(turns);
  const listed = (): number[] => listTurns(sessionIn(root));
  if (typeof expected === 'string') expect(listed).toThrow(new DamagedRecord(expected));
  else expect(listed()).toEqual(Array.from({ length: expected }, (_turn, i) => i + 1));
  expect([2, 9, 12].map((turn) => hasTurn(turnIn(root, turn)))).toEqual([true, true, false]);
});

test('a tombstone is a turn of its kind or, on a full disk, a second name of session.json', () => {
  const { root } = createStoredSession();
  claimTurn(turnIn(root, 2), { request: { ...requestOf('n2'), kind: 'tombstone' }, prompt: null });
  linkSync(join(root, 'sessions', ID, 'session.json'), join(root, 'sessions', ID, 'turns', '3'));
  expect([1, 2, 3].map((turn) => isTombstone(turnIn(root, turn)))).toEqual([false, true, true]);
  writeFileSync(join(root, 'sessions', ID, 'turns', '4'), '');
  symlinkSync('1', join(root, 'sessions', ID, 'turns', '5'));
  expect([2, 3, 4, 5].map((turn) => hasTurn(turnIn(root, turn)))).toEqual([true, true, false, false]);
});

test.each(CANCEL_REASONS)('where a full disk had no room for cancel.json, a name says why: %s', (why) => {
  const { root } = createStoredSession();
  writeFileSync(turnPath(root, `cancel.${why}`), '');
  expect(readCancel(turnIn(root, 1))).toEqual({ why, reason: null, limit: null, at: null });
});

test('a request to stop that cannot be read counts as absent, and a link or a directory is none', () => {
  const { root } = createStoredSession();
  writeFileSync(turnPath(root, 'cancel.json'), CANCEL.slice(0, 20));
  symlinkSync('prompt.md', turnPath(root, 'cancel.kill'));
  mkdirSync(turnPath(root, 'cancel.limit'));
  expect(readCancel(turnIn(root, 1))).toBeNull();
  writeFileSync(turnPath(root, 'cancel.withdraw'), '');
  expect(readCancel(turnIn(root, 1))).toMatchObject({ why: 'withdraw', reason: null });
  writeFileSync(turnPath(root, 'cancel.json'), CANCEL);
  expect(readCancel(turnIn(root, 1))?.why).toBe('kill');
});

test.each<[string, object, boolean]>([
  ['the turn before', { to: 1, covers: [1] }, true],
  ['none', { to: null, covers: [] }, true],
  ['the beginning', { to: 0, covers: [] }, true],
  ['itself as where it winds back', { to: 2, covers: [] }, false],
  ['itself as what it replaces', { to: 1, covers: [1, 2] }, false],
  ['a later one', { to: null, covers: [3, 1] }, false],
])('a turn that refers to %s is believed: %s', (_, refers, expected) => {
  const { root } = createStoredSession();
  const request = { ...requestOf('n2'), ...refers };
  claimTurn(turnIn(root, 2), { request, prompt: null });
  const read = () => readRequest(turnIn(root, 2));
  if (expected) expect(read()).toEqual(request);
  else expect(read).toThrow(new DamagedRecord('turn 2 refers to turns that were not before it'));
});

test('a task, a message and a launch may be far longer than other records', () => {
  const store = createStoredSession();
  const { root } = store;
  const turn = turnIn(root, 1);
  const long = 'x'.repeat(3 << 20);
  writeFileSync(turnPath(root, 'prompt.md'), long);
  const launch = { v: 1, argv: [long], program: '/x', agent_version: null, thread_id: null, forks: false };
  writeFileSync(
    turnPath(root, 'launch.json'),
    encode({ ...launch, how: 'fresh', why: null, at: RECORD.created_at }),
  );
  const other = 'bcdefghjkm' as typeof ID;
  addSession(store, other, { record: { task: long } });
  const read = [readSessionRecord({ store, id: other }).task, readPrompt(turn), readLaunch(turn)?.argv[0]];
  expect(read.map((text) => text?.length)).toEqual(read.map(() => long.length));
});

test('a turn without its claim is damaged', () => {
  const { root } = createStoredSession();
  rmSync(turnPath(root, 'request.json'));
  const missing = new DamagedRecord('request.json of turn 1 is missing');
  expect(() => readRequest(turnIn(root, 1))).toThrow(missing);
});

test('a session whose session.json is empty or missing is damaged', () => {
  const store = createStoredSession();
  const file = join(store.root, 'sessions', ID, 'session.json');
  for (const spoil of [() => writeFileSync(file, ''), () => rmSync(file)]) {
    spoil();
    expect(() => readSessionRecord({ store, id: ID })).toThrow(DamagedRecord);
  }
  // Nor is what is missing, too, a tombstone.
  expect(hasTurn(turnIn(store.root, 2))).toBe(false);
});

test('before a launch there is nothing to read, and that is no damage', () => {
  const { root } = createStoredSession();
  for (const read of [readLaunch, readCancel, readRunner, readExit]) expect(read(turnIn(root, 1))).toBeNull();
  expect(eventsMtime(turnIn(root, 1))).toEqual(expect.any(Number));
  rmSync(turnPath(root, 'events.jsonl'));
  expect(eventsMtime(turnIn(root, 1))).toBeNull();
  symlinkSync('/etc/passwd', turnPath(root, 'events.jsonl'));
  expect(eventsMtime(turnIn(root, 1))).toBeNull();
});

test('a runner.stat that was not written to its end counts as absent', () => {
  const { root } = createStoredSession();
  for (const text of ['', '{"v":1,"host":"h","pid":1', '{}']) {
    writeFileSync(turnPath(root, 'runner.stat'), text);
    expect(readRunner(turnIn(root, 1))).toBeNull();
  }
});

const END = '{"v":1,"code":3,"why":null,"cancelled":false,"ended_at":null,"events_bytes":7}\n';
const CANCEL = JSON.stringify({ v: 1, why: 'kill', by: requestOf('x').claimer, at: requestOf('x').at });
const NAMES = { 'exit.': '', 'exit.1234': '', 'exit.x': '', 'exit.-1': '', 'exit.1.json': '' };

test.each<[string, Record<string, string>, object | null]>([
  ['is in exit.json', { 'exit.json': END }, { code: 3, events_bytes: 7, cancelled: false }],
  ['is unknown while exit.json is empty', { 'exit.json': '' }, null],
  ['is unknown while exit.json is cut', { 'exit.json': END.slice(0, 20) }, null],
  ['is exit.7 where exit.json is empty', { 'exit.json': '', 'exit.7': '' }, { code: 7, why: null }],
  ['is exit.0 without exit.json', { 'exit.0': '' }, { code: 0, why: null, cancelled: false }],
  ['was not launched by exit.null', { 'exit.null': '' }, { code: null, why: 'not_launched' }],
  [
    'was cancelled by exit.null and cancel.json',
    { 'exit.null': '', 'cancel.json': CANCEL },
    { code: null, why: 'cancelled', cancelled: true },
  ],
  [
    'was cancelled by exit.null and the name of a request to stop',
    { 'exit.null': '', 'cancel.kill': '' },
    { code: null, why: 'cancelled', cancelled: true },
  ],
  ['is that of the agent though it was to stop', { 'exit.0': '', 'cancel.kill': '' }, { code: 0, why: null }],
  ['is exit.json where both are there', { 'exit.json': END, 'exit.9': '' }, { code: 3 }],
  ['is in no other name', NAMES, null],
])('the end of a turn %s', (_, files, expected) => {
  const { root } = createStoredSession();
  for (const [name, text] of Object.entries(files)) writeFileSync(turnPath(root, name), text);
  const found = readExit(turnIn(root, 1));
  if (expected === null) expect(found).toBeNull();
  else expect(found?.record).toMatchObject(expected);
});

test('a turn ended when its record or its name was written; no link or directory is such a name', () => {
  const { root } = createStoredSession();
  const ended = (): number | undefined => readExit(turnIn(root, 1))?.endedMs;
  mkdirSync(turnPath(root, 'exit.1'));
  symlinkSync('prompt.md', turnPath(root, 'exit.2'));
  expect(ended()).toBeUndefined();
  writeFileSync(turnPath(root, 'exit.3'), '');
  utimesSync(turnPath(root, 'exit.3'), 1, 2000);
  expect(ended()).toBe(2_000_000);
  writeFileSync(turnPath(root, 'exit.json'), END);
  utimesSync(turnPath(root, 'exit.json'), 1, 3000);
  expect(ended()).toBe(3_000_000);
  // A file that was copied later tells less than what it holds.
  writeFileSync(
    turnPath(root, 'exit.json'),
    END.replace('"ended_at":null', `"ended_at":"${RECORD.created_at}"`),
  );
  expect(ended()).toBe(Date.parse(RECORD.created_at));
});
