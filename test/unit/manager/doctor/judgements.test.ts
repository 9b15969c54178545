import { expect, test } from 'vitest';
import { isWithin } from '../../../../src/core/path.ts';
import { shellWord } from '../../../../src/core/shell-word.ts';
import { checkNode } from '../../../../src/manager/doctor/installation.ts';
import { judgeFileSystem, judgeSpace } from '../../../../src/manager/doctor/state-directory.ts';
import { readPage } from '../../../helpers/document.ts';

test('Node 20.12 or newer will do', () => {
  for (const version of ['20.12.0', '20.20.2', '21.0.0', '24.1.0-nightly'])
    expect(checkNode(version, '/n').status, version).toBe('ok');
  for (const version of ['18.20.4', '20.11.1', ''])
    expect(checkNode(version, '/n').status, version).toBe('failed');
});

test('the oldest Node is that of the package', () => {
  const oldest = JSON.parse(readPage('package.json')).engines.node;
  expect(`>=${/install Node (\S+)/.exec(checkNode('1.0.0', '/n').hint ?? '')?.[1]}`).toBe(oldest);
});

const ROOM = { remote: null, passing: null, freeBytes: 1e9, freeFiles: 1e6 };

test('a file system that others may share is warned about by its name', () => {
  expect(judgeFileSystem(ROOM).status).toBe('ok');
  expect(judgeFileSystem({ ...ROOM, remote: 'NFS' })).toMatchObject({
    status: 'warning',
    message: expect.stringMatching(/^NFS: /),
  });
});

test.each([
  [1e9, 1e6, 'ok', '1,000 MB free'],
  [50e6, null, 'ok', '50 MB free'],
  [49_999_999, 1e6, 'warning', '49 MB free'],
  [0, null, 'warning', '0 MB free'],
  [1e9, 999, 'warning', 'room for 999 more files'],
])('%i bytes and %j files free: %s', (freeBytes, freeFiles, status, message) => {
  expect(judgeSpace({ ...ROOM, freeBytes, freeFiles })).toMatchObject({ status, message });
});

test.each([
  ['/a/b', '/a/b', true],
  ['/a/b/c', '/a/b', true],
  ['/a/bc', '/a/b', false],
  ['/a', '/a/b', false],
  ['/a', '/', true],
])('%s lies in %s: %j', (path, directory, within) => {
  expect(isWithin(path, directory)).toBe(within);
});

test.each([
  ['/home/ann/a-b_c.d', '/home/ann/a-b_c.d'],
  ['/a b', "'/a b'"],
  ["/x'; rm -rf ~; '", "'/x'\\''; rm -rf ~; '\\'''"],
  ['$(x)', "'$(x)'"],
  ['', "''"],
])('a hint names %j as %s', (text, word) => {
  expect(shellWord(text)).toBe(word);
});
