import { lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { findLeftovers, removeLeftovers } from '../../../src/store/remove.ts';
import { createStoredSession, ID } from '../../helpers/store.ts';
import { snapshot } from '../../helpers/tree.ts';

/** When all that was made just now is old. */
const LATER = Date.now() + 2 * 3_600_000;
const GONE = 'zzzzzzzzzz' as SessionId;

function plant(path: string): string {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'prompt.md'), 'half');
  return path;
}

interface Planted {
  readonly root: string;
  readonly planted: Readonly<Record<'building' | 'trash', readonly string[]>>;
}

/** A store with one of everything that a killed command can leave. */
function withLeftovers(): Planted {
  const { root } = createStoredSession();
  const session = join(root, 'sessions', ID);
  const link = join(root, 'names', '.new-name');
  symlinkSync(ID, link);
  const files = [
    join(root, '.new-project'),
    join(session, '.new-summary'),
    join(session, 'turns', '1', '.new-cancel'),
  ];
  for (const path of files) writeFileSync(path, '{');
  const trees = [plant(join(root, 'sessions', `.new-${GONE}`)), plant(join(session, 'turns', '.new-claim'))];
  return {
    root,
    planted: {
      building: [link, ...files, ...trees].sort(),
      trash: [plant(join(root, 'trash', `${GONE}.x`))],
    },
  };
}

function found(root: string, nowMs = LATER): Planted['planted'] {
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
  const { root } = withLeftovers();
  for (const nowMs of [Date.now() + 3_500_000, 0]) expect(found(root, nowMs)).toEqual(NOTHING);
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
