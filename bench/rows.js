// How each budget is measured.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { git, node, repositoryFile, zwarm } from './ground.js';
import { firstByteMs, pairs, peakMb, rounds, run, spawnTerminal, wallMs } from './measure.js';
import { eventually, isAlive, pidIn, startSession } from './sessions.js';
import { messageLine } from './streams.js';

/** @typedef {import('./ground.js').Command} Command */
/** @typedef {import('./sessions.js').Size} Size */
/** @typedef {import('./measure.js').Pairs} Pairs */

/**
 * @typedef {object} Bench
 * @property {import('./ground.js').Ground} ground
 * @property {import('./sessions.js').Sessions} sessions
 * @property {import('./measure.js').Effort} effort
 */

/**
 * @template Measured
 * @typedef {(bench: Bench) => Promise<Measured>} Measure
 */

/** @type {(cwd: string) => Command} */
export const nothing = (cwd) => node(cwd, '-e', '0');

/** @type {(bench: Bench, a: Command, b: Command) => Promise<Pairs>} */
export const wall = ({ ground, effort }, a, b) =>
  pairs(
    effort,
    () => wallMs(ground, a),
    () => wallMs(ground, b),
  );

/** A command of the base directory beside nothing. @type {(...args: string[]) => Measure<Pairs>} */
export const bare =
  (...args) =>
  (bench) =>
    wall(bench, zwarm(bench.ground.base, ...args), nothing(bench.ground.base));

/** `zwarm show` beside another command. @type {(size: Size, option: string, other: (cwd: string, events: string) => Command) => Measure<Pairs>} */
export const show = (size, option, other) => (bench) => {
  const { project, id, directory } = bench.sessions.ended(size);
  return wall(bench, zwarm(project, 'show', id, option), other(project, join(directory, 'events.jsonl')));
};

/** @type {(cwd: string, events: string) => Command} */
export const jq = (cwd, events) => ({ program: 'jq', args: ['-c', '.', events], cwd });

/**
 * What `show` takes until its first screen is there, beside a command of Node.
 * @typedef {(ground: import('./ground.js').Ground, command: Command) => number | Promise<number>} MeasureCommand
 * @type {(own: MeasureCommand, other: MeasureCommand, command: (cwd: string) => Command) => (size: Size, ...options: string[]) => Measure<Pairs>}
 */
const untilScreen =
  (own, other, command) =>
  (size, ...options) =>
  ({ ground, effort, sessions }) => {
    const { project, id } = sessions.ended(size);
    return pairs(
      effort,
      () => own(ground, zwarm(project, 'show', id, ...options)),
      () => other(ground, command(project)),
    );
  };

/** Its time. */
export const firstScreen = untilScreen(firstByteMs, firstByteMs, (cwd) => node(cwd, '-e', 'console.log(1)'));

/** The peak of its memory. */
export const memoryOfScreen = untilScreen(
  (ground, command) => peakMb(ground, command, firstByteMs),
  peakMb,
  nothing,
);

/** @type {(command: (bench: Bench) => Command) => Measure<Pairs>} */
export const memory = (command) => (bench) => {
  const one = command(bench);
  return pairs(
    bench.effort,
    () => peakMb(bench.ground, one),
    () => peakMb(bench.ground, nothing(one.cwd)),
  );
};

/** @type {(size: Size, option: string) => Measure<Pairs>} */
export const memoryOfShow = (size, option) =>
  memory(({ sessions }) => {
    const { project, id } = sessions.ended(size);
    return zwarm(project, 'show', id, option);
  });

/** @type {Measure<Pairs>} */
export function start({ ground, effort }) {
  const project = ground.directory('start');
  const file = join(ground.base, 'agent.pid');
  const timed = { ...ground, env: { ...ground.env, BENCH_PID: file } };
  const nohup = node(project, repositoryFile('bench/nohup.cjs'), ground.agent, join(project, 'out'));
  return pairs(
    effort,
    async () => {
      rmSync(file, { force: true });
      const ms = wallMs(timed, zwarm(project, 'start', '-q', 'go on and on'));
      await pidIn(file);
      run(ground, zwarm(project, 'kill', '--all', '-q', '--grace', '0'));
      return ms;
    },
    async () => {
      rmSync(file, { force: true });
      const ms = wallMs(timed, nohup);
      process.kill(await pidIn(file), 'SIGKILL');
      return ms;
    },
  );
}

