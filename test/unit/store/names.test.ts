import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { giveUpName, holderOf, moveName, readNames, takeName } from '../../../src/store/names.ts';
import { createStoredSession, ID } from '../../helpers/store.ts';

const OTHER = 'bcdefghjkm' as SessionId;
const taken = expect.objectContaining({ code: 'name_taken', exitCode: 4 });
const linksOf = (root: string): string[] => readdirSync(join(root, 'names')).sort();

test('a name leads to one session, which keeps it', () => {
  const store = createStoredSession('docs');
  const { root } = store;
  expect(holderOf(root, 'docs')).toBe(ID);
  expect(() => takeName({ store, id: OTHER }, 'docs')).toThrow(taken);
  expect(readNames(root)).toEqual(new Map([[ID, 'docs']]));
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
});

test('a name is given up by the session that has it, and by no other', () => {
  const store = createStoredSession('docs');
  const { root } = store;
  giveUpName({ store, id: OTHER }, 'docs', 'x');
  giveUpName({ store, id: ID }, 'nobody', 'x');
  expect(holderOf(root, 'docs')).toBe(ID);
  giveUpName({ store, id: ID }, 'docs', 'x');
  expect(linksOf(root)).toEqual([]);
});

test('a name moves to another session at once, whoever has it', () => {
  const store = createStoredSession('docs');
  const { root } = store;
  moveName({ store, id: OTHER }, 'docs', 'x');
  expect(holderOf(root, 'docs')).toBe(OTHER);
  moveName({ store, id: OTHER }, 'more', 'x');
  expect(linksOf(root)).toEqual(['docs', 'more']);
});
