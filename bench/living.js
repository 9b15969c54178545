// Agents that run: when they begin and end, to the fraction of a millisecond, and how they are got rid of.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal, zwarm } from './place.js';
import { storeOf } from './store.js';

/** @typedef {import('./place.js').Place} Place */
/** @typedef {import('./place.js').Command} Command */

/** What nothing here should take. */
const PATIENCE_MS = 60_000;

/**
 * An agent that runs.
 * @typedef {object} Living
 * @property {number} pid of the agent
 * @property {number} begunMs how long after the command was started it began
 * @property {number} exitedMs how long after that the command had exited
 * @property {string} printed by the command
 * @property {Promise<number>} gone when the agent had ended, as of `performance.now()`
 */

/**
 * Waits for a condition that nobody tells.
 * @param {string} what
 * @param {() => boolean} look
 */
export async function eventually(what, look) {
  for (const deadline = performance.now() + PATIENCE_MS; !look(); await sleep(2)) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
  }
}

/**
 * @template T
 * @param {string} what
 * @param {Promise<T>} happening
 * @returns {Promise<T>} the same, but it fails when nothing happens
 */
async function soon(what, happening) {
  const timer = new AbortController();
  const late = sleep(PATIENCE_MS, null, { signal: timer.signal }).then(() => {
    throw new Error(`waited in vain: ${what}`);
  });
  try {
    return await Promise.race([happening, late]);
  } finally {
    timer.abort();
    late.catch(() => undefined);
  }
}

/**
 * Opens the FIFO `life` for the agent that will hold it. No thread waits for it: Node has only four.
 * @param {string} life
 * @returns {{ begun: Promise<{ at: number, pid: number }>, gone: Promise<number> }} times of `performance.now()`
 */
function awaitLife(life) {
  rmSync(life, { force: true });
  execFileSync('mkfifo', ['-m', '600', life]);
  const fd = openSync(life, constants.O_RDONLY | constants.O_NONBLOCK);
  // As long as nobody writes to a FIFO it is at its end: until the agent does, we do.
  const ours = openSync(life, constants.O_WRONLY);
  const socket = new Socket({ fd, readable: true, writable: false });
  const begun = once(socket, 'data').then(([line]) => {
    const at = performance.now();
    closeSync(ours);
    const pid = Number(line);
    if (!Number.isInteger(pid) || pid <= 1) throw new Error('the agent did not tell its pid');
    return { at, pid };
  });
  const gone = once(socket, 'end').then(() => performance.now());
  return { begun, gone };
}

/**
 * Runs a command that leaves an agent behind, see bench/agent.
 * @param {Place} place
 * @param {Command} command
 * @returns {Promise<Living>}
 */
export async function launch({ base, env, running }, { program, args, cwd }) {
  const life = join(base, 'life');
  const { begun, gone } = awaitLife(life);
  const from = performance.now();
  const child = spawn(program, args, {
    ...{ cwd, env: { ...env, BENCH_LIFE: life } },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.on('data', (text) => {
    printed += text;
  });
  const exited = once(child, 'exit').then(([code]) => {
    if (code !== 0) throw new Error(`${program} ${args.join(' ')}: exit code ${code}`);
    return performance.now() - from;
  });
  const closed = once(child, 'close');
  const noted = begun.then(({ at, pid }) => {
    running.add(pid);
    return { pid, begunMs: at - from };
  });
  const [agent, exitedMs] = await soon('the agent begins', Promise.all([noted, exited]));
  await closed;
  return { ...agent, exitedMs, printed, gone };
}

/**
 * A session whose agent runs.
 * @typedef {Living & { id: string, group: number, directory: string, end: () => Promise<unknown> }} Session `group` is
 *   its process group, which is the pid of its runner; `directory` that of its turn; `end` ends it at once, runner and
 *   all: what a runner does after the end would disturb what is measured next
 */

/**
 * Starts a session that runs until it is ended, or this run of the bench is.
 * @param {Place} place
 * @param {string} project
 * @returns {Promise<Session>}
 */
export async function startSession(place, project) {
  const living = await launch(place, zwarm(project, 'start', '-q', 'go on and on'));
  const id = living.printed.trim();
  const directory = join(storeOf(project), 'sessions', id, 'turns', '1');
  const group = runnerOf(directory);
  return { ...living, id, group, directory, end: ending(place, -group, living) };
}

/**
 * How an agent is ended that was launched.
 * @param {Place} place
 * @param {number} target its pid, or with a minus its process group
 * @param {Living} living
 * @returns {() => Promise<unknown>}
 */
export function ending({ running }, target, { pid, gone }) {
  running.delete(pid);
  running.add(target);
  return () => {
    running.delete(target);
    sendSignal(target, 'SIGKILL');
    return gone;
  };
}

/**
 * The pid of the runner of a turn.
 * @param {string} directory
 */
function runnerOf(directory) {
  const { pid } = JSON.parse(readFileSync(join(directory, 'runner.stat'), 'utf8'));
  if (!Number.isInteger(pid) || pid <= 1) throw new Error(`the runner of ${directory} has no pid`);
  return /** @type {number} */ (pid);
}

/**
 * Ends all sessions of a project, of which none has ended before, and removes it.
 * @param {string} project
 */
export function endSessions(project) {
  const sessions = join(storeOf(project), 'sessions');
  for (const id of readdirSync(sessions)) {
    const directory = join(sessions, id, 'turns', '1');
    if (existsSync(join(directory, 'runner.stat'))) sendSignal(-runnerOf(directory), 'SIGKILL');
  }
  rmSync(project, { recursive: true, maxRetries: 5 });
}

/**
 * Whether a process watches files, as it does once it is ready to tell what happens; where nobody knows, after a second.
 * @param {number} pid
 */
export async function untilItWatches(pid) {
  if (process.platform !== 'linux') {
    await sleep(1000);
    return;
  }
  const directory = `/proc/${pid}/fdinfo`;
  await eventually(`process ${pid} watches files`, () =>
    readdirSync(directory).some((fd) => {
      try {
        return readFileSync(join(directory, fd), 'utf8').includes('inotify');
      } catch (error) {
        // Closed while we looked.
        if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return false;
        throw error;
      }
    }),
  );
}

/**
 * The processes of a group with their private memory in MB; Linux.
 * @param {number} group
 */
export function membersOf(group) {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const fields = readFileSync(`/proc/${entry}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      if (Number(fields[2]) !== group || fields[0] === 'Z') return [];
      const memory = readFileSync(`/proc/${entry}/smaps_rollup`, 'utf8').matchAll(
        /^Private_\w+:\s+(\d+) kB/gm,
      );
      const kb = [...memory].reduce((sum, [, one]) => sum + Number(one), 0);
      return [{ pid: Number(entry), privateMb: (kb * 1024) / 1_000_000 }];
    } catch (error) {
      // It ended while we looked.
      if (['ENOENT', 'ESRCH'].includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')) return [];
      throw error;
    }
  });
}