const FILES = { directories: 200, each: 100 };

/** A commit of 20,000 files. @param {import('./ground.js').Ground} ground */
function largeRepository(ground) {
  const project = ground.directory('large-repository');
  for (let i = 0; i < FILES.directories; i += 1) {
    mkdirSync(join(project, `d${i}`));
    for (let j = 0; j < FILES.each; j += 1)
      writeFileSync(join(project, `d${i}/${j}`), `${i} ${j}\n`.repeat(50));
  }
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-q', '-m', 'all'],
  ])
    run(ground, git(project, ...args));
  return project;
}

/** What `start -W` may take besides what it takes git to make the tree (ms). */
const BESIDES_MS = 150;

/** The rest of the time of `start -W`. @type {Measure<Pairs>} */
export function startInTree({ ground, effort }) {
  const project = largeRepository(ground);
  const path = `${project}-by-hand`;
  return pairs(
    effort,
    () => {
      const ms = wallMs(ground, zwarm(project, 'start', '-q', '-W', '--name', 'n', 'go on and on'));
      run(ground, zwarm(project, 'kill', 'n', '-q', '--grace', '0'));
      run(ground, zwarm(project, 'rm', 'n', '-q'));
      return ms - BESIDES_MS;
    },
    () => {
      const ms = wallMs(ground, git(project, 'worktree', 'add', '-q', '-b', 'by-hand', path));
      run(ground, git(project, 'worktree', 'remove', path));
      run(ground, git(project, 'branch', '-q', '-D', 'by-hand'));
      return ms;
    },
  );
}

/** @type {Measure<Pairs>} */
export async function statusOfRunning(bench) {
  const [large, small] = [await bench.sessions.running('1 GB'), await bench.sessions.running('1 MB')];
  const measured = await wall(bench, zwarm(large.project, 'ls'), zwarm(small.project, 'ls'));
  await large.end();
  await small.end();
  return measured;
}

/** @type {Measure<Pairs>} */
export function kill({ ground, sessions, effort }) {
  const of = async (/** @type {Size} */ size) => {
    const { project, id } = await sessions.running(size);
    return wallMs(ground, zwarm(project, 'kill', id));
  };
  return pairs(
    effort,
    () => of('1 GB'),
    () => of('1 MB'),
  );
}

/** @type {Measure<Pairs>} */
export function lastSteps(bench) {
  const of = (/** @type {Size} */ size) => {
    const { project, id } = bench.sessions.ended(size);
    return zwarm(project, 'logs', '-n', '20', id);
  };
  return wall(bench, of('1 GB'), of('1 MB'));
}

/** @type {Measure<Pairs>} */
export function wait(bench) {
  const [large, small] = [bench.sessions.ended('1 GB'), bench.sessions.ended('1 MB')];
  return wall(bench, zwarm(large.project, 'wait', large.id), zwarm(small.project, 'wait', small.id));
}

/** @type {Measure<Pairs>} */
export function inject({ ground, sessions, effort }) {
  const printing = { ...ground, env: { ...ground.env, BENCH_STREAM: sessions.next } };
  const of = (/** @type {Size} */ size) => {
    const { project, id } = sessions.ended(size);
    const ms = wallMs(printing, zwarm(project, 'inject', '-q', id, 'go on'));
    run(ground, zwarm(project, 'wait', id));
    return ms;
  };
  return pairs(
    effort,
    () => of('1 GB'),
    () => of('1 MB'),
  );
}

/** For a word that no file holds. @type {Measure<Pairs>} */
export function search(bench) {
  const project = bench.sessions.large(1000);
  // It exits with 1 where it finds nothing.
  const grep = { program: '/bin/sh', args: ['-c', '! grep -rF quokka .zwarm/sessions/'], cwd: project };
  return wall(bench, zwarm(project, 'search', 'quokka'), grep);
}

const LINES = 40;

