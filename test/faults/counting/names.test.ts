import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { rename } from '../../../src/manager/commands/name.ts';
import type { Store } from '../../../src/manager/context.ts';
import { giveUpName, holderOf, moveName, takeName } from '../../../src/store/names.ts';
import { removeSession } from '../../../src/store/remove.ts';
import { hasSession } from '../../../src/store/sessions.ts';
import { testInstallation } from '../../helpers/context.ts';
import { addSession, createStoredSession, ID } from '../../helpers/store.ts';
import { arm, disarm, meanwhile } from './syscalls.ts';

const OTHER = 'bcdefghjkm' as SessionId;

/** A store with a session that has the name `docs`, and another one without a name. */
function twoSessions(): Store {
  const store = createStoredSession('docs');
  addSession(store, OTHER);
  return store;
}

const names = ({ root }: Store): string[] => readdirSync(join(root, 'names')).sort();

/** What gives up the name of the session `ID`. */
const GIVE_UP: readonly [string, (store: Store) => unknown][] = [
  ['is given up', (store) => giveUpName({ store, id: ID }, 'docs', 'mine')],
  ['is that of a session which is removed', (store) => removeSession({ store, id: ID }, ['docs'], 'mine')],
];

test.each(GIVE_UP)(
  'a name that %s and is moved at that moment stays with whom it was given to',
  (_, giveUp) => {
    const store = twoSessions();
    meanwhile(/^rename .*\/names\/docs /, () => moveName({ store, id: OTHER }, 'docs', 'theirs'));
    giveUp(store);
    expect(holderOf(store.root, 'docs')).toBe(OTHER);
    expect(names(store)).toEqual(['docs']);
  },
);

test.each(GIVE_UP)('a name that %s and is gone at that moment is in nobody’s way', (_, giveUp) => {
  const store = twoSessions();
  meanwhile(/^rename .*\/names\/docs /, () => rmSync(join(store.root, 'names', 'docs')));
  giveUp(store);
  expect(names(store)).toEqual([]);
});

test('whoever has no such name changes nothing; a name that was given is on the disk', () => {
  const store = twoSessions();
  const calls = (act: () => void): readonly string[] => {
    arm(null);
    act();
    return disarm();
  };
  expect(calls(() => giveUpName({ store, id: OTHER }, 'docs', 'mine'))).toEqual([]);
  const flushed = `fsync ${store.root}/names`;
  expect(calls(() => moveName({ store, id: OTHER }, 'docs', 'mine')).at(-1)).toBe(flushed);
  expect(calls(() => takeName({ store, id: OTHER }, 'more')).at(-1)).toBe(flushed);
});

test('a session that was removed after its name had been moved takes no name along', () => {
  const store = twoSessions();
  moveName({ store, id: OTHER }, 'docs', 'theirs');
  removeSession({ store, id: ID }, ['docs'], 'mine');
  expect(holderOf(store.root, 'docs')).toBe(OTHER);
  expect([ID, OTHER].map((id) => hasSession({ store, id }))).toEqual([false, true]);
});

test('a session whose name is moved while it gets another one leaves it to whom it was given', () => {
  const store = twoSessions();
  const uid = process.getuid?.() ?? 0;
  const context = { ...testInstallation(), cwd: store.projectRoot, env: {}, uid, stateDir: store.state };
  meanwhile(/^symlink /, () => moveName({ store, id: OTHER }, 'docs', 'theirs'));
  expect(rename(context, { store, id: ID }, 'more')).toEqual({ id: ID, name: 'more', takenFrom: null });
  expect([holderOf(store.root, 'docs'), holderOf(store.root, 'more')]).toEqual([OTHER, ID]);
  expect(names(store)).toEqual(['docs', 'more']);
});

test('of two sessions that are created with one name at once the later is refused, and leaves nothing', () => {
  const store = createStoredSession();
  meanwhile(/^symlink /, () => moveName({ store, id: ID }, 'docs', 'theirs'));
  expect(() => addSession(store, OTHER, { name: 'docs' })).toThrow(
    expect.objectContaining({ code: 'name_taken', exitCode: 4 }),
  );
  expect(readdirSync(join(store.root, 'sessions'))).toEqual([ID]);
  expect(holderOf(store.root, 'docs')).toBe(ID);
  expect(names(store)).toEqual(['docs']);
});

test('a session whose id is taken at the last moment leaves its name to whom it was moved', () => {
  const store = createStoredSession();
  meanwhile(/^rename .*\/sessions\/\.new-/, () => {
    mkdirSync(join(store.root, 'sessions', OTHER, 'theirs'), { recursive: true });
    moveName({ store, id: ID }, 'docs', 'theirs');
  });
  expect(() => addSession(store, OTHER, { name: 'docs' })).toThrow(
    expect.objectContaining({ code: 'lost_race' }),
  );
  expect(readdirSync(join(store.root, 'sessions')).sort()).toEqual([ID, OTHER]);
  expect(holderOf(store.root, 'docs')).toBe(ID);
});
