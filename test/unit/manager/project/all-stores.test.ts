import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installation } from '../../../../src/installation.ts';
import { openAll } from '../../../../src/manager/project/all-stores.ts';
import { emptyDirectory } from '../../../helpers/directory.ts';
import { storeOf } from '../../../helpers/store.ts';

test('a store that others can write is named and hides no other; a state directory that they can write hides all', () => {
  const base = emptyDirectory();
  const stateDir = join(base, 'state');
  const [open, mine] = ['open', 'mine'].map((name) => {
    mkdirSync(join(base, name));
    return storeOf(stateDir, join(base, name)).root;
  }) as [string, string];
  const context = { ...installation(), cwd: base, env: {}, uid: process.getuid?.() ?? 0, stateDir };
  chmodSync(open, 0o777);
  const { stores, refused } = openAll(context);
  expect(stores.map(({ root }) => root)).toEqual([mine]);
  expect(refused).toEqual([
    expect.objectContaining({ code: 'state_dir_unsafe', message: `${open} can be written by others` }),
  ]);
  chmodSync(stateDir, 0o777);
  expect(() => openAll(context)).toThrow(`${stateDir} can be written by others`);
});
