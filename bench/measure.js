// How something is measured: as whole processes, in alternating pairs.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { repositoryFile } from './ground.js';

/** @typedef {import('./ground.js').Ground} Ground */
/** @typedef {import('./ground.js').Command} Command */

/**
 * How often to measure: at least and at most so many rounds, and no further one after so many seconds.
 * @typedef {{ least: number, most: number, seconds: number }} Effort
 */

/** @type {Effort} */
export const FULL = { least: 5, most: 25, seconds: 20 };
/** @type {Effort} */
export const QUICK = { least: 3, most: 11, seconds: 4 };

/**
 * What each round measured. A round before the first warms the caches and does not count.
 * @template T
 * @param {Effort} effort
 * @param {(round: number) => T | Promise<T>} measure
 * @returns {Promise<T[]>}
 */
export async function rounds({ least, most, seconds }, measure) {
  await measure(0);
  /** @type {T[]} */
  const results = [];
  const deadline = performance.now() + seconds * 1000;
  while (results.length < least || (results.length < most && performance.now() < deadline)) {
    // So that a signal is handled between two programs.
    await turn();
    results.push(await measure(results.length));
  }
  return results;
}

/** @typedef {readonly (readonly [a: number, b: number])[]} Pairs */

/**
 * Pairs of A and B, measured one right after the other; each of them comes first every other time.
 * @param {Effort} effort
 * @param {() => number | Promise<number>} a
 * @param {() => number | Promise<number>} b
 * @returns {Promise<Pairs>}
 */
export function pairs(effort, a, b) {
  return rounds(effort, async (round) => {
    if (round % 2 === 0) {
      const first = await a();
      return [first, await b()];
    }
    const first = await b();
    return [await a(), first];
  });
}

/** @param {readonly number[]} values at least one */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  if (low === undefined || high === undefined) throw new RangeError('no values');
  return (low + high) / 2;
}

/**
 * The median of the ratios of pairs: what slows the machine down slows both of a pair.
 * @param {Pairs} measured
 */
export const ratioOf = (measured) => median(measured.map(([a, b]) => a / b));

/**
 * Runs a command, which must succeed.
 * @param {Ground} ground
 * @param {Command} command
 * @param {'pipe' | 'ignore'} [stdout]
 * @returns {string} what it printed
 */
export function run({ env }, { program, args, cwd }, stdout = 'pipe') {
  const ended = spawnSync(program, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', stdout, 'pipe'] });
  if (ended.status !== 0) {
    const why = ended.error?.message ?? ended.signal ?? `exit code ${ended.status}`;
    throw new Error(`${program} ${args.join(' ')}: ${why} ${ended.stderr}`.trim());
  }
  return ended.stdout ?? '';
}

/**
 * How long a command runs, as a whole process, in milliseconds.
 * @param {Ground} ground
 * @param {Command} command
 */
export function wallMs(ground, command) {
  const from = performance.now();
  run(ground, command, 'ignore');
  return performance.now() - from;
}

/**
 * Starts a command on a terminal, whose output is to be read.
 * @param {Ground} ground
 * @param {Command} command
 */
export function spawnTerminal({ env }, { program, args, cwd }) {
  const line = [program, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  return spawn('script', ['-q', '-c', `exec ${line}`, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm', SHELL: '/bin/sh', ZWARM_PAGER: 'less' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

/**
 * How long a command on a terminal takes until it prints anything, in milliseconds. A pager is left then, so that
 * zwarm keeps the code that it has compiled.
 * @param {Ground} ground
 * @param {Command} command
 */
export async function firstByteMs(ground, command) {
  const from = performance.now();
  const terminal = spawnTerminal(ground, command);
  await once(terminal.stdout, 'data');
  const ms = performance.now() - from;
  // It may have ended by now.
  terminal.stdin.on('error', () => {});
  terminal.stdin.write('q');
  terminal.stdout.resume();
  await once(terminal, 'close');
  return ms;
}

/**
 * The peak of the memory of a Node program, in MB.
 * @param {Ground} ground
 * @param {Command} command
 * @param {(ground: Ground, command: Command) => unknown} [runs] runs the command: `firstByteMs` leaves it at its first screen
 */
export async function peakMb(ground, command, runs = wallMs) {
  const file = join(ground.base, 'peak');
  // A program that is killed writes none.
  rmSync(file, { force: true });
  const args = ['--require', repositoryFile('bench/peak.cjs'), ...command.args];
  await runs({ ...ground, env: { ...ground.env, BENCH_PEAK: file } }, { ...command, args });
  return (Number(readFileSync(file, 'utf8')) * 1024) / 1_000_000;
}
