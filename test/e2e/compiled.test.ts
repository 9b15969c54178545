import * as fs from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { testAsRoot } from '../helpers/as-root.ts';
import { emptyDirectory } from '../helpers/directory.ts';
import { type Ended, repositoryFile, runProgram, TEST_CACHE_HOME } from '../helpers/project.ts';
import { notPrivate } from '../helpers/tree.ts';

/* What Node made of zwarm's code is kept for the next command (bin/compiled.js): it changes nothing but the time. */

function isShared(path: string): boolean {
  return (fs.statSync(path).mode & 0o002) !== 0 || (dirname(path) !== path && isShared(dirname(path)));
}

/** A directory in which nobody else can write, nor above it; null for a user who has none. */
function privatePlace(): string | null {
  try {
    fs.mkdirSync(TEST_CACHE_HOME, { recursive: true });
  } catch {
    return null;
  }
  return isShared(TEST_CACHE_HOME) ? null : TEST_CACHE_HOME;
}

const place = privatePlace();
if (place === null)
  process.stderr.write('not run, as only they can write to no home: tests of compiled code\n');

let installed: string;
let cacheHome: string;
let kept: string;

function install(): string {
  const directory = emptyDirectory();
  fs.mkdirSync(join(directory, 'dist'));
  for (const path of ['bin', 'package.json', 'dist/parts.js'])
    fs.cpSync(repositoryFile(path), join(directory, path), { recursive: true });
  return directory;
}

function ownDirectory(): string {
  const path = fs.realpathSync(fs.mkdtempSync(join(place ?? '', 'compiled-')));
  onTestFinished(() => fs.rmSync(path, { recursive: true, force: true }));
  return path;
}

const run = (args: readonly string[], env: Record<string, string>): Promise<Ended> =>
  runProgram(process.execPath, [join(installed, 'bin/zwarm.js'), ...args], { cwd: installed, env });

const zwarm = (...args: string[]): Promise<Ended> => run(args, { XDG_CACHE_HOME: cacheHome });

function files(below = kept): string[] {
  const names = fs.existsSync(below) ? fs.readdirSync(below, { recursive: true, encoding: 'utf8' }) : [];
  return names.map((name) => join(below, name)).filter((path) => fs.statSync(path).isFile());
}

/** Makes the installation another program of the same length, which says `boring` for `coding`. */
function makeBoring(build: (name: string) => string): void {
  const parts = join(installed, 'dist/parts.js');
  const text = fs.readFileSync(parts, 'latin1');
  const name = /"build":"([0-9a-f]{16})"/.exec(text)?.[1] ?? '';
  const boring = text.replace('Run coding agents', 'Run boring agents').replace(name, build(name));
  expect(boring.length).toBe(text.length);
  fs.writeFileSync(parts, boring);
}

