// Agents that run: when they begin and end, to the fraction of a millisecond, and how they are got rid of.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, readdirSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

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
 * Runs a command that leaves an agent behind, see bench/agent.
 * @param {Place} place
 * @param {Command} command
 * @returns {Promise<Living>}
 */
export async function launch({ base, env }, { program, args, cwd }) {
  const life = join(base, 'life');
  rmSync(life, { force: true });
  execFileSync('mkfifo', ['-m', '600', life]);
  // Opening a FIFO for reading ends when another opens it for writing. If none ever does, we do.
  const opening = open(life, 'r');
  const impatient = setTimeout(
    () => void open(life, constants.O_WRONLY).then((it) => it.close()),
    PATIENCE_MS,
  );
  const from = performance.now();
  const begun = opening.then(() => performance.now() - from);
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
  const [begunMs, exitedMs] = await Promise.all([begun, exited]);
  await closed;
  clearTimeout(impatient);
  const handle = await opening;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(32), 0, 32, null);
  const pid = Number(buffer.toString('utf8', 0, bytesRead));
  if (!Number.isInteger(pid) || pid <= 1) throw new Error('the agent did not tell its pid');
  const gone = handle.read(Buffer.alloc(1), 0, 1, null).then(async () => {
    const at = performance.now();
    await handle.close();
    return at;
  });
  return { pid, begunMs, exitedMs, printed, gone };
}

/**
 * Sends a signal to a process, or with a negative number to a group; true if there was one.
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
export function sendSignal(pid, signal) {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ESRCH') return false;
    throw error;
  }
}

/**
 * The process group of the first turn of a session, which is the pid of its runner.
 * @param {string} project
 * @param {string} id
 */
export function groupOf(project, id) {
  const file = join(project, '.zwarm', 'sessions', id, 'turns', '1', 'runner.stat');
  const { pid } = JSON.parse(readFileSync(file, 'utf8'));
  if (!Number.isInteger(pid) || pid <= 1) throw new Error(`${file} names no process`);
  return /** @type {number} */ (pid);
}

/**
 * Ends a session at once, runner and all: what a runner does after the end would disturb what is measured next.
 * @param {string} project
 * @param {string} id
 */
export function wipeOut(project, id) {
  sendSignal(-groupOf(project, id), 'SIGKILL');
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