/** @type {Measure<readonly number[]>} */
export async function follow({ ground }) {
  const session = await startSession(ground, ground.directory('logs'));
  const { program, args, cwd } = zwarm(session.project, 'logs', '-f', session.id);
  const follower = spawn(program, args, { cwd, env: ground.env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    let shown = '';
    let wanted = '';
    let shownAt = 0;
    follower.stdout.on('data', (text) => {
      shown += text;
      if (shownAt === 0 && shown.includes(wanted)) shownAt = performance.now();
    });
    const values = [];
    for (let i = 0; i <= LINES; i += 1) {
      await sleep(20 + ((i * 7) % 20));
      wanted = `line number ${i}.`;
      shownAt = 0;
      const from = performance.now();
      appendFileSync(join(session.directory, 'events.jsonl'), messageLine(`item_${i}`, wanted));
      await eventually(`logs -f shows ${wanted}`, () => shownAt !== 0);
      values.push(shownAt - from);
    }
    // Until the first line zwarm was being started.
    return values.slice(1);
  } finally {
    follower.kill('SIGKILL');
    await session.end();
  }
}

const RUNNING = 10;

/** Which part of a core a command on a terminal takes, in percent, beside ten sessions that run and print nothing. @type {(count: number, ...args: string[]) => Measure<readonly number[]>} */
export const idleCpu =
  (count, ...args) =>
  async ({ ground, sessions, effort }) => {
    const project = sessions.many(count - RUNNING);
    const running = [];
    while (running.length < RUNNING) running.push(await startSession(ground, project));
    const file = join(ground.base, 'cpu');
    const env = { ...ground.env, BENCH_CPU: file };
    const command = zwarm(project, ...args);
    const measured = { ...command, args: ['--require', repositoryFile('bench/cpu.cjs'), ...command.args] };
    const values = [];
    while (values.length < effort.least) {
      rmSync(file, { force: true });
      const terminal = spawnTerminal({ ...ground, env }, measured);
      terminal.stdout.resume();
      await eventually('it is measured', () => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
      values.push(Number(readFileSync(file, 'utf8')));
      terminal.kill('SIGKILL');
      await once(terminal, 'close');
    }
    for (const session of running) await session.end();
    return values;
  };

/** Whether a process watches files, as `wait` does when it waits. @param {number} pid */
function watches(pid) {
  const directory = `/proc/${pid}/fd`;
  return readdirSync(directory).some((fd) => {
    try {
      return readlinkSync(join(directory, fd)).includes('inotify');
    } catch {
      // It was closed while we looked.
      return false;
    }
  });
}

/** How long after the end of the agent a command returns. @type {(verb: 'kill' | 'wait') => Measure<readonly number[]>} */
export const returns =
  (verb) =>
  ({ ground, effort }) =>
    rounds(effort, async () => {
      const session = await startSession(ground, ground.directory(verb));
      const { program, args, cwd } = zwarm(session.project, verb, session.id);
      const command = spawn(program, args, { cwd, env: ground.env, stdio: 'ignore' });
      const returned = once(command, 'exit').then(() => performance.now());
      if (verb === 'wait') {
        if (process.platform === 'linux') await eventually('wait waits', () => watches(command.pid ?? 0));
        else await sleep(1000);
        process.kill(session.agent, 'SIGTERM');
      }
      await eventually('the agent ends', () => !isAlive(session.agent));
      const gone = performance.now();
      const ms = (await returned) - gone;
      await session.end();
      return Math.max(0, ms);
    });

const TOGETHER = 5;

/** What is left of several sessions, the agents apart. @type {(measure: (pids: readonly number[]) => number) => Measure<readonly number[]>} */
export const leftBehind =
  (measure) =>
  async ({ ground }) => {
    const project = ground.directory('left behind');
    const running = [];
    while (running.length < TOGETHER) running.push(await startSession(ground, project));
    const table = spawnSync('ps', ['-eo', 'pid=,pgid='], { encoding: 'utf8' }).stdout;
    const processes = table.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
    const values = running.map(({ group, agent }) =>
      measure(processes.flatMap(([pid = 0, pgid]) => (pgid === group && pid !== agent ? [pid] : []))),
    );
    for (const session of running) await session.end();
    return values;
  };

/** The private memory of processes in MB, on Linux. @param {readonly number[]} pids */
export function privateMb(pids) {
  const texts = pids.map((pid) => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  const kb = texts.flatMap((text) =>
    [...text.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].map(([, n]) => Number(n)),
  );
  return (kb.reduce((sum, n) => sum + n, 0) * 1024) / 1_000_000;
}
