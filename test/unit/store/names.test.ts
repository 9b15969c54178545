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
  const { root } = createStoredSession('docs');
  expect(holderOf(root, 'docs')).toBe(ID);
  expect(() => takeName(root, 'docs', OTHER)).toThrow(taken);
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
  const { root } = createStoredSession('docs');
  giveUpName(root, 'docs', OTHER, 'x');
  giveUpName(root, 'nobody', ID, 'x');
  expect(holderOf(root, 'docs')).toBe(ID);
  giveUpName(root, 'docs', ID, 'x');
  expect(linksOf(root)).toEqual([]);
});

test('a name moves to another session at once, whoever has it', () => {
  const { root } = createStoredSession('docs');
  moveName(root, 'docs', OTHER, 'x');
  expect(holderOf(root, 'docs')).toBe(OTHER);
  moveName(root, 'more', OTHER, 'x');
  expect(linksOf(root)).toEqual(['docs', 'more']);
});
