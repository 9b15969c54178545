// Where everything is measured: a temporary directory with a home of its own, and an environment without surprises.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @param {string} path */
export const repositoryFile = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * A program to run in a directory.
 * @typedef {object} Command
 * @property {string} program
 * @property {readonly string[]} args
 * @property {string} cwd
 */

/**
 * @typedef {object} Place
 * @property {string} base everything of this run lies below it
 * @property {string} agent the program that stands in for Codex
 * @property {Readonly<Record<string, string | undefined>>} env
 * @property {Set<number>} running what is to be ended with this run: process groups, with a minus, and processes
 * @property {(name: string) => string} directory a directory of this name; made when it is first asked for
 */

/** @returns {Place} */
export function createPlace() {
  // In /tmp every agent could write to the state directory, so that none would be started.
  const base = realpathSync(
    mkdtempSync(join(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), 'zwarm-bench-')),
  );
  // What Codex takes for a repository, and git and zwarm for none.
  writeFileSync(join(base, '.git'), '');
  /** @param {string} name */
  const directory = (name) => {
    mkdirSync(join(base, name), { recursive: true });
    return join(base, name);
  };
  // As npm installs it: its version is read from its package. Of another one it would be asked, which takes a process.
  const agent = join(directory('codex'), 'codex');
  writeFileSync(join(base, 'codex', 'package.json'), '{ "name": "@openai/codex", "version": "0.169.0" }');
  copyFileSync(repositoryFile('bench/agent'), agent);
  // Neither NODE_OPTIONS nor NODE_EXTRA_CA_CERTS: they make Node itself slower, and every ratio look better.
  const env = {
    PATH: process.env['PATH'],
    HOME: directory('home'),
    // What was compiled is kept, as for a user: not below a temporary directory.
    XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
    LANG: 'C.UTF-8',
    ZWARM_CODEX_BIN: agent,
  };
  return { base, agent, env, running: new Set(), directory };
}

/**
 * Ends what runs, and removes everything.
 * @param {Place} place
 */
export function removePlace({ base, running }) {
  for (const target of running) sendSignal(target, 'SIGKILL');
  running.clear();
  // Whoever has just been killed may still be writing.
  for (let tries = 5; existsSync(base); tries -= 1) {
    try {
      rmSync(base, { recursive: true, force: true });
    } catch (error) {
      if (tries === 0) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}

/**
 * Sends a signal to a process, or with a minus to a process group; false if there is none.
 * @param {number} target
 * @param {NodeJS.Signals} signal
 */
export function sendSignal(target, signal) {
  try {
    return process.kill(target, signal);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH') return false;
    throw error;
  }
}

/**
 * @param {string} cwd
 * @param {readonly string[]} args
 * @returns {Command}
 */
export const zwarm = (cwd, ...args) => ({
  ...{ program: process.execPath, args: [repositoryFile('bin/zwarm.js'), ...args] },
  cwd,
});

/**
 * Node itself, with its own arguments.
 * @param {string} cwd
 * @param {readonly string[]} args
 * @returns {Command}
 */
export const node = (cwd, ...args) => ({ program: process.execPath, args, cwd });

/**
 * @param {string} cwd
 * @param {string} script
 * @param {readonly string[]} args from $0 on
 * @returns {Command}
 */
export const shell = (cwd, script, ...args) => ({ program: '/bin/sh', args: ['-c', script, ...args], cwd });

/**
 * Runs a command, which must succeed.
 * @param {Place} place
 * @param {Command} command
 * @param {'pipe' | 'ignore'} [stdout] into the void, and as little a terminal as a pipe, unless it is to be read
 * @returns {string} what it has printed
 */
export function run({ env }, { program, args, cwd }, stdout = 'pipe') {
  const options = { cwd, env, encoding: /** @type {const} */ ('utf8') };
  const ended = spawnSync(program, args, { ...options, stdio: ['ignore', stdout, 'pipe'] });
  if (ended.status !== 0) {
    const why = ended.error?.message ?? ended.signal ?? `exit code ${ended.status}`;
    throw new Error(`${program} ${args.join(' ')}: ${why} ${ended.stderr}`.trim());
  }
  return ended.stdout ?? '';
}

/**
 * How long a command runs, as a whole process, in milliseconds.
 * @param {Place} place
 * @param {Command} command
 */
export function wallMs(place, command) {
  const from = performance.now();
  run(place, command, 'ignore');
  return performance.now() - from;
}

/**
 * How long a command on a terminal of its own takes until it shows anything, in milliseconds; it is ended then.
 * @param {Place} place
 * @param {Command} command
 * @returns {Promise<number>}
 */
export async function firstByteMs({ env }, { program, args, cwd }) {
  const line = [program, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const from = performance.now();
  const terminal = spawn('script', ['-q', '-c', `exec ${line}`, '/dev/null'], {
    ...{ cwd, env: { ...env, TERM: 'xterm', SHELL: '/bin/sh', ZWARM_PAGER: 'less' } },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  await once(terminal.stdout, 'data');
  const ms = performance.now() - from;
  terminal.kill('SIGKILL');
  await once(terminal, 'close');
  return ms;
}

/**
 * The peak of the memory of a command that is a Node program, in MB.
 * @param {Place} place
 * @param {Command} command
 */
export function peakMb(place, command) {
  const file = join(place.base, 'peak');
  const args = ['--require', repositoryFile('bench/peak.cjs'), ...command.args];
  run({ ...place, env: { ...place.env, BENCH_PEAK: file } }, { ...command, args }, 'ignore');
  return (Number(readFileSync(file, 'utf8')) * 1024) / 1_000_000;
}

/**
 * Whether a program is installed.
 * @param {string} name
 */
export function isInstalled(name) {
  return spawnSync('/bin/sh', ['-c', 'command -v "$0"', name], { stdio: 'ignore' }).status === 0;
}
