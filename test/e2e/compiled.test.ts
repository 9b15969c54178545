import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { testAsRoot } from '../helpers/as-root.ts';
import { privatePlace } from '../helpers/cache.ts';
import { emptyDirectory } from '../helpers/directory.ts';
import { notPrivate } from '../helpers/modes.ts';
import { type Ended, repositoryFile, runProgram } from '../helpers/project.ts';

/* What Node made of zwarm's code is kept for the next command (bin/compiled.js): it changes nothing but the time. */

const place = privatePlace();
if (place === null)
  process.stderr.write('not run, as only they can write to no home: tests of compiled code\n');

let installed: string;
let cacheHome: string;

/** A copy of zwarm. */
function install(): string {
  const directory = emptyDirectory();
  for (const path of ['bin', 'package.json', 'dist/parts.js']) {
    fs.mkdirSync(join(directory, 'dist'), { recursive: true });
    fs.cpSync(repositoryFile(path), join(directory, path), { recursive: true });
  }
  return directory;
}

/** A directory of the user's alone. */
function ownDirectory(): string {
  const path = fs.realpathSync(fs.mkdtempSync(join(place ?? '', 'compiled-')));
  onTestFinished(() => fs.rmSync(path, { recursive: true, force: true }));
  return path;
}

const run = (args: readonly string[], env: Record<string, string>): Promise<Ended> =>
  runProgram(process.execPath, [join(installed, 'bin/zwarm.js'), ...args], { cwd: installed, env });

const zwarm = (...args: string[]): Promise<Ended> => run(args, { XDG_CACHE_HOME: cacheHome });

