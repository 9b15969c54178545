// The sessions that are measured: zwarm starts them itself, with an agent that prints what it is given.

import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endGroup, zwarm } from './ground.js';
import { run } from './measure.js';
import { MB, shortStream, THREAD, writeStream } from './streams.js';

/** @typedef {import('./ground.js').Ground} Ground */

/** Turns by the size of their stream. */
const SIZES = {
  '1 kB': { bytes: 1000 },
  '1 MB': { bytes: MB },
  '10 MB': { bytes: 10 * MB },
  '100 MB': { bytes: 100 * MB },
  '1 GB': { bytes: 1000 * MB },
  'line of 300 MB': { bytes: MB, line: 300 * MB },
};

/** @typedef {keyof typeof SIZES} Size */

/** @typedef {{ project: string, id: string, directory: string }} Session `directory` is that of its first turn */
/** @typedef {Session & { agent: number, group: number, end: () => Promise<void> }} Running with the pid of its agent, and the process group of its runner */

const PATIENCE_MS = 60_000;

/**
 * @param {string} what
 * @param {() => boolean} condition
 */
export async function eventually(what, condition) {
  for (const deadline = performance.now() + PATIENCE_MS; !condition(); await sleep(1)) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
  }
}

/** @param {number} pid */
export function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/**
 * @param {string} project
 * @param {string} id
 */
function turnOf(project, id) {
  return join(realpathSync(join(project, '.zwarm/sessions')), id, 'turns/1');
}

/**
 * Starts a session whose agent runs until it is ended.
 * @param {Ground} ground
 * @param {string} project
 * @returns {Promise<Running>}
 */
export async function startSession(ground, project) {
  const file = join(ground.base, 'agent.pid');
  rmSync(file, { force: true });
  const env = { ...ground.env, BENCH_PID: file };
  const id = run({ ...ground, env }, zwarm(project, 'start', '-q', 'go on and on')).trim();
  const directory = turnOf(project, id);
  const { pid: group } = JSON.parse(readFileSync(join(directory, 'runner.stat'), 'utf8'));
  ground.groups.add(group);
  const agent = await pidIn(file);
  const end = async () => {
    endGroup(group);
    ground.groups.delete(group);
    await eventually('the agent ends', () => !isAlive(agent));
  };
  return { project, id, directory, agent, group, end };
}

/**
 * The pid that the agent writes into a file as soon as it runs.
 * @param {string} file
 */
export async function pidIn(file) {
  await eventually('the agent runs', () => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n'));
  return Number(readFileSync(file, 'utf8'));
}

/**
 * A session with one turn, whose agent has printed a file and ended.
 * @param {Ground} ground
 * @param {string} project
 * @param {string} stream
 * @returns {Session}
 */
export function completeSession(ground, project, stream) {
  const printing = { ...ground, env: { ...ground.env, BENCH_STREAM: stream } };
  const id = run(printing, zwarm(project, 'start', '-q', 'print all of it')).trim();
  run(ground, zwarm(project, 'wait', id));
  const directory = turnOf(project, id);
  // When the turn has ended, its runner still writes the summary.
  const { pid } = JSON.parse(readFileSync(join(directory, 'runner.stat'), 'utf8'));
  execFileSync('sh', ['-c', 'while kill -0 "$0"; do sleep 0.05; done', pid], { stdio: 'ignore' });
  return { project, id, directory };
}

/**
 * Copies a session: an id stands nowhere but in the name of its directory.
 * @param {Session} session
 * @param {number} count
 */
export function copySession({ directory }, count) {
  const template = join(directory, '../..');
  for (let i = 0; i < count; i += 1) {
    const digits = i.toString(20).padStart(9, '0');
    // Of the alphabet of ids, which has no 0 and no 1.
    const id = `c${digits.replace(/[01il]/g, (digit) => 'wxyz'['01il'.indexOf(digit)] ?? '')}`;
    cpSync(template, join(template, '..', id), { recursive: true });
  }
}

/**
 * @template K, V
 * @param {(key: K) => V} make
 * @returns {(key: K) => V} what was made for this key, now or earlier
 */
function kept(make) {
  /** @type {Map<K, V>} */
  const made = new Map();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    // What is still on its way to the disk would disturb what is measured.
    execFileSync('sync');
    return value;
  };
}

/**
 * What is measured, each made when it is first asked for.
 * @param {Ground} ground
 */
export function createSessions(ground) {
  const stream = kept((/** @type {Size} */ size) => {
    const path = join(ground.directory('streams'), size);
    const { open } = writeStream(path, SIZES[size]);
    return { path, open };
  });
  /** The same without its end, as a running turn has printed it. */
  const openStream = kept((/** @type {Size} */ size) => {
    const { path, open } = stream(size);
    copyFileSync(path, `${path}, open`);
    truncateSync(`${path}, open`, open);
    return `${path}, open`;
  });
  const next = join(ground.directory('streams'), 'next');
  writeFileSync(next, shortStream());

  return {
    /** A project with so many sessions that have ended. */
    many: kept((/** @type {number} */ count) => {
      const project = ground.directory(`${count} sessions`);
      copySession(completeSession(ground, project, stream('1 kB').path), count - 1);
      return project;
    }),
    /** The same, whose summaries another version of zwarm has written. */
    outdated: kept((/** @type {number} */ count) => {
      const project = ground.directory(`${count} outdated sessions`);
      const session = completeSession(ground, project, stream('1 kB').path);
      const summary = join(session.directory, '../../summary.json');
      writeFileSync(summary, JSON.stringify({ ...JSON.parse(readFileSync(summary, 'utf8')), fold: 0 }));
      copySession(session, count - 1);
      return project;
    }),
    /** A project with so many sessions that have ended, each after a turn with a stream of 1 MB. */
    large: kept((/** @type {number} */ count) => {
      const project = ground.directory(`${count} large sessions`);
      copySession(completeSession(ground, project, stream('1 MB').path), count - 1);
      return project;
    }),
    /** A session that has ended, after a turn with a stream of this size. */
    ended: kept((/** @type {Size} */ size) => {
      // Without the agent's own record of the thread, a further turn would begin with a replay.
      const threads = join(ground.directory('home'), '.codex/sessions/2026/01/01');
      mkdirSync(threads, { recursive: true });
      writeFileSync(join(threads, `rollout-2026-01-01T00-00-00-${THREAD}.jsonl`), '');
      return completeSession(ground, ground.directory(`turn of ${size}`), stream(size).path);
    }),
    /**
     * A session that runs and has printed a stream of this size.
     * @param {Size} size
     */
    async running(size) {
      const session = await startSession(ground, ground.directory(`running, ${size}`));
      // The agent has printed nothing, and prints nothing more.
      const events = join(session.directory, 'events.jsonl');
      rmSync(events);
      linkSync(openStream(size), events);
      return session;
    },
    /** The stream of a further turn. */
    next,
  };
}

/** @typedef {ReturnType<typeof createSessions>} Sessions */
