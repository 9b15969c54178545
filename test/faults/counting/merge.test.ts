import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import type { Store } from '../../../src/manager/context.ts';
import { mergeStore } from '../../../src/store/merge-store.ts';
import { holderOf, takeName } from '../../../src/store/names.ts';
import { marksDir, readMarks, writeMark } from '../../../src/store/seen.ts';
import { hasSession } from '../../../src/store/sessions.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { addSession, storeOf } from '../../helpers/store.ts';
import { snapshot } from '../../helpers/tree.ts';
import { arm, disarm } from './syscalls.ts';

const [DOCS, OTHER, GONE, OWN] = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(10)) as [
  SessionId,
  SessionId,
  SessionId,
  SessionId,
];

/** Two stores of one state directory: two sessions with their belongings, a tree and trash without one; and one session. */
function twoStores(): { from: Store; to: Store } {
  const base = emptyDirectory();
  const [from, to] = ['from', 'to'].map((name) => {
    mkdirSync(join(base, name));
    return storeOf(join(base, 'state'), join(base, name));
  }) as [Store, Store];
  addSession(from, DOCS, { name: 'docs' });
  addSession(from, OTHER, { name: 'taken' });
  addSession(to, OWN, { name: 'taken' });
  takeName({ store: from, id: OTHER }, '@key');
  mkdirSync(join(from.root, 'trees'));
  for (const [id, end] of [
    [DOCS, 'json'],
    [GONE, 'making'],
  ]) {
    const tree = { v: 1, path: '/t', common: '/c', branch: 'b', base: 'x', claimer: claimer(), at: AT };
    writeFileSync(join(from.root, 'trees', `${id}.${end}`), JSON.stringify(tree));
  }
  mkdirSync(join(from.root, 'trash', GONE));
  for (const id of [DOCS, OTHER]) writeMark(marksDir(from.state, 'user', from.id), id, 1);
  return { from, to };
}

const AT = '2026-11-20T10:00:00.000Z';
const claimer = () => ({ host: 'h', boot_id: 'b', pid_ns: 'p', pid: 1, uid: 0, start: '1' });

/** Where the sessions are, with what belongs to them, and whether the other store is there. */
function lookAt({ from, to }: ReturnType<typeof twoStores>) {
  const seen = readMarks(marksDir(to.state, 'user', to.id));
  return {
    sessions: [DOCS, OTHER, OWN].filter((id) => hasSession({ store: to, id })),
    names: ['docs', 'taken', '@key'].map((name) => holderOf(to.root, name)),
    trees: readdirSync(join(to.root, 'trees')).sort(),
    trash: readdirSync(join(to.root, 'trash')),
    seen: [...(seen?.keys() ?? [])].sort(),
    left: existsSync(from.root),
  };
}

const MERGED = {
  sessions: [DOCS, OTHER, OWN],
  names: [DOCS, OWN, OTHER],
  trees: [`${DOCS}.json`, `${GONE}.making`],
  trash: [GONE],
  seen: [DOCS, OTHER],
  left: false,
};

test('a merged store has left its sessions with all that belongs to them, but for names that were taken', () => {
  const stores = twoStores();
  const merged = mergeStore(stores.from, stores.to, 'n');
  expect(merged).toMatchObject({ dropped: [{ id: OTHER, name: 'taken' }], kept: [] });
  expect(lookAt(stores)).toEqual(MERGED);
  expect(readdirSync(join(stores.to.state, 'projects'))).toHaveLength(1);
});

test('what ends a merge at any of its calls loses nothing, and the next one goes on with it', () => {
  for (let at = 1, isOver = false; !isOver; at += 1) {
    const stores = twoStores();
    const { from, to } = stores;
    arm({ kind: 'EIO', at, onwards: true });
    try {
      mergeStore(from, to, 'first');
    } catch (error) {
      expect(error).toMatchObject({ message: expect.stringContaining('injected') });
    }
    isOver = disarm().length < at;
    expect(at).toBeLessThan(200);
    for (const id of [DOCS, OTHER])
      expect(
        [from, to].filter((store) => hasSession({ store, id })),
        `call ${at}`,
      ).toHaveLength(1);
    if (existsSync(from.root)) mergeStore(from, to, 'second');
    expect(lookAt(stores), `call ${at}`).toEqual(MERGED);
  }
});

test('a session that is made there meanwhile, and one with the same id, stay where they are', () => {
  const stores = twoStores();
  const { from, to } = stores;
  addSession(to, DOCS);
  const before = snapshot(join(to.root, 'sessions', DOCS));
  mkdirSync(join(from.root, 'sessions', '.new-later'));
  expect(mergeStore(from, to, 'n')).toEqual({
    ...{ kept: [DOCS], dropped: [{ id: OTHER, name: 'taken' }] },
  });
  expect(snapshot(join(to.root, 'sessions', DOCS))).toEqual(before);
  expect(holderOf(to.root, 'docs')).toBeNull();
  expect(holderOf(from.root, 'docs')).toBe(DOCS);
  renameSync(join(from.root, 'sessions', DOCS), join(from.root, 'sessions', GONE));
  mergeStore(from, to, 'n');
  expect(readdirSync(join(from.root, 'sessions'))).toEqual(['.new-later']);
});