/** The files that are kept, by their paths. */
function files(home = cacheHome): string[] {
  const kept = join(home, 'zwarm');
  const names = fs.existsSync(kept) ? fs.readdirSync(kept, { recursive: true, encoding: 'utf8' }) : [];
  return names.map((name) => join(kept, name)).filter((path) => fs.statSync(path).isFile());
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
  });

  test.each([0, 0o777])('is the user’s alone and used again, whatever the umask (%i)', async (umask) => {
    const before = process.umask(umask);
    const first = await zwarm('--help').finally(() => process.umask(before));
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const [path = ''] = files();
    expect(notPrivate(join(cacheHome, 'zwarm'))).toEqual([]);
    const { mtimeMs } = fs.statSync(path);
    expect(await zwarm('--help')).toEqual(first);
    expect(fs.statSync(path).mtimeMs, 'written once').toBe(mtimeMs);
  });

  test('lies in ~/.cache unless a variable names another place; nothing is added to the program', async () => {
    const before = fs.readdirSync(installed, { recursive: true });
    await run(['--help'], { HOME: cacheHome });
    expect(files(join(cacheHome, '.cache'))).not.toEqual([]);
    await run(['--help'], { HOME: cacheHome, XDG_CACHE_HOME: join(cacheHome, 'other') });
    expect(files(join(cacheHome, 'other'))).not.toEqual([]);
    expect(fs.readdirSync(installed, { recursive: true })).toEqual(before);
  });

  test('is kept by each verb of what it has used, and the more of it the more that was', async () => {
    const kept = (): Record<string, number> =>
      Object.fromEntries(files().map((path) => [basename(path), fs.statSync(path).size]));
    await zwarm('ls', '--help');
    const { ls: helped = 0, ...others } = kept();
    expect(others).toEqual({});
    await zwarm('ls');
    await zwarm('frobnicate', 'ls');
    const { ls: listed, other } = kept();
    expect(listed).toBeGreaterThan(helped);
    await zwarm('ls');
    expect(kept()).toEqual({ ls: listed, other });
  });

  test('is made anew where a byte of it is damaged', async () => {
    const first = await zwarm('ls');
    const [path = ''] = files();
    const whole = fs.readFileSync(path);
    for (let part = 0; part < 12; part++) {
      const damaged = Buffer.from(whole);
      const at = Math.floor((whole.length * part) / 12);
      damaged[at] = 0xff ^ (damaged[at] ?? 0);
      fs.writeFileSync(path, damaged);
      expect(await zwarm('ls'), `byte ${at}`).toEqual(first);
      expect(fs.readFileSync(path).equals(damaged), 'it is replaced').toBe(false);
    }
  });

  test('is made anew where a block of it is lost', async () => {
    const first = await zwarm('ls');
    const [path = ''] = files();
    const whole = fs.readFileSync(path);
    for (let block = 0; block + 4096 <= whole.length; block += 48 * 4096) {
      fs.writeFileSync(path, Buffer.from(whole).fill(0, block, block + 4096));
      expect(await zwarm('ls'), `block at ${block}`).toEqual(first);
    }
  });

  test('is not used by halves; where something is in the way there is none', async () => {
    const first = await zwarm('--help');
    for (const path of files()) fs.writeFileSync(path, fs.readFileSync(path).subarray(0, 1000));
    expect(await zwarm('--help')).toEqual(first);
    for (const path of files()) expect(fs.statSync(path).size, 'it is made anew').toBeGreaterThan(1000);
    for (const path of files()) fs.writeFileSync(path, '');
    expect(await zwarm('--help')).toEqual(first);
    fs.rmSync(join(cacheHome, 'zwarm'), { recursive: true });
    fs.writeFileSync(join(cacheHome, 'zwarm'), 'in the way');
    expect(await zwarm('--help')).toEqual(first);
    expect(await run(['--help'], {})).toEqual(first);
    expect(await run(['--help'], { HOME: 'here', XDG_CACHE_HOME: 'there' })).toEqual(first);
  });

  test('leaves nothing where there is no room for it', async () => {
    const program = [process.execPath, join(installed, 'bin/zwarm.js'), '--help'];
    // Of no file more than some kilobytes: the largest part does not fit.
    const line = 'ulimit -f 64; exec "$@"';
    const env = { XDG_CACHE_HOME: cacheHome };
    const ended = await runProgram('/bin/sh', ['-c', line, 'sh', ...program], { cwd: installed, env });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(files()).toEqual([]);
    expect(await zwarm('--help')).toEqual(ended);
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
      fs.mkdirSync(join(cacheHome, 'zwarm', name), { recursive: true });
      fs.writeFileSync(join(cacheHome, 'zwarm', name, 'ls'), '');
      fs.utimesSync(join(cacheHome, 'zwarm', name), i, i);
    }
    await zwarm('--help');
    const kept = fs.readdirSync(join(cacheHome, 'zwarm'));
    expect(kept).toEqual(expect.arrayContaining(['c', 'd', 'e']));
    expect(kept).toHaveLength(4);
  });

  describe('that somebody else may have written is not used', () => {
    /** Puts code of another program there under the name of this one. */
    async function plant(home: string): Promise<void> {
      const honest = installed;
      installed = install();
      makeBoring((name) => name);
      const own = ownDirectory();
      await run(['--help'], { XDG_CACHE_HOME: own });
      fs.cpSync(join(own, 'zwarm'), join(home, 'zwarm'), { recursive: true });
      for (const path of fs.readdirSync(join(home, 'zwarm'))) fs.chmodSync(join(home, 'zwarm', path), 0o700);
      installed = honest;
    }

    const shown = async (env: Record<string, string> = {}): Promise<string> =>
      (await run(['--help'], { XDG_CACHE_HOME: cacheHome, ...env })).stdout;

    test('though it would be where only the user can write', async () => {
      await plant(cacheHome);
      expect(await shown()).toContain('Run boring agents');
    });

    test.each<[string, () => void]>([
      [
        'its directory is open',
        () =>
          fs.chmodSync(join(cacheHome, 'zwarm', fs.readdirSync(join(cacheHome, 'zwarm'))[0] ?? ''), 0o770),
      ],
      ['one above it is open to everybody', () => fs.chmodSync(cacheHome, 0o1777)],
      ['it lies in a repository', () => fs.mkdirSync(join(cacheHome, '.git'))],
      ['it lies in a project', () => fs.mkdirSync(join(cacheHome, '.zwarm'))],
    ])('when %s', async (_, open) => {
      await plant(cacheHome);
      open();
      const before = files();
      expect(await shown()).toContain('Run coding agents');
      expect(files()).toEqual(before);
    });

    test('when it lies in the temporary directory', async () => {
      await plant(cacheHome);
      expect(await shown({ TMPDIR: cacheHome })).toContain('Run coding agents');
    });

    test('when a link leads there', async () => {
      const shared = emptyDirectory();
      await plant(shared);
      fs.symlinkSync(join(shared, 'zwarm'), join(cacheHome, 'zwarm'));
      expect(await shown()).toContain('Run coding agents');
    });

    testAsRoot('when it belongs to another user', async () => {
      await plant(cacheHome);
      for (const name of fs.readdirSync(join(cacheHome, 'zwarm')))
        fs.chownSync(join(cacheHome, 'zwarm', name), 4321, 4321);
      expect(await shown()).toContain('Run coding agents');
    });
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
  const ended = await runProgram(process.execPath, ['-e', script], {
    cwd: installed,
    env: { HOME: installed },
  });
  expect(ended).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
});
