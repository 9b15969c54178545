import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  compareIdentity,
  identityOfDirectory,
  likeness,
  standingOf,
  whereaboutsOf,
} from '../../../src/store/directory-identity.ts';
import type { ProjectRecord } from '../../../src/store/records.ts';
import { boundByPermissions } from '../../helpers/as-root.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

/** Whether the directory at a path is the one that a record of it says, which differs so from what is there. */
function standing(path: string, differing: Partial<ReturnType<typeof identityOfDirectory>> = {}) {
  const record = {
    v: 1,
    store_id: 's',
    path,
    kept_at: null,
    seen_at: null,
    host: 'here',
    created_at: '2026-11-20T10:00:00.000Z',
  } as const;
  return standingOf({ ...record, inode: '1', birth_time: BORN, ...differing });
}

function whereabouts(path: string, more: Partial<ProjectRecord>): string | null {
  const record = {
    v: 1,
    store_id: 's',
    path,
    kept_at: null,
    seen_at: null,
    host: 'here',
    created_at: BORN,
  } as const;
  return whereaboutsOf({ ...record, inode: '1', birth_time: BORN, ...more });
}

const BORN = '2026-11-20T10:00:00.123Z';

test('a directory is that of a store by its inode and its time of birth, to the millisecond', () => {
  const path = emptyDirectory();
  const identity = identityOfDirectory(path);
  expect(identity.inode).toBe(`${fs.statSync(path).ino}`);
  expect(identity.birth_time).toBe(new Date(Math.floor(fs.statSync(path).birthtimeMs)).toISOString());
  expect(standing(path, identity)).toBe('here');
  expect(standing(path, { ...identity, inode: `${identity.inode}1` })).toBe('replaced');
  const moved = `${path}-moved`;
  fs.renameSync(path, moved);
  expect(likeness(path, identity)).toBe('missing');
  expect(['same', 'perhaps']).toContain(likeness(moved, identity));
  expect(likeness(moved, { ...identity, inode: `${identity.inode}1` })).toBe('other');
  fs.rmSync(moved, { recursive: true });
});

/** The time of birth in a record; what stat tells of the inode now: birth, last change; whether the system tells births. */
test.each<[string, number, number, number, boolean, string]>([
  ['born then', 5, 5, 9, true, 'same'],
  ['just born then', 5, 5, 5, true, 'same'],
  ['born later', 5, 7, 9, true, 'other'],
  ['just born', 5, 7, 7, true, 'other'],
  ['without a birth', 0, 0, 9, true, 'perhaps'],
  ['without a birth, where it had one', 5, 0, 9, true, 'other'],
  ['changed last at some time, where no birth is told', 5, 7, 7, false, 'perhaps'],
  ['changed last then, where no birth is told', 5, 5, 5, false, 'perhaps'],
])('a directory with the inode of another one, %s', (_, recorded, birth, change, tells, expected) => {
  const told = { ino: 1n, birthtimeNs: BigInt(birth) * 1_000_000n, ctimeNs: BigInt(change) * 1_000_000n };
  const identity = { inode: '1', birth_time: new Date(recorded).toISOString() };
  expect(compareIdentity(told, identity, () => tells)).toBe(expected);
  expect(compareIdentity({ ...told, ino: 2n }, identity, () => tells)).toBe('other');
});

test('of /proc no birth is told', () => {
  expect(likeness('/proc', identityOfDirectory('/proc'))).toBe('perhaps');
});

test.each([
  ['nothing', 'none'],
  ['something below a file', 'file/below'],
  ['a link to nothing', 'link'],
  ['a link to itself', 'loop'],
])('a project at whose path is %s is missing, and has no identity', (_, name) => {
  const base = emptyDirectory();
  fs.writeFileSync(join(base, 'file'), '');
  for (const link of ['link', 'loop']) fs.symlinkSync(link === 'loop' ? 'loop' : 'none', join(base, link));
  const path = join(base, name);
  expect(standing(path)).toBe('missing');
  expect(() => identityOfDirectory(path)).toThrow(
    expect.objectContaining({ code: 'usage', message: `there is no directory ${path}` }),
  );
});

test('what is closed to us now is not gone', () => {
  const base = emptyDirectory();
  const path = join(base, 'closed', 'project');
  fs.mkdirSync(path, { recursive: true });
  const identity = identityOfDirectory(path);
  fs.chmodSync(join(base, 'closed'), 0);
  try {
    boundByPermissions(() => {
      expect(likeness(path, identity)).toBe('closed');
      expect(standing(path, identity)).toBe('closed');
      expect(whereabouts(path, identity)).toBe(path);
    });
  } finally {
    fs.chmodSync(join(base, 'closed'), 0o700);
  }
  expect(whereabouts(path, identity)).toBe(path);
  expect(whereabouts(join(base, 'gone'), identity)).toBeNull();
  expect(whereabouts(join(base, 'gone'), { ...identity, seen_at: path })).toBe(path);
  expect(whereabouts(join(base, 'gone'), { ...identity, seen_at: base })).toBeNull();
});
