import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ZwarmError } from '../../../src/core/errors.ts';
import { ensureStateDir, locateStateDir, openStateDir } from '../../../src/store/locate.ts';
import { testAsRoot } from '../../helpers/as-root.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { git } from '../../helpers/git.ts';

const UID = process.getuid?.() ?? 0;

function make(...parts: readonly string[]): string {
  const path = join(...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

describe('the state directory', () => {
  test('outside of git is that of the nearest parent that has one, else a new one right here', () => {
    const base = emptyDirectory();
    const deep = make(base, 'a', 'b');
    expect(locateStateDir(deep, null)).toEqual({ path: join(deep, '.zwarm'), exists: false });
    make(base, '.zwarm');
    expect(locateStateDir(deep, null)).toEqual({ path: join(base, '.zwarm'), exists: true });
    make(base, 'a', '.zwarm');
    expect(locateStateDir(deep, null)).toEqual({ path: join(base, 'a', '.zwarm'), exists: true });
  });

  test('is not one that anybody could have made further up', () => {
    const base = emptyDirectory();
    make(base, '.zwarm');
    chmodSync(base, 0o1777);
    const project = make(base, 'project');
    expect(locateStateDir(project, null)).toEqual({ path: join(project, '.zwarm'), exists: false });
    expect(locateStateDir(base, null)).toEqual({ path: join(base, '.zwarm'), exists: true });
  });

  test('in a repository is at its root, and one beyond the root is not looked at', () => {
    const base = emptyDirectory();
    make(base, '.zwarm');
    const root = make(base, 'repo');
    git(root, 'init');
    const deep = make(root, 'x', 'y');
    expect(locateStateDir(deep, null)).toEqual({ path: join(root, '.zwarm'), exists: false });
    make(root, '.zwarm');
    expect(locateStateDir(deep, null)).toEqual({ path: join(root, '.zwarm'), exists: true });
  });

  test('is shared by linked worktrees, unless one has its own', () => {
    const base = emptyDirectory();
    const root = make(base, 'repo');
    git(root, 'init');
    git(root, 'commit', '--allow-empty', '-m', 'x');
    const linked = join(base, 'linked');
    git(root, 'worktree', 'add', linked);
    const inside = make(linked, 'src');
    expect(locateStateDir(inside, null)).toEqual({ path: join(root, '.zwarm'), exists: false });
    make(root, '.zwarm');
    expect(locateStateDir(inside, null)).toEqual({ path: join(root, '.zwarm'), exists: true });
    make(linked, '.zwarm');
    expect(locateStateDir(inside, null)).toEqual({ path: join(linked, '.zwarm'), exists: true });
  });

  test('of a worktree that leads to a forged main checkout stays in the worktree', () => {
    const base = emptyDirectory();
    const root = make(base, 'repo');
    git(root, 'init');
    git(root, 'commit', '--allow-empty', '-m', 'x');
    git(root, 'worktree', 'add', join(base, 'linked'));
    writeFileSync(join(root, '.git', 'worktrees', 'linked', 'gitdir'), '/elsewhere/.git\n');
    const place = { path: join(base, 'linked', '.zwarm'), exists: false };
    expect(locateStateDir(join(base, 'linked'), null)).toEqual(place);
  });

  test('is the one that is named, wherever one stands', () => {
    const base = emptyDirectory();
    make(base, '.zwarm');
    const named = join(base, 'else where');
    expect(locateStateDir(base, named)).toEqual({ path: named, exists: false });
    make(named);
    expect(locateStateDir(base, named)).toEqual({ path: named, exists: true });
  });

  test('is found from a directory that was entered through a link', () => {
    const base = emptyDirectory();
    const deep = make(base, 'real', 'deep');
    make(base, 'real', '.zwarm');
    symlinkSync(deep, join(base, 'link'));
    expect(locateStateDir(join(base, 'link'), null).path).toBe(join(base, 'real', '.zwarm'));
  });
});

describe('a state directory is refused', () => {
  test.each<[string, (path: string) => void, RegExp]>([
    ['when it is a link', (path) => symlinkSync(make(path, '..', 'target'), path), /symbolic link/],
    ['when it is a link to nothing', (path) => symlinkSync('/no/where', path), /symbolic link/],
    ['when it is a file', (path) => writeFileSync(path, ''), /no directory/],
    ['when everybody can write to it', (path) => chmodSync(make(path), 0o777), /others can write/],
    ['when its group can write to it', (path) => chmodSync(make(path), 0o770), /others can write/],
  ])('%s', (_, plant, message) => {
    const path = join(emptyDirectory(), '.zwarm');
    plant(path);
    for (const forWriting of [true, false]) {
      expect(() => openStateDir(path, UID, forWriting)).toThrow(
        expect.objectContaining({
          code: 'state_dir_unsafe',
          exitCode: 5,
          message: expect.stringMatching(message),
        }),
      );
    }
  });

  testAsRoot('when it belongs to somebody else', () => {
    const path = make(emptyDirectory(), '.zwarm');
    chmodSync(path, 0o755);
    chownSync(path, 12_345, 12_345);
    const foreign = expect.objectContaining({
      code: 'state_dir_unsafe',
      message: expect.stringMatching(/12345/),
    });
    expect(() => openStateDir(path, UID, false)).toThrow(foreign);
    expect(openStateDir(path, 12_345, true)).toBe(path);
  });
});

test("a directory that holds something else is not made a state directory, but one of zwarm's is completed", () => {
  const path = make(emptyDirectory(), 'app');
  writeFileSync(join(path, 'index.js'), '');
  expect(openStateDir(path, UID, false)).toBe(path);
  const refused = { code: 'state_dir_unsafe', hint: expect.stringContaining('--state-dir DIR') };
  expect(() => openStateDir(path, UID, true)).toThrow(expect.objectContaining(refused));
  for (const part of ['format', 'sessions', '.gitignore', 'trash']) {
    const half = make(emptyDirectory(), 'half');
    make(half, part === 'format' ? '.' : part);
    if (part === 'format') writeFileSync(join(half, part), '1\n');
    expect(openStateDir(half, UID, true)).toBe(half);
  }
});

test("nobody is told to close a directory that is not zwarm's", () => {
  const path = make(emptyDirectory(), 'tmp');
  chmodSync(path, 0o1777);
  const hint = (): string => {
    try {
      return openStateDir(path, UID, false);
    } catch (error) {
      return (error as ZwarmError).hint ?? '';
    }
  };
  expect(hint()).toBe('choose another with --state-dir DIR');
  writeFileSync(join(path, 'format'), '1\n');
  expect(hint()).toBe(`make it yours alone: chmod 700 '${path}'`);
});

test('a state directory of a newer format can be read and not written', () => {
  const path = make(emptyDirectory(), '.zwarm');
  chmodSync(path, 0o700);
  for (const [format, writable] of [
    ['1\n', true],
    ['', true],
    ['1', true],
    ['2\n', false],
    ['99999999999', false],
    ['new', false],
  ] as const) {
    writeFileSync(join(path, 'format'), format);
    expect(openStateDir(path, UID, false)).toBe(path);
    const write = (): string => openStateDir(path, UID, true);
    if (writable) expect(write()).toBe(path);
    else expect(write).toThrow(expect.objectContaining({ code: 'format_newer', exitCode: 5 }));
  }
  rmSync(join(path, 'format'));
  expect(openStateDir(path, UID, true)).toBe(path);
});

test('the way to a state directory may hold links: its real path counts', () => {
  const base = emptyDirectory();
  chmodSync(make(base, 'real', '.zwarm'), 0o700);
  symlinkSync(join(base, 'real'), join(base, 'link'));
  expect(openStateDir(join(base, 'link', '.zwarm'), UID, true)).toBe(
    realpathSync(join(base, 'real', '.zwarm')),
  );
});

test('a new state directory is ours alone, invisible to git, and completed when it was half made', () => {
  const path = join(emptyDirectory(), '.zwarm');
  const expected = ['.gitignore', 'format', 'sessions', 'trash'];
  ensureStateDir(path, 'a');
  expect(readdirSync(path).sort()).toEqual(expected);
  for (const directory of [path, join(path, 'sessions')])
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(readFileSync(join(path, '.gitignore'), 'utf8')).toBe('*\n');
  const before = lstatSync(join(path, 'format')).ino;
  for (const name of [null, ...expected]) {
    if (name !== null) rmSync(join(path, name), { recursive: true });
    ensureStateDir(path, 'a');
    expect(readdirSync(path).sort()).toEqual(expected);
    if (name === null) expect(lstatSync(join(path, 'format')).ino).toBe(before);
  }
  expect(existsSync(join(path, 'format'))).toBe(true);
});