describe.runIf(place !== null)('compiled code', () => {
  beforeEach(() => {
    installed = install();
    cacheHome = ownDirectory();
    kept = join(cacheHome, 'zwarm');
  });

  test.each([0, 0o777])('is the user’s alone and used again, whatever the umask (%i)', async (umask) => {
    const before = process.umask(umask);
    const first = await zwarm('--help').finally(() => process.umask(before));
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const [path = ''] = files();
    expect(notPrivate(kept)).toEqual([]);
    const { mtimeMs } = fs.statSync(path);
    expect(await zwarm('--help')).toEqual(first);
    expect(fs.statSync(path).mtimeMs, 'written once').toBe(mtimeMs);
  });

  test('lies in ~/.cache unless a variable names another place; nothing is added to the program', async () => {
    const before = fs.readdirSync(installed, { recursive: true });
    await run(['--help'], { HOME: cacheHome });
    expect(files(join(cacheHome, '.cache/zwarm'))).not.toEqual([]);
    await run(['--help'], { HOME: cacheHome, XDG_CACHE_HOME: join(cacheHome, 'other') });
    expect(files(join(cacheHome, 'other/zwarm'))).not.toEqual([]);
    expect(fs.readdirSync(installed, { recursive: true })).toEqual(before);
  });

  test('is kept by each verb of what it has used, and the more of it the more that was', async () => {
    const sizes = (): Record<string, number> =>
      Object.fromEntries(files().map((path) => [basename(path), fs.statSync(path).size]));
    await zwarm('ls', '--help');
    const { ls: helped = 0, ...others } = sizes();
    expect(others).toEqual({});
    await zwarm('ls');
    await zwarm('frobnicate', 'ls');
    const { ls: listed, other } = sizes();
    expect(listed).toBeGreaterThan(helped);
    await zwarm('ls');
    expect(sizes()).toEqual({ ls: listed, other });
  });

  test.each([
    ['a page', 'show @last'],
    ['a document', 'show @last --json'],
    // A pager that is left at its first line, on a terminal of the kernel's, as only Linux has them for script(1).
    ...(process.platform === 'linux' ? [['a page in a pager', 'show @last --full']] : []),
  ])('of %s is used by the next one', async (what, words) => {
    const task = 'A line.\n\n'.repeat(100);
    const env = {
      ...{ HOME: cacheHome, XDG_CACHE_HOME: cacheHome, PATH: process.env['PATH'] ?? '' },
      ...{ TERM: 'xterm', SHELL: '/bin/sh', ZWARM_PAGER: 'head -n 1' },
    };
    expect(await run(['start', '-a', 'demo', '--wait', task], env)).toMatchObject({ code: 0 });
    const line = `"${process.execPath}" "${join(installed, 'bin/zwarm.js')}" ${words}`;
    const [program, ...args] = what.endsWith('pager')
      ? ['script', '-qec', line, '/dev/null']
      : ['sh', '-c', line];
    const show = () => runProgram(program ?? '', args, { cwd: installed, env });
    const first = await show();
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const [path = ''] = files().filter((file) => basename(file) === 'show');
    const { ino } = fs.statSync(path);
    expect((await show()).code).toBe(0);
    expect(fs.statSync(path).ino, 'written once').toBe(ino);
  });

  test('is made anew where a byte of it is damaged, a block is lost, or only a part is there', async () => {
    const first = await zwarm('ls');
    const [path = ''] = files();
    const whole = fs.readFileSync(path);
    const damages = [0, 0.3, 0.6, 0.95].flatMap((part) => {
      const at = Math.floor(whole.length * part);
      const flipped = Buffer.from(whole);
      flipped[at] = 0xff ^ (flipped[at] ?? 0);
      return [flipped, Buffer.from(whole).fill(0, at - (at % 4096), at - (at % 4096) + 4096)];
    });
    for (const damaged of [...damages, whole.subarray(0, 1000), Buffer.alloc(0)]) {
      fs.writeFileSync(path, damaged);
      expect(await zwarm('ls')).toEqual(first);
      expect(fs.readFileSync(path).equals(damaged), 'it is replaced').toBe(false);
    }
    // Where something is in the way, or no place is known, there is none.
    fs.rmSync(kept, { recursive: true });
    fs.writeFileSync(kept, 'in the way');
    const help = await zwarm('--help');
    expect(await run(['--help'], {})).toEqual(help);
    expect(await run(['--help'], { HOME: 'here', XDG_CACHE_HOME: 'there' })).toEqual(help);
  });

  test('leaves nothing where there is no room for it', async () => {
    const program = [process.execPath, join(installed, 'bin/zwarm.js'), '--help'];
    // Of no file more than some kilobytes: the largest part does not fit.
    const line = ['-c', 'ulimit -f 64; exec "$@"', 'sh', ...program];
    const ended = await runProgram('/bin/sh', line, { cwd: installed, env: { XDG_CACHE_HOME: cacheHome } });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(files()).toEqual([]);
  });

  testAsRoot('of a program of somebody else is kept as of any', async () => {
    fs.chownSync(join(installed, 'dist/parts.js'), 4321, 4321);
    expect(await zwarm('--help')).toMatchObject({ code: 0, stderr: '' });
    expect(files()).not.toEqual([]);
  });

  test('of another build of the same length is not used', async () => {
    await zwarm('--help');
    makeBoring((name) => name.replace(/./g, '0'));
    expect((await zwarm('--help')).stdout).toContain('Run boring agents');
  });

  test('of the oldest of many builds is removed when a new one is run', async () => {
    for (const [i, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      fs.mkdirSync(join(kept, name), { recursive: true });
      fs.writeFileSync(join(kept, name, 'ls'), '');
      fs.utimesSync(join(kept, name), i, i);
    }
    await zwarm('--help');
    expect(fs.readdirSync(kept)).toEqual(expect.arrayContaining(['c', 'd', 'e']));
    expect(fs.readdirSync(kept)).toHaveLength(4);
  });

  /** Where code of another program lies under the name of this one, what makes it nobody's in particular, if anything. */
  const FOREIGN: readonly [why: string, arrange: (build: string) => Record<string, string> | undefined][] = [
    ['its directory is open', (build) => void fs.chmodSync(build, 0o770)],
    ['one above it is open to everybody', () => void fs.chmodSync(cacheHome, 0o1777)],
    ['it lies in a repository', () => void fs.mkdirSync(join(cacheHome, '.git'))],
    ['it lies in a project', () => void fs.mkdirSync(join(cacheHome, '.zwarm'))],
    ['it lies in the temporary directory', () => ({ TMPDIR: cacheHome })],
    [
      'a link leads to it',
      () => {
        const shared = join(emptyDirectory(), 'zwarm');
        fs.renameSync(kept, shared);
        fs.symlinkSync(shared, kept);
        return undefined;
      },
    ],
  ];

  /** What another program keeps, each file by its path below `kept`: made once. */
  let planted: readonly (readonly [path: string, code: Buffer])[] | undefined;

  async function makePlanted() {
    const honest = installed;
    installed = install();
    makeBoring((name) => name);
    await zwarm('--help');
    installed = honest;
    const made = files().map((path) => [relative(kept, path), fs.readFileSync(path)] as const);
    fs.rmSync(kept, { recursive: true });
    return made;
  }

  /** What `--help` says where such code was planted, and then something was arranged. */
  async function withPlanted(arrange: (build: string) => Record<string, string> | undefined) {
    planted ??= await makePlanted();
    for (const [path, code] of planted) {
      fs.mkdirSync(dirname(join(kept, path)), { recursive: true, mode: 0o700 });
      fs.writeFileSync(join(kept, path), code, { mode: 0o600 });
    }
    const [build = ''] = fs.readdirSync(kept);
    const env = arrange(join(kept, build));
    const before = files();
    const { stdout } = await run(['--help'], { XDG_CACHE_HOME: cacheHome, ...env });
    expect(files()).toEqual(before);
    return /Run (\w+) agents/.exec(stdout)?.[1];
  }

  test.each(FOREIGN)('that somebody else may have written is not used: %s', async (_, arrange) => {
    expect(await withPlanted(arrange)).toBe('coding');
  });

  test('that nobody else can have written is used', async () => {
    expect(await withPlanted(() => undefined)).toBe('boring');
  });

  testAsRoot('of another user is not used', async () => {
    expect(await withPlanted((build) => void fs.chownSync(build, 4321, 4321))).toBe('coding');
  });
});

test('a command that was loaded before an update goes on with what it was loaded from', async () => {
  installed = install();
  // It reads its task first, and loads what starts a session only then.
  const script = `
    const load = require(${JSON.stringify(join(installed, 'bin/load.js'))});
    const { main } = load('./main.js');
    require('node:fs').rmSync(${JSON.stringify(join(installed, 'dist'))}, { recursive: true });
    process.argv = [process.argv[0], 'zwarm', 'ls', '--json'];
    main();`;
  const place = { cwd: installed, env: { HOME: installed } };
  const ended = await runProgram(process.execPath, ['-e', script], place);
  expect(ended).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
});
