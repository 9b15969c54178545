import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, type TestFunction } from 'vitest';
import { capability, testAsRoot } from './as-root.ts';

/** A test that mounts something. */
export function testWithMount(name: string, body: TestFunction): void {
  testAsRoot(name, body, capability('SYS_ADMIN'));
}

export type Disk = ReturnType<typeof mountDisk>;

const PAGE = Buffer.alloc(1 << 12);

/** Does something until the disk is full. */
function untilFull(act: (i: number) => void): void {
  try {
    for (let i = 0; ; i += 1) act(i);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

function mount(args: readonly string[], path: string): void {
  execFileSync('mount', [...args, path], { stdio: 'pipe' });
}

function unmount(path: string): void {
  try {
    execFileSync('umount', [path], { stdio: 'pipe' });
  } catch {
    // Something of a failed test still has a file open there: it goes as soon as that is closed.
    execFileSync('umount', ['--lazy', path], { stdio: 'pipe' });
  }
  fs.rmdirSync(path);
}

function mountPoint(): string {
  return fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'zwarm-disk-')));
}

/**
 * Mounts a file system in memory of `size` (as in `2m`) and as many inodes. It is unmounted when the test ends; a
 * project on it has to be created after it, since what was registered last is done first.
 */
export function mountDisk(size: string, inodes = 10_000) {
  const path = mountPoint();
  mount(['-t', 'tmpfs', '-o', `size=${size},nr_inodes=${inodes},mode=0755`, 'zwarm-test'], path);
  onTestFinished(() => unmount(path));
  const filler = join(path, 'filler');
  fs.mkdirSync(filler);
  return {
    path,
    /** Takes all the room that is left, to the last byte; names can still be made. */
    fill: () => untilFull(() => fs.appendFileSync(join(filler, 'bytes'), PAGE)),
    /** Takes all the inodes that are left: not even an empty file can be made. */
    fillInodes: () => untilFull((i) => fs.closeSync(fs.openSync(join(filler, String(i)), 'w'))),
    /** Gives back what was taken. */
    free() {
      fs.rmSync(filler, { recursive: true });
      fs.mkdirSync(filler);
    },
    setReadOnly: (readOnly: boolean) => mount(['-o', `remount,${readOnly ? 'ro' : 'rw'}`], path),
  };
}

/** Another way to a directory on which nothing can be written, while others write there; gone when the test ends. */
export function mountReadOnly(directory: string): string {
  const path = mountPoint();
  mount(['--bind', directory], path);
  onTestFinished(() => unmount(path));
  mount(['-o', 'remount,bind,ro'], path);
  return path;
}
