import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { installation } from '../../../src/installation.ts';
import { type ManagerContext, openForReading, stateDirectory } from '../../../src/manager/context.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { createStoredSession, ID } from '../../helpers/store.ts';

/** A context outside of any project, with this environment. */
function contextOf(env: ManagerContext['env']): ManagerContext {
  const base = emptyDirectory();
  mkdirSync(join(base, 'home'));
  return {
    ...installation(),
    cwd: base,
    env: { HOME: join(base, 'home'), ...env },
    uid: process.getuid?.() ?? 0,
    stateDir: null,
  };
}

test('the store in an environment counts only together with the mark of one of its turns', () => {
  const store = createStoredSession();
  const rootFor = (mark: string | undefined): string | null =>
    openForReading(contextOf({ ZWARM_STORE: store.root, ZWARM_MARK: mark }))?.root ?? null;
  expect(rootFor(`${store.id}@${ID}.1.first`)).toBe(store.root);
  // The runner's own mark, for settle.
  expect(rootFor(`${store.id}@${ID}.1.first.runner`)).toBe(store.root);
  const others = [
    undefined,
    '',
    `other@${ID}.1.first`,
    `${store.id}@${ID}.1.second`,
    `${store.id}@${ID}.2.first`,
    `${store.id}@bcdefghjkm.1.first`,
    `x${store.id}@${ID}.1.first`,
    `${store.id}@${ID}.1.first.x`,
  ];
  expect(others.map(rootFor)).toEqual(others.map(() => null));
});

test('ZWARM_DIR is the user’s alone: in an agent it is not read', () => {
  expect(stateDirectory(contextOf({ ZWARM_DIR: '/volume' }))).toBe('/volume');
  const ofAgent = contextOf({ ZWARM_DIR: '/volume', ZWARM_SESSION_ID: ID });
  expect(stateDirectory(ofAgent)).toBe(`${ofAgent.env['HOME']}/.local/state/zwarm`);
  expect(() => stateDirectory(contextOf({ HOME: undefined }))).toThrow(
    'neither HOME nor XDG_STATE_HOME is set',
  );
});

test('an agent’s state directory is that of the store of its turn, wherever the user’s variables led', () => {
  const { root, id } = createStoredSession();
  const env = { ZWARM_SESSION_ID: ID, ZWARM_STORE: root, ZWARM_MARK: `${id}@${ID}.1.first` };
  expect(stateDirectory(contextOf(env))).toBe(dirname(dirname(root)));
  const forged = contextOf({ ...env, ZWARM_MARK: `${id}@${ID}.1.second` });
  expect(stateDirectory(forged)).toBe(`${forged.env['HOME']}/.local/state/zwarm`);
});
