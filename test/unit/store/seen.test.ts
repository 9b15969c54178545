import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { discardMarks, marksDir, readMarks, writeMark } from '../../../src/store/seen.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

const A = 'seenaaaaaa' as SessionId;
const B = 'seenbbbbbb' as SessionId;

test('the newest mark counts, and is the only one that stays', () => {
  const directory = marksDir(join(emptyDirectory(), 'zwarm'), 'user', 'store');
  for (const turn of [1, 3, 2, 3]) writeMark(directory, A, turn);
  writeMark(directory, B, 1);
  expect(readdirSync(directory).sort()).toEqual([`${A}.3`, `${B}.1`]);
  expect(Object.fromEntries(readMarks(directory) ?? [])).toEqual({ [A]: 3, [B]: 1 });
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, `${A}.3`)).mode & 0o777).toBe(0o600);
});

test('what is no mark is ignored, and no directory means no marks', () => {
  const directory = join(emptyDirectory(), 'marks');
  expect(readMarks(directory)?.size).toBe(0);
  mkdirSync(directory);
  for (const name of [`${A}.0`, `${A}.x`, `${A}.1.2`, `${A}`, `${A}.01`, 'x.1', '.hidden'])
    writeFileSync(join(directory, name), '');
  expect(readMarks(directory)?.size).toBe(0);
});

test('a client that names itself leads to no other directory', () => {
  const seen = (source: string): string => marksDir('/s', source, 'store');
  expect(seen('mcp:../../etc')).toMatch(/^\/s\/seen\/mcp-\.\.-\.\.-etc\/store$/);
  expect(seen(`mcp:${'x'.repeat(1000)}`).length).toBeLessThan(100);
  // Some file systems take both for the same.
  expect(seen('mcp:Codex')).toBe(seen('mcp:codex'));
  expect(seen('user')).not.toBe(seen('mcp:user'));
});

test('the marks of all callers go with their session', () => {
  const state = emptyDirectory();
  const places = ['user', 'mcp:codex'].map((source) => marksDir(state, source, 'store'));
  const elsewhere = marksDir(state, 'user', 'other');
  for (const place of [...places, elsewhere]) for (const id of [A, B]) writeMark(place, id, 1);
  discardMarks(state, 'store', (id) => id === A);
  for (const place of places) expect(readdirSync(place)).toEqual([`${B}.1`]);
  expect(readdirSync(elsewhere)).toHaveLength(2);
  writeFileSync(join(state, 'seen', 'file'), '');
  expect(() => discardMarks(state, 'store', () => true)).not.toThrow();
});
