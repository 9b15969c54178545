import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { ProcessIdentity } from '../../../src/core/session.ts';
import {
  groupLives,
  hostIdentity,
  livenessOf,
  markOf,
  ownIdentity,
  statOf,
} from '../../../src/process/identity.ts';
import { eventually } from '../../helpers/project.ts';

interface Living {
  readonly child: ChildProcess;
  readonly identity: ProcessIdentity;
}

/** A process in a group of its own that bears a mark and has begun to run `script`; ended with the test. */
async function live(mark: string, script = 'echo ready; exec sleep 600'): Promise<Living> {
  const child = spawn('/bin/sh', ['-c', script], {
    detached: true,
    env: { PATH: process.env['PATH'], ZWARM_MARK: mark },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pid = child.pid ?? 0;
  onTestFinished(() => {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Gone already.
    }
  });
  await once(child.stdout, 'data');
  return { child, identity: { ...hostIdentity(), pid, start: statOf(pid)?.start ?? '' } };
}

async function end({ child }: Living): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

test('we live, and know ourselves as the kernel does', () => {
  const own = ownIdentity();
  expect(livenessOf(own, null)).toBe('yes');
  expect(own).toMatchObject({ pid: process.pid, uid: process.getuid?.() });
  expect(own.start).toBe(/\) \S(?: -?\d+){18} (\d+)/.exec(readFileSync('/proc/self/stat', 'utf8'))?.[1]);
  expect(statOf(process.pid)).toMatchObject({ ppid: process.ppid, dead: false });
});

test.each<[string, (identity: ProcessIdentity) => ProcessIdentity, string]>([
  ['the same', (it) => it, 'yes'],
  ['another start time', (it) => ({ ...it, start: String(Number(it.start) + 1) }), 'no'],
  ['no start time', (it) => ({ ...it, start: '' }), 'no'],
  ['a pid that nobody has', (it) => ({ ...it, pid: 4_194_305 }), 'no'],
  ['pid 0', (it) => ({ ...it, pid: 0 }), 'no'],
  ['another boot of this host', (it) => ({ ...it, boot_id: 'before' }), 'no'],
  ['another host', (it) => ({ ...it, boot_id: 'theirs', host: 'elsewhere' }), 'cannot_tell'],
  ['another container on this host', (it) => ({ ...it, pid_ns: 'pid:[1]' }), 'cannot_tell'],
  ['this host under a new name', (it) => ({ ...it, host: 'renamed' }), 'yes'],
])('a living process that was recorded with %s', async (_, change, expected) => {
  const { identity } = await live('m');
  expect(livenessOf(change(identity), null)).toBe(expected);
  expect(livenessOf(change(identity), 'm')).toBe(expected);
});

test('a process must bear the mark of its turn', async () => {
  const { identity } = await live('abc.1.x');
  expect(markOf(identity.pid)).toBe('abc.1.x');
  for (const wrong of ['abc.1.', 'abc.1.xy', 'abc.2.x', '']) expect(livenessOf(identity, wrong)).toBe('no');
  expect(livenessOf(ownIdentity(), 'abc.1.x')).toBe('no');
});

test('a process that ended is dead', async () => {
  const living = await live('m');
  await end(living);
  await eventually('it has gone', () => statOf(living.identity.pid) === null);
  expect(livenessOf(living.identity, null)).toBe('no');
  expect(markOf(living.identity.pid)).toBeNull();
});

test('a zombie is dead', async () => {
  // A parent that was stopped does not collect its child.
  const { child } = await live('m', 'sleep 600 & echo ready; kill -STOP $$');
  const parent = child.pid ?? 0;
  await eventually('the parent is stopped', () => / T /.test(readFileSync(`/proc/${parent}/stat`, 'utf8')));
  const pid = Number.parseInt(readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8'), 10);
  const identity = { ...hostIdentity(), pid, start: statOf(pid)?.start ?? '' };
  expect(livenessOf(identity, null)).toBe('yes');
  process.kill(pid, 'SIGKILL');
  await eventually('it is a zombie', () => statOf(pid)?.dead === true);
  expect(livenessOf(identity, null)).toBe('no');
});

test('a name with spaces and parentheses hides nothing', async () => {
  // A process gives itself the name; the shell's own builtin writes it.
  const { identity } = await live(
    'm',
    "printf '%s' 'x) Z 1 (' > /proc/$$/comm; echo ready; read -r forever < /dev/zero",
  );
  await eventually('it has its name', () =>
    readFileSync(`/proc/${identity.pid}/comm`, 'utf8').startsWith('x) Z'),
  );
  expect(statOf(identity.pid)).toMatchObject({ pgrp: identity.pid, ppid: process.pid, dead: false });
  expect(livenessOf(identity, 'm')).toBe('yes');
});

test('a group lives as long as any process in it bears the mark, also without its leader', async () => {
  const living = await live('m', 'sleep 600 & echo ready; wait');
  const { identity } = living;
  expect(groupLives(identity, 'm')).toBe(true);
  expect(groupLives(identity, 'other')).toBe(false);
  await end(living);
  expect(livenessOf(identity, 'm')).toBe('no');
  expect(groupLives(identity, 'm')).toBe(true);
  process.kill(-identity.pid, 'SIGKILL');
  await eventually('the group has gone', () => !groupLives(identity, 'm'));
});

test('no group is looked for elsewhere, nor for a pid that is none', async () => {
  const { identity } = await live('m');
  expect(groupLives({ ...identity, pid_ns: 'pid:[1]' }, 'm')).toBe(false);
  expect(groupLives({ ...identity, boot_id: 'before' }, 'm')).toBe(false);
  for (const pid of [0, 1]) expect(groupLives({ ...identity, pid }, 'm')).toBe(false);
});
