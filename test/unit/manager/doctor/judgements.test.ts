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
  [1e9, 1e6, 'ok', '1.0 GB free'],
  [50e6, null, 'ok', '50.0 MB free'],
  [49_900_000, 1e6, 'warning', '49.9 MB free'],
  [0, null, 'warning', '0 B free'],
  [1e9, 999, 'warning', 'room for 999 more files'],
])('%i bytes and %j files free: %s', (freeBytes, freeFiles, status, message) => {
  expect(judgeSpace({ ...ROOM, freeBytes, freeFiles })).toMatchObject({ status, message });
});

test('a directory holds itself and what is below it', () => {
  const lies = (path: string, directory: string) => isWithin(path, directory);
  expect([lies('/a/b', '/a/b'), lies('/a/b/c', '/a/b'), lies('/a', '/')]).toEqual([true, true, true]);
  expect([lies('/a/bc', '/a/b'), lies('/a', '/a/b')]).toEqual([false, false]);
});

test('a hint quotes what a shell would not take as one word', () => {
  const words = ['/home/ann/a-b_c.d', '/a b', "/x'; rm -rf ~; '", '$(x)', ''];
  const quoted = ['/home/ann/a-b_c.d', "'/a b'", "'/x'\\''; rm -rf ~; '\\'''", "'$(x)'", "''"];
  expect(words.map(shellWord)).toEqual(quoted);
});
