import { lstatSync, lutimesSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findLeftovers, removeLeftovers, removeSession, treeBytes } from '../../../src/store/remove.ts';
import { hasSession, listSessionIds } from '../../../src/store/sessions.ts';
import { createEmptyStore, createStoredSession, ID, sessionIn } from '../../helpers/store.ts';
import { snapshot } from '../../helpers/tree.ts';

test('a session goes with its name, and the bytes that it held are counted', () => {
  const { root } = createStoredSession('docs');
  const directory = join(root, 'sessions', ID);
  const before = treeBytes(directory);
  writeFileSync(join(directory, 'turns', '1', 'events.jsonl'), 'x'.repeat(1000));
  expect(treeBytes(directory)).toBe(before + 1000);
  removeSession(sessionIn(root), ['docs'], 'n');
  expect(hasSession(sessionIn(root))).toBe(false);
  for (const emptied of ['trash', 'names']) expect(readdirSync(join(root, emptied))).toEqual([]);
  expect(() => removeSession(sessionIn(root), [], 'n')).toThrow(/ENOENT/);
});

test('links in a session are removed, not followed, and what they lead to is not counted', () => {
  const { root } = createStoredSession();
  const outside = join(root, '..', 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'precious'), 'x'.repeat(5000));
  const before = treeBytes(join(root, 'sessions', ID));
  symlinkSync(outside, join(root, 'sessions', ID, 'to-directory'));
  symlinkSync(join(outside, 'precious'), join(root, 'sessions', ID, 'to-file'));
  symlinkSync('/no/where', join(root, 'sessions', ID, 'to-nowhere'));
  expect(treeBytes(join(root, 'sessions', ID))).toBe(before);
  removeSession(sessionIn(root), [], 'n');
  expect(readdirSync(outside)).toEqual(['precious']);
});

test.each<[string, (path: string, outside: string) => void, number]>([
  ['a file', (path) => writeFileSync(path, '12345'), 5],
  ['a link to a directory', (path, outside) => symlinkSync(outside, path), 0],
  ['a link to nothing', (path) => symlinkSync('/no/where', path), 0],
])('%s in the place of a session can be removed', (_, plant, bytes) => {
  const { root } = createEmptyStore();
  const outside = join(root, '..', 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'precious'), 'x');
  plant(join(root, 'sessions', ID), outside);
  expect(listSessionIds(root)).toEqual([ID]);
  expect(treeBytes(join(root, 'sessions', ID))).toBe(bytes);
  removeSession(sessionIn(root), [], 'n');
  expect(listSessionIds(root)).toEqual([]);
  expect(readdirSync(outside)).toEqual(['precious']);
});

/** When all that is made here is old. */
const LATER = Date.now() + 3_660_000;
const GONE = 'zzzzzzzzzz';

function plant(path: string): string {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'prompt.md'), 'half');
  return path;
}

/** A store with one of everything that a killed command can leave. */
function withLeftovers() {
  const { root } = createStoredSession();
  const session = join(root, 'sessions', ID);
  const link = join(root, 'names', '.new-name');
  symlinkSync(ID, link);
  const files = [
    join(dirname(root), '.new-store'),
    join(root, '.new-project'),
    join(session, '.new-summary'),
    join(session, 'turns', '1', '.new-cancel'),
  ];
  for (const path of files) writeFileSync(path, '{');
  const trees = [plant(join(root, 'sessions', `.new-${GONE}`)), plant(join(session, 'turns', '.new-claim'))];
  const trash = [plant(join(root, 'trash', `${GONE}.x`))];
  return { root, planted: { building: [link, ...files, ...trees].sort(), trash } };
}

function found(root: string, nowMs = LATER) {
  const leftovers = findLeftovers(root, nowMs);
  const of = (wanted: string): string[] =>
    leftovers.flatMap(({ kind, path }) => (kind === wanted ? [path] : [])).sort();
  return { building: of('building'), trash: of('trash') };
}

const NOTHING = { building: [], trash: [] };

test('what killed commands have left is found wherever they build, and removed, and nothing else', () => {
  const { root, planted } = withLeftovers();
  expect(found(root)).toEqual(planted);
  const base = dirname(root);
  const gone = Object.values(planted).flat();
  const kept = Object.entries(snapshot(base)).filter(
    ([path]) => !gone.some((one) => `${path}/`.startsWith(`${one}/`)),
  );
  removeLeftovers(root, LATER);
  expect(snapshot(base)).toEqual(Object.fromEntries(kept));
  expect(found(root)).toEqual(NOTHING);
});

test('what is younger than an hour, or from the future, may belong to a command at work', () => {
  const { root, planted } = withLeftovers();
  // What is copied has the times of its original.
  for (const path of planted.building) lutimesSync(path, 1, 1);
  for (const nowMs of [Date.now() + 3_500_000, 0]) expect(found(root, nowMs)).toEqual(NOTHING);
});

test('a damaged session hides no leftovers but those in its turns', () => {
  const { root, planted } = withLeftovers();
  const turns = join(root, 'sessions', ID, 'turns');
  writeFileSync(join(turns, '2'), 'planted');
  const building = planted.building.filter((path) => dirname(dirname(path)) !== turns);
  expect(found(root)).toEqual({ ...planted, building });
});

test('a link among the leftovers goes, what it leads to stays', () => {
  const { root } = createStoredSession();
  const outside = plant(join(dirname(root), 'outside'));
  const link = join(root, 'sessions', ID, '.new-link');
  symlinkSync(outside, link);
  expect(found(root).building).toEqual([link]);
  removeLeftovers(root, LATER);
  expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined();
  expect(readdirSync(outside)).toEqual(['prompt.md']);
});
