import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { emptyDirectory } from '../helpers/directory.ts';
import { type Ended, repositoryFile, runProgram } from '../helpers/project.ts';

/* What Node made of zwarm's code is kept for the next command (bin/load.js): it changes nothing but the time. */

let installed: string;
let kept: string;

beforeEach(() => {
  installed = emptyDirectory();
  kept = join(installed, '.compiled');
  for (const path of ['bin', 'package.json', 'dist/parts.js']) {
    mkdirSync(join(installed, 'dist'), { recursive: true });
    cpSync(repositoryFile(path), join(installed, path), { recursive: true });
  }
});

const zwarm = (...args: string[]): Promise<Ended> =>
  runProgram(process.execPath, [join(installed, 'bin/zwarm.js'), ...args], { cwd: installed, env: {} });

/** The files that are kept, by their paths. */
function files(): string[] {
  const names = existsSync(kept) ? readdirSync(kept, { recursive: true, encoding: 'utf8' }) : [];
  return names.map((name) => join(kept, name)).filter((path) => statSync(path).isFile());
}

test('the second command says what the first one said, and nobody else may write what it runs', async () => {
  const before = process.umask(0);
  const first = await zwarm('--help').finally(() => process.umask(before));
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(files().length).toBeGreaterThan(0);
  for (const path of [kept, ...readdirSync(kept).map((name) => join(kept, name)), ...files()]) {
    expect(statSync(path).mode & 0o022, path).toBe(0);
  }
  const [path = ''] = files();
  const { mtimeMs } = statSync(path);
  expect(await zwarm('--help')).toEqual(first);
  expect(statSync(path).mtimeMs, 'written once').toBe(mtimeMs);
});

test('each verb keeps what it has used, and the more of it the more that was', async () => {
  const kept = (): Record<string, number> =>
    Object.fromEntries(files().map((path) => [basename(path), statSync(path).size]));
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

test('what cannot be used is not: half of it, another version, no place to keep it', async () => {
  const first = await zwarm('--help');
  for (const path of files()) writeFileSync(path, readFileSync(path).subarray(0, 1000));
  expect(await zwarm('--help')).toEqual(first);
  for (const path of files()) expect(statSync(path).size, 'it is made anew').toBeGreaterThan(1000);
  for (const path of files()) writeFileSync(path, '');
  expect(await zwarm('--help')).toEqual(first);
  rmSync(kept, { recursive: true });
  writeFileSync(kept, 'in the way');
  expect(await zwarm('--help')).toEqual(first);
});

test('where there is no room for it nothing of it is left', async () => {
  const program = [process.execPath, join(installed, 'bin/zwarm.js'), '--help'];
  // Of no file more than some kilobytes: the largest part does not fit.
  const line = 'ulimit -f 64; exec "$@"';
  const ended = await runProgram('/bin/sh', ['-c', line, 'sh', ...program], { cwd: installed, env: {} });
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(files().filter((path) => path.endsWith('.new'))).toEqual([]);
  expect(await zwarm('--help')).toEqual(ended);
});

test.runIf(process.getuid?.() === 0)('nothing of it is put into the program of somebody else', async () => {
  chownSync(join(installed, 'dist/parts.js'), 4321, 4321);
  expect(await zwarm('--help')).toMatchObject({ code: 0, stderr: '' });
  expect(existsSync(kept)).toBe(false);
});

test('of another build of the same length nothing is used', async () => {
  await zwarm('--help');
  const parts = join(installed, 'dist/parts.js');
  const text = readFileSync(parts, 'latin1');
  const build = /"build":"([0-9a-f]{16})"/.exec(text)?.[1] ?? '';
  const other = text
    .replace('Run coding agents', 'Run boring agents')
    .replace(build, build.replace(/./g, '0'));
  expect(other.length).toBe(text.length);
  writeFileSync(parts, other);
  expect((await zwarm('--help')).stdout).toContain('Run boring agents');
});

test('a command that was loaded before an update goes on with what it was loaded from', async () => {
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
