import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { giveUpName, holderOf, moveName, readNames, takeName } from '../../../src/store/names.ts';
import { createStoredSession, ID } from '../../helpers/store.ts';

const OTHER = 'bcdefghjkm' as SessionId;

test('a name leads to one session, which keeps it until it gives it up or another takes it over', () => {
  const store = createStoredSession('docs');
  const { root } = store;
  expect(holderOf(root, 'docs')).toBe(ID);
  expect(() => takeName({ store, id: OTHER }, 'docs')).toThrow(
    expect.objectContaining({ code: 'name_taken', exitCode: 4 }),
  );
  giveUpName({ store, id: OTHER }, 'docs', 'x');
  giveUpName({ store, id: ID }, 'nobody', 'x');
  expect(readNames(root)).toEqual(new Map([[ID, 'docs']]));
  moveName({ store, id: OTHER }, 'docs', 'x');
  expect(holderOf(root, 'docs')).toBe(OTHER);
  moveName({ store, id: OTHER }, 'more', 'x');
  expect(readdirSync(join(root, 'names')).sort()).toEqual(['docs', 'more']);
  giveUpName({ store, id: OTHER }, 'docs', 'x');
  expect(readdirSync(join(root, 'names'))).toEqual(['more']);
});

test('whatever else lies among the names is none', () => {
  const { root } = createStoredSession('docs');
  const names = join(root, 'names');
  symlinkSync(OTHER, join(names, '.new-being-made'));
  symlinkSync('../sessions/elsewhere', join(names, 'no-id'));
  writeFileSync(join(names, 'file'), OTHER);
  mkdirSync(join(names, 'directory'));
  expect(readNames(root)).toEqual(new Map([[ID, 'docs']]));
  for (const name of ['no-id', 'file', 'directory', 'nobody']) expect(holderOf(root, name)).toBeNull();
  rmSync(names, { recursive: true });
  expect(readNames(root).size).toBe(0);
  writeFileSync(names, '');
  expect([readNames(root).size, holderOf(root, 'docs')]).toEqual([0, null]);
  rmSync(names);
  // That is no name which somebody has taken.
  expect(() => takeName({ store: { root }, id: ID }, 'docs')).toThrow(
    expect.objectContaining({ code: 'ENOENT' }),
  );
});
