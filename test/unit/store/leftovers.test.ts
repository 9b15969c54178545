import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { findLeftovers, removeLeftovers } from '../../../src/store/leftovers.ts';
import { seal } from '../../../src/store/seals.ts';
import { plantDeepTree } from '../../helpers/deep.ts';
import { createPlaces, createStoredSession, ID, type Places } from '../../helpers/store.ts';
import { snapshot } from '../../helpers/tree.ts';

/** When all that was made just now is old. */
const LATER = Date.now() + 2 * 3_600_000;
const GONE = 'zzzzzzzzzz' as SessionId;

function plant(path: string): string {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'prompt.md'), 'half');
  return path;
}

/** A store with one of everything that a killed command can leave. */
function withLeftovers(): Places & { planted: Record<string, string[]> } {
  const places = createStoredSession();
  const { root, seals } = places;
  const session = join(root, 'sessions', ID);
  const building = [
    plant(join(root, 'sessions', `.new-${GONE}`)),
    plant(join(session, 'turns', '.new-claim')),
    join(session, '.new-summary'),
    join(session, 'turns', '1', '.new-cancel'),
  ];
  for (const path of building.slice(2)) writeFileSync(path, '{');
  seal(seals, root, GONE, 'a record that never showed itself', 'user');
  const [directory = ''] = readdirSync(seals);
  return {
    ...places,
    planted: {
      building: building.sort(),
      trash: [plant(join(root, 'trash', `${GONE}.x`))],
      seal: [join(seals, directory, GONE)],
    },
  };
}

function found({ root, seals }: Places, nowMs = LATER): Record<string, string[]> {
  const paths: Record<string, string[]> = { building: [], trash: [], seal: [] };
  for (const { kind, path } of findLeftovers(root, seals, nowMs)) paths[kind]?.push(path);
  return { ...paths, building: (paths['building'] ?? []).sort() };
}

const NOTHING = { building: [], trash: [], seal: [] };

test('a store whose commands all came to their end has no leftovers, nor has an empty one', () => {
  expect(found(createStoredSession())).toEqual(NOTHING);
  expect(found(createPlaces())).toEqual(NOTHING);
});

test('what killed commands have left is found wherever they build, and removed, and nothing else', () => {
  const places = withLeftovers();
  expect(found(places)).toEqual(places.planted);
  const base = dirname(places.root);
  const kept = Object.entries(snapshot(base)).filter(
    ([path]) =>
      !Object.values(places.planted)
        .flat()
        .some((gone) => `${path}/`.startsWith(`${gone}/`)),
  );
  expect(removeLeftovers(places.root, places.seals, LATER)).toEqual([]);
  expect(snapshot(base)).toEqual(Object.fromEntries(kept));
  expect(found(places)).toEqual(NOTHING);
});

test('what is younger than an hour, or from the future, may belong to a command at work', () => {
  const places = withLeftovers();
  expect(found(places, Date.now() + 3_500_000)).toEqual(NOTHING);
  expect(found(places, 0)).toEqual(NOTHING);
});

test('no link that an agent plants is followed, and none makes anything of a stranger go', () => {
  const { root, seals } = createStoredSession();
  const outside = join(dirname(root), 'outside');
  for (const name of ['.new-x', '1/.new-x', 'turns/.new-x', 'turns/1/.new-x']) plant(join(outside, name));
  cpSync(join(root, 'sessions', ID, 'session.json'), join(outside, 'session.json'));
  const session = join(root, 'sessions', ID);
  symlinkSync(outside, join(root, 'trash'));
  symlinkSync(outside, join(root, 'sessions', 'abcdefghkk'));
  symlinkSync(join(outside, 'turns', '1'), join(session, 'turns', '2'));
  rmSync(join(session, 'turns', '1'), { recursive: true });
  const before = snapshot(outside);
  expect(found({ root, seals })).toEqual(NOTHING);
  expect(removeLeftovers(root, seals, LATER)).toEqual([]);
  expect(snapshot(outside)).toEqual(before);
  // A link among the leftovers is one of them: it goes, what it leads to stays.
  const link = join(session, '.new-link');
  symlinkSync(outside, link);
  expect(found({ root, seals })['building']).toEqual([link]);
  removeLeftovers(root, seals, LATER);
  expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined();
  expect(snapshot(outside)).toEqual(before);
});

test('the seal of a damaged session stays, and so do those of other state directories', () => {
  const places = createStoredSession();
  rmSync(join(places.root, 'sessions', ID, 'session.json'));
  seal(places.seals, `${places.root}-other`, GONE, 'of another project', 'user');
  expect(found(places)).toEqual(NOTHING);
  renameSync(join(places.root, 'sessions', ID), join(places.root, 'elsewhere'));
  const [path = ''] = found(places)['seal'] ?? [];
  expect(path).toMatch(new RegExp(`/${ID}$`));
  removeLeftovers(places.root, places.seals, LATER);
  expect(existsSync(path)).toBe(false);
  expect(readdirSync(places.seals, { recursive: true, encoding: 'utf8' })).toContainEqual(
    expect.stringMatching(new RegExp(`/${GONE}$`)),
  );
});

test('a tree that is deeper than a path can be is removed or returned, and keeps nothing else', () => {
  const places = withLeftovers();
  const path = plantDeepTree(join(places.root, 'trash'));
  const left = removeLeftovers(places.root, places.seals, LATER);
  // Node 24 can remove it.
  const trash = existsSync(path) ? [path] : [];
  expect(left).toEqual(trash.map((one) => ({ kind: 'trash', path: one })));
  expect(found(places)).toEqual({ ...NOTHING, ...(trash.length > 0 && { trash }) });
});
