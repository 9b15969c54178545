import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProcessIdentity } from '../../../src/core/session.ts';
import {
  hostIdentity,
  isClosed,
  livenessOf,
  markOf,
  ownIdentity,
  statOf,
} from '../../../src/process/identity.ts';
import { bundled } from '../../helpers/bundled.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { end, live, newMarks } from '../../helpers/marked.ts';
import { eventually, synchronously } from '../../helpers/project.ts';

test('we live, and know ourselves as the kernel does', () => {
  const own = ownIdentity();
  expect(own).toMatchObject({ pid: process.pid, uid: process.getuid?.() });
  expect(own.start).toBe(/\) \S(?: -?\d+){18} (\d+)/.exec(readFileSync('/proc/self/stat', 'utf8'))?.[1]);
  expect(statOf(process.pid)).toMatchObject({ ppid: process.ppid, dead: false });
});

test.each<[string, Partial<ProcessIdentity>, string]>([
  ['what it is', {}, 'yes'],
  ['another start time', { start: '1' }, 'no'],
  ['no start time', { start: '' }, 'no'],
  ['a pid that nobody has', { pid: 4_194_305 }, 'no'],
  ['pid 0', { pid: 0 }, 'no'],
  ['another boot of this host', { boot_id: 'before' }, 'no'],
  ['another host', { boot_id: 'theirs', host: 'elsewhere' }, 'cannot_tell'],
  ['another container on this host', { pid_ns: 'pid:[1]' }, 'cannot_tell'],
  ['this host under a new name', { host: 'renamed' }, 'yes'],
])('a living process that was recorded with %s', (_, change, expected) => {
  expect(livenessOf({ ...ownIdentity(), ...change })).toBe(expected);
});

test('a process that ended is dead', async () => {
  const mark = newMarks();
  const living = await live(mark);
  expect(markOf(living.pid)).toBe(mark);
  await end(living);
  await eventually('it has gone', () => statOf(living.pid) === null);
  expect(livenessOf(living.identity)).toBe('no');
  expect(markOf(living.pid)).toBeNull();
});

test('a zombie is dead', async () => {
  // A parent that was stopped does not collect its child.
  const { pid: parent } = await live(newMarks(), 'sleep 600 & echo ready; kill -STOP $$');
  await eventually('the parent is stopped', () => / T /.test(readFileSync(`/proc/${parent}/stat`, 'utf8')));
  const pid = Number.parseInt(readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8'), 10);
  const identity = { ...hostIdentity(), pid, start: statOf(pid)?.start ?? '' };
  expect(livenessOf(identity)).toBe('yes');
  process.kill(pid, 'SIGKILL');
  await eventually('it is a zombie', () => statOf(pid)?.dead === true);
  expect(livenessOf(identity)).toBe('no');
  expect(isClosed(pid)).toBe(false);
});

test('a name with spaces and parentheses hides nothing', async () => {
  // A process gives itself the name; the shell's own builtin writes it.
  const script = "printf '%s' 'x) Z 1 (' > /proc/$$/comm; echo ready; read -r forever < /dev/zero";
  const { identity } = await live(newMarks(), script);
  const nameOf = (pid: number) => readFileSync(`/proc/${pid}/comm`, 'utf8');
  await eventually('it has its name', () => nameOf(identity.pid).startsWith('x) Z'));
  expect(statOf(identity.pid)).toMatchObject({ pgrp: identity.pid, ppid: process.pid, dead: false });
  expect(livenessOf(identity)).toBe('yes');
});

test('a process bears its mark also while it becomes another program', async () => {
  const script = join(emptyDirectory(), 'again.sh');
  // It becomes itself, again and again: in between it has no environment.
  const steps = '[ "$1" != 0 ] || echo ready\n[ "$1" -lt 200 ] || exec sleep 600\nexec "$0" $(($1 + 1))\n';
  writeFileSync(script, `#!/bin/sh\n${steps}`, { mode: 0o755 });
  const mark = newMarks();
  const { pid } = await live(mark, 'exec "$1" 0', [script]);
  const marks = new Set([markOf(pid)]);
  synchronously('it sleeps', () => {
    marks.add(markOf(pid));
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep');
  });
  expect([...marks]).toEqual([mark]);
});

test('a process without any environment has no mark, and is no reason to wait', async () => {
  const { pid } = await live(null, 'echo ready; exec env -i sleep 600');
  await eventually('it sleeps', () => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('sleep'));
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('');
  expect(markOf(pid)).toBeNull();
});

test('a process that cannot be looked at for want of file descriptors is not taken for dead', async () => {
  // Its own process, since a limit holds for the whole of it.
  const program = await bundled(`import { closeSync, openSync, writeSync } from 'node:fs';
import { livenessOf, ownIdentity } from './src/process/identity.ts';
const own = ownIdentity();
const open = [];
for (;;) try { open.push(openSync('/dev/null')); } catch { break; }
let found;
try { found = livenessOf(own); } catch (error) { found = error.code; }
open.forEach((fd) => closeSync(fd));
writeSync(1, found + ' ' + livenessOf(own));
`);
  const limited = ['-c', 'ulimit -n 100 && exec "$0" "$1"', process.execPath, program];
  const { stdout, stderr } = spawnSync('/bin/sh', limited, { encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: 'EMFILE yes', stderr: '' });
});
