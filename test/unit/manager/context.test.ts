import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { installation } from '../../../src/installation.ts';
import { type ManagerContext, openForReading, stateDirectory } from '../../../src/manager/context.ts';
import { openAll } from '../../../src/manager/project/all-stores.ts';
import { readRequest } from '../../../src/store/sessions.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { createStoredSession, ID, storeOf } from '../../helpers/store.ts';

/** A context outside of any project, with this environment. */
function contextOf(env: ManagerContext['env']): ManagerContext {
  const base = emptyDirectory();
  const HOME = join(base, 'home');
  mkdirSync(HOME);
  const uid = process.getuid?.() ?? 0;
  return { ...installation(), cwd: base, env: { HOME, ...env }, uid, stateDir: null };
}

test('the store in an environment counts only together with the mark of one of its turns', () => {
  const store = createStoredSession();
  const { nonce } = readRequest({ store, id: ID, turn: 1 });
  const rootFor = (mark: string | undefined): string | null =>
    openForReading(contextOf({ ZWARM_STORE: store.root, ZWARM_MARK: mark }))?.root ?? null;
  expect(rootFor(`${store.id}@${ID}.1.${nonce}`)).toBe(store.root);
  // The runner's own mark, for settle.
  expect(rootFor(`${store.id}@${ID}.1.${nonce}.runner`)).toBe(store.root);
  const turns = ['1.second', `2.${nonce}`, `1.${nonce}.x`].map((turn) => `${store.id}@${ID}.${turn}`);
  const stores = ['other', `x${store.id}`].map((id) => `${id}@${ID}.1.${nonce}`);
  const others = [undefined, '', ...turns, ...stores, `${store.id}@bcdefghjkm.1.${nonce}`];
  expect(others.map(rootFor)).toEqual(others.map(() => null));
});

test('ZWARM_DIR is the user’s alone: in an agent it is not read', () => {
  expect(stateDirectory(contextOf({ ZWARM_DIR: '/volume' }))).toBe('/volume');
  const ofAgent = contextOf({ ZWARM_DIR: '/volume', ZWARM_SESSION_ID: ID });
  expect(stateDirectory(ofAgent)).toBe(`${ofAgent.env['HOME']}/.local/state/zwarm`);
  const homeless = contextOf({ HOME: undefined });
  expect(() => stateDirectory(homeless)).toThrow('neither HOME nor XDG_STATE_HOME is set');
});

test('an agent’s state directory is that of the store of its turn, wherever the user’s variables led', () => {
  const store = createStoredSession();
  const { root, id } = store;
  const { nonce } = readRequest({ store, id: ID, turn: 1 });
  const env = { ZWARM_SESSION_ID: ID, ZWARM_STORE: root, ZWARM_MARK: `${id}@${ID}.1.${nonce}` };
  expect(stateDirectory(contextOf(env))).toBe(dirname(dirname(root)));
  const forged = contextOf({ ...env, ZWARM_MARK: `${id}@${ID}.1.second` });
  expect(stateDirectory(forged)).toBe(`${forged.env['HOME']}/.local/state/zwarm`);
});

test('a store that others can write is named and hides no other; a state directory that they can write hides all', () => {
  const base = emptyDirectory();
  const stateDir = join(base, 'state');
  const [open, mine] = ['open', 'mine'].map((name) => {
    mkdirSync(join(base, name));
    return storeOf(stateDir, join(base, name)).root;
  }) as [string, string];
  const context = { ...contextOf({}), stateDir };
  chmodSync(open, 0o777);
  const { stores, refused } = openAll(context);
  expect(stores.map(({ root }) => root)).toEqual([mine]);
  expect(refused).toEqual([
    expect.objectContaining({ code: 'state_dir_unsafe', message: `${open} can be written by others` }),
  ]);
  chmodSync(stateDir, 0o777);
  expect(() => openAll(context)).toThrow(`${stateDir} can be written by others`);
});
