import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../../src/core/ids.ts';
import { recordEnd } from '../../../../src/manager/stop/record-exit.ts';
import { claimTombstone } from '../../../../src/store/claim.ts';
import { marksDir, readMarks, writeMark } from '../../../../src/store/seen.ts';
import { createShellProject } from '../../../helpers/project.ts';
import { addSession, requestOf, storeOf } from '../../../helpers/store.ts';
import { managerOf } from '../../../helpers/tools-in-process.ts';
import { snapshot } from '../../../helpers/tree.ts';

const HOUR_MS = 3_600_000;
/** When the one that has ended did so. */
const ENDED_MS = Date.parse('2026-11-21T00:00:00Z');
const idOf = (letter: string) => letter.repeat(10) as SessionId;
const [ENDED, PENDING, DAMAGED, BURIED] = ['e', 'p', 'd', 'b'].map(idOf) as [
  SessionId,
  SessionId,
  SessionId,
  SessionId,
];

/** A store with a session of each kind, and what killed commands have left in it. */
function createMess() {
  const project = createShellProject();
  const store = storeOf(project.state, project.directory);
  const session = (id: SessionId) => ({ store, id });
  const pathOf = (id: string, ...more: string[]) => join(store.root, 'sessions', id, ...more);
  for (const id of [ENDED, PENDING, DAMAGED, BURIED]) addSession(store, id);
  for (const id of [ENDED, DAMAGED, BURIED])
    recordEnd({ ...session(id), turn: 1 }, { why: null, detail: null, cancelled: true });
  fs.writeFileSync(pathOf(DAMAGED, 'session.json'), '{');
  claimTombstone({ ...session(BURIED), turn: 2 }, { ...requestOf('end'), kind: 'tombstone' });
  const leftovers = [
    pathOf('.new-x'),
    pathOf(ENDED, '.new-x'),
    pathOf(PENDING, '.new-x'),
    pathOf(PENDING, 'turns', '.new-x'),
    pathOf(PENDING, 'turns', '1', '.new-x'),
    join(store.root, '.new-x'),
    join(store.root, 'names', '.new-x'),
    join(store.root, 'trash', `${idOf('t')}.x`),
  ];
  for (const path of leftovers) fs.mkdirSync(path, { recursive: true, mode: 0o700 });
  const marks = marksDir(project.state, 'user', store.id);
  for (const id of [ENDED, PENDING, idOf('g')]) writeMark(marks, id, 1);
  fs.utimesSync(pathOf(ENDED, 'turns/1/exit.json'), ENDED_MS / 1000, ENDED_MS / 1000);
  return {
    project,
    store,
    leftovers,
    sessions: () => fs.readdirSync(join(store.root, 'sessions')).sort(),
    marked: () => [...(readMarks(marks) ?? new Map()).keys()].sort(),
    clean: (olderThanMs: number, nowMs: number, dryRun = false, client: string | null = null) =>
      managerOf(project, client, { now: () => nowMs }).clean({ olderThanMs, dryRun }),
  };
}

const KEPT = [
  { id: DAMAGED, reason: 'damaged' },
  { id: PENDING, reason: 'pending' },
].map((one) => expect.objectContaining(one));

test('a dry run says what would go, and leaves every file as it is', async () => {
  const { project, leftovers, clean } = createMess();
  const before = snapshot(project.state);
  const planned = await clean(0, Date.now() + 2 * HOUR_MS, true);
  expect(planned).toMatchObject({ removed: [BURIED, ENDED], skipped: KEPT });
  expect(planned.bytes).toBeGreaterThan(0);
  expect(snapshot(project.state)).toEqual(before);
  // What goes in earnest is that, and as much.
  expect(await clean(0, Date.now() + 2 * HOUR_MS)).toMatchObject({ removed: [BURIED, ENDED], skipped: KEPT });
  expect(leftovers.filter((path) => fs.existsSync(path))).toEqual([]);
});

test('what killed commands have left goes once it is an hour old, whether or not a session does', async () => {
  const { leftovers, clean, sessions } = createMess();
  const there = () => leftovers.filter((path) => fs.existsSync(path));
  await clean(1e15, Date.now());
  expect(there()).toEqual(leftovers);
  expect(await clean(1e15, Date.now() + 2 * HOUR_MS)).toMatchObject({ removed: [], skipped: KEPT });
  expect(there()).toEqual([]);
  expect(sessions()).toEqual([DAMAGED, ENDED, PENDING]);
});

test('a session goes at the very age that was given, and not from the future', async () => {
  for (const [ageMs, olderThanMs, gone] of [
    [5000, 5000, true],
    [4999, 5000, false],
    [0, 0, true],
    [-1, 0, false],
    [-HOUR_MS, 0, false],
  ] as const) {
    const { clean, sessions } = createMess();
    const { removed, skipped } = await clean(olderThanMs, ENDED_MS + ageMs);
    expect([ageMs, removed.includes(ENDED)]).toEqual([ageMs, gone]);
    // One that is too young is not worth a word.
    expect(skipped).toEqual(KEPT);
    expect(sessions().includes(ENDED)).toBe(!gone);
  }
});

test('marks of sessions that are no more go with them', async () => {
  const { clean, marked } = createMess();
  await clean(1e15, Date.now(), true);
  expect(marked()).toEqual([ENDED, idOf('g'), PENDING]);
  await clean(1e15, Date.now());
  expect(marked()).toEqual([ENDED, PENDING]);
  await clean(0, Date.now() + HOUR_MS);
  expect(marked()).toEqual([PENDING]);
});

test('who did not start a session cannot clean it away', async () => {
  const { project, clean } = createMess();
  const before = snapshot(join(project.state, 'projects'));
  for (const dryRun of [true, false])
    expect(await clean(0, Date.now(), dryRun, 'other')).toMatchObject({
      removed: [],
      skipped: expect.arrayContaining([expect.objectContaining({ id: ENDED, reason: 'not_allowed' })]),
      bytes: 0,
    });
  expect(snapshot(join(project.state, 'projects'))).toEqual(before);
});

test('where there is no store nothing is made', async () => {
  const project = createShellProject();
  for (const dryRun of [true, false])
    expect(await managerOf(project, null).clean({ olderThanMs: 0, dryRun })).toMatchObject({
      removed: [],
      skipped: [],
      bytes: 0,
    });
  expect(fs.existsSync(project.state)).toBe(false);
});
