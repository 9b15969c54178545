import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identityOfDirectory, standingOf } from '../../../src/store/project-store.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

/** Whether the directory at a path is the one that a record of it says, which differs so from what is there. */
function standing(path: string, differing: Partial<ReturnType<typeof identityOfDirectory>> = {}) {
  const record = { v: 1, store_id: 's', path, host: 'here', created_at: '2026-11-20T10:00:00.000Z' } as const;
  return standingOf({ ...record, inode: '1', birth_time: BORN, ...differing });
}

const BORN = '2026-11-20T10:00:00.123Z';

test('a directory is that of a store by its inode and its time of birth, to the millisecond', () => {
  const path = emptyDirectory();
  const { inode, birth_time } = identityOfDirectory(path);
  expect(inode).toBe(`${fs.statSync(path).ino}`);
  expect(birth_time).toBe(new Date(Math.floor(fs.statSync(path).birthtimeMs)).toISOString());
  // From here on its last change is later than its birth, wherever that is known.
  for (const began = Date.now(); Date.now() < began + 50; ) fs.writeFileSync(join(path, 'file'), '');
  fs.rmSync(join(path, 'file'));
  const hasBirth = identityOfDirectory(path).birth_time === birth_time;
  expect(standing(path, { inode, birth_time })).toBe('here');
  expect(standing(path, { inode: `${inode}1`, birth_time })).toBe('replaced');
  expect(standing(path, { inode, birth_time: BORN })).toBe(hasBirth ? 'replaced' : 'here');
});

test('where the time of birth is that of the last change, or none, the inode alone decides', (context) => {
  const base = emptyDirectory();
  const isFresh = (path: string): boolean => {
    fs.mkdirSync(path);
    const { birthtimeNs, ctimeNs } = fs.statSync(path, { bigint: true });
    return birthtimeNs === ctimeNs;
  };
  const fresh = Array.from({ length: 100 }, (_, i) => join(base, `${i}`)).find(isFresh);
  for (const path of ['/proc', ...(fresh === undefined ? [] : [fresh])]) {
    const identity = identityOfDirectory(path);
    expect(standing(path, identity), path).toBe('here');
    expect(standing(path, { ...identity, inode: `${identity.inode}1` }), path).toBe('replaced');
  }
  if (fresh === undefined) return context.skip('every directory here is changed after its birth');
  expect(standing(fresh, { ...identityOfDirectory(fresh), birth_time: BORN })).toBe('here');
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
