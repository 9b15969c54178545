import * as fs from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { stateDirectoryIn } from '../../src/manager/context.ts';
import { testAsRoot } from '../helpers/as-root.ts';
import { install, kindOf, makeBoring } from '../helpers/boring.ts';
import { testInstallation } from '../helpers/context.ts';
import { emptyDirectory } from '../helpers/directory.ts';
import { type Ended, runProgram } from '../helpers/project.ts';
import { notPrivate } from '../helpers/tree.ts';

/* What Node made of zwarm's code is kept for the next command (bin/compiled.js): it changes nothing but the time. */

let installed: string;
let stateHome: string;
let state: string;
let kept: string;

const run = (args: readonly string[], env: Record<string, string>): Promise<Ended> =>
  runProgram(process.execPath, [join(installed, 'bin/zwarm.js'), ...args], { cwd: installed, env });

const zwarm = (...args: string[]): Promise<Ended> =>
  run(args, { HOME: stateHome, XDG_STATE_HOME: stateHome });

function files(below = kept): string[] {
  const names = fs.existsSync(below) ? fs.readdirSync(below, { recursive: true, encoding: 'utf8' }) : [];
  return names.map((name) => join(below, name)).filter((path) => fs.statSync(path).isFile());
}

describe('compiled code', () => {
  beforeEach(() => {
    installed = install();
    stateHome = emptyDirectory();
    state = join(stateHome, 'zwarm');
    fs.mkdirSync(state, { mode: 0o700 });
    kept = join(state, 'compiled');
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

  test.each<[string, (base: string) => Record<string, string>]>([
    ['in the home directory', () => ({})],
    ['where XDG_STATE_HOME says', (base) => ({ XDG_STATE_HOME: join(base, 'xdg') })],
    ['not where a relative one says', () => ({ XDG_STATE_HOME: 'xdg' })],
    ['where ZWARM_DIR says', (base) => ({ ZWARM_DIR: join(base, 'named') })],
    ['not where an agent’s says', (base) => ({ ZWARM_DIR: join(base, 'named'), ZWARM_SESSION_ID: 'x' })],
  ])('lies in the state directory, %s, and nowhere else', async (_, envIn) => {
    const base = emptyDirectory();
    const env = { HOME: base, ...envIn(base) };
    const states = ['.local/state/zwarm', 'xdg/zwarm', 'named'].map((path) => join(base, path));
    const help = () =>
      runProgram(process.execPath, [join(installed, 'bin/zwarm.js'), '--help'], { cwd: base, env });
    const before = fs.readdirSync(installed, { recursive: true });
    expect(await help()).toMatchObject({ code: 0, stderr: '' });
    expect(fs.readdirSync(base), 'it makes no state directory').toEqual([]);
    for (const directory of states) fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
    await help();
    const own = stateDirectoryIn({ ...testInstallation(), cwd: base, env, uid: 0, stateDir: null });
    expect(files(base).map((path) => dirname(dirname(path)))).toEqual([`${own}/compiled`]);
    expect(fs.readdirSync(installed, { recursive: true }), 'nothing is added to the program').toEqual(before);
  });

  test('is not kept where a relative ZWARM_DIR says: another one may be meant each time', async () => {
    await run(['--help'], { HOME: stateHome, ZWARM_DIR: relative(installed, state) });
    expect(fs.readdirSync(state)).toEqual([]);
  });

  test('of a command with another --state-dir lies in the usual one', async () => {
    const other = emptyDirectory();
    await zwarm('--state-dir', other, 'ls');
    expect(fs.readdirSync(other)).toEqual([]);
    expect(files()).not.toEqual([]);
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
      ...{ HOME: stateHome, XDG_STATE_HOME: stateHome, PATH: process.env['PATH'] ?? '' },
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
    expect(await run(['--help'], { HOME: 'here', XDG_STATE_HOME: 'there' })).toEqual(help);
  });

  test('leaves nothing where there is no room for it', async () => {
    const program = [process.execPath, join(installed, 'bin/zwarm.js'), '--help'];
    // Of no file more than some kilobytes: the largest part does not fit.
    const line = ['-c', 'ulimit -f 64; exec "$@"', 'sh', ...program];
    const ended = await runProgram('/bin/sh', line, {
      cwd: installed,
      env: { HOME: stateHome, XDG_STATE_HOME: stateHome },
    });
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
    makeBoring(installed, (name) => name.replace(/./g, '0'));
    expect(kindOf((await zwarm('--help')).stdout)).toBe('boring');
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

  /** Where code of another program lies under the name of this one, what lets somebody else have written it. */
  const FOREIGN: readonly [why: string, arrange: (build: string) => Record<string, string> | undefined][] = [
    ['its directory is open', (build) => void fs.chmodSync(build, 0o770)],
    ['the state directory is open', () => void fs.chmodSync(state, 0o770)],
    // The home directory is another one.
    [
      'one above it is open to everybody',
      () => {
        fs.chmodSync(stateHome, 0o1777);
        return { HOME: installed };
      },
    ],
    ['it lies in the temporary directory', () => ({ TMPDIR: state })],
    ['it lies in a repository', () => void fs.mkdirSync(join(state, '.git'))],
    ['it lies in a project', () => void fs.mkdirSync(join(state, '.zwarm'))],
  ];

  /** What another program keeps, each file by its path below `kept`: made once. */
  let planted: readonly (readonly [path: string, code: Buffer])[] | undefined;

  async function makePlanted() {
    const honest = installed;
    installed = install();
    makeBoring(installed);
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
    const { stdout } = await run(['--help'], { HOME: stateHome, XDG_STATE_HOME: stateHome, ...env });
    expect(files()).toEqual(before);
    return kindOf(stdout);
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

  testAsRoot('is not kept in the home of another user', async () => {
    fs.chownSync(stateHome, 4321, 4321);
    expect(await zwarm('--help')).toMatchObject({ code: 0, stderr: '' });
    expect(fs.readdirSync(state)).toEqual([]);
  });

  testAsRoot('is not kept in a state directory of another user', async () => {
    fs.chownSync(state, 4321, 4321);
    expect(await zwarm('--help')).toMatchObject({ code: 0, stderr: '' });
    expect(fs.readdirSync(state)).toEqual([]);
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
