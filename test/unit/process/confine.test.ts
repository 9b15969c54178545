import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  confine,
  findConfiner,
  linkAmong,
  missingNames,
  seatbeltProfile,
} from '../../../src/process/confine.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

const LIMITS = {
  directory: '/work "x"',
  writes: true,
  closed: ['.git', '.codex'],
  directories: ['/home/u/.agent/talks'],
  files: ['/home/u/.agent/login'],
  kept: ['/home/u/.agent/talks/memory'],
};

test('what sandbox-exec is told', () => {
  expect(seatbeltProfile(LIMITS, '/tmp/t')).toMatchInlineSnapshot(`
    "(version 1)
    (allow default)
    (deny file-write*)
    (allow file-write* (subpath "/dev") (subpath "/work \\"x\\"") (subpath "/tmp/t") (subpath "/home/u/.agent/talks") (literal "/home/u/.agent/login"))
    (deny file-write* (subpath "/work \\"x\\"/.git") (subpath "/work \\"x\\"/.codex") (subpath "/home/u/.agent/talks/memory"))
    (deny network-outbound (subpath "/"))
    (allow network-outbound (literal "/private/var/run/mDNSResponder"))"
  `);
  expect(seatbeltProfile({ ...LIMITS, writes: false, kept: [] }, '/tmp/t')).toMatchInlineSnapshot(`
    "(version 1)
    (allow default)
    (deny file-write*)
    (allow file-write* (subpath "/dev") (subpath "/tmp/t") (subpath "/home/u/.agent/talks") (literal "/home/u/.agent/login"))
    (deny network-outbound (subpath "/"))
    (allow network-outbound (literal "/private/var/run/mDNSResponder"))"
  `);
});

test('what bwrap is told: all is read-only but the directory, without its closed names, and the agent’s own state', () => {
  const directory = emptyDirectory();
  mkdirSync(join(directory, '.git'));
  const limits = { ...LIMITS, directory };
  const call = { program: '/bin/agent', args: ['-p', '--bind'] };
  const where = { filter: '/turn/socket-filter', input: '/turn/prompt', temporary: '/tmp' };
  const { program, args } = confine({ name: 'bwrap', path: '/usr/bin/bwrap' }, limits, call, where);
  const told = [program, ...args].join(' ').replaceAll(directory, 'DIR');
  expect(told).toMatchInlineSnapshot(
    `"/bin/sh -c exec "$@" 9< "$0" < /dev/null /turn/socket-filter /usr/bin/bwrap --seccomp 9 --unshare-pid --unshare-ipc --die-with-parent --new-session --cap-drop ALL --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --ro-bind /proc/sys /proc/sys --bind DIR DIR --ro-bind DIR/.git DIR/.git --tmpfs DIR/.codex --remount-ro DIR/.codex --bind /home/u/.agent/talks /home/u/.agent/talks --bind /home/u/.agent/login /home/u/.agent/login --ro-bind /home/u/.agent/talks/memory /home/u/.agent/talks/memory --chdir DIR --ro-bind /turn/prompt /turn/prompt -- /bin/sh -c exec "$@" < "$0" /turn/prompt /bin/agent -p --bind"`,
  );
  const reads = confine({ name: 'bwrap', path: '/usr/bin/bwrap' }, { ...limits, writes: false }, call, where);
  expect(reads.args.join(' ').replaceAll(directory, 'DIR')).toContain(
    '--ro-bind DIR DIR --bind /home/u/.agent/talks',
  );
});

test('names that are not there get a mount point, and one that is a link cannot be kept', () => {
  const directory = emptyDirectory();
  const limits = { ...LIMITS, directory };
  writeFileSync(join(directory, '.git'), '');
  expect(missingNames(limits)).toEqual(['.codex']);
  expect(linkAmong(limits)).toBeNull();
  symlinkSync('nowhere', join(directory, '.codex'));
  expect([missingNames(limits), linkAmong(limits)]).toEqual([[], '.codex']);
  expect([missingNames({ ...limits, writes: false }), linkAmong({ ...limits, writes: false })]).toEqual([
    [],
    null,
  ]);
});

test('a bwrap that does not work, or that lies in the project, is none', async () => {
  const directory = emptyDirectory();
  const find = (project: string) => findConfiner({ PATH: directory }, project);
  expect(await find('/')).toBeNull();
  const path = join(directory, 'bwrap');
  writeFileSync(path, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  expect(await find('/elsewhere')).toBeNull();
  writeFileSync(path, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  expect(await find('/elsewhere')).toEqual({ name: 'bwrap', path });
  expect(await find(directory)).toBeNull();
});
