// The projects that are measured, each of them made when it is first asked for.

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSession } from './living.js';
import { run, zwarm } from './place.js';
import { createStore, writeLongSession, writeSessions } from './store.js';
import { MB, shortStream, THREAD } from './streams.js';

/** Turns by the size of their stream. */
const SIZES = {
  '1 kB': { bytes: 1000 },
  '1 MB': { bytes: MB },
  '100 MB': { bytes: 100 * MB },
  '1 GB': { bytes: 1000 * MB },
  'line of 300 MB': { bytes: MB, line: 300 * MB },
};

/** @typedef {keyof typeof SIZES} Size */

/**
 * @typedef {object} Corpora
 * @property {(count: number) => string} sessions a project with so many of them, which have ended
 * @property {(size: Size) => { project: string, events: string, open: number }} long a project whose one session has
 *   ended, the stream of its turn, and how much of it there was before the end
 * @property {(size: Size) => Conversation} conversation one that can go on, after a first turn that printed so much
 * @property {(size: Size) => Promise<string>} running a project whose one session runs and has printed so much
 */

/**
 * A session whose agent has ended, in a project of its own.
 * @typedef {object} Conversation
 * @property {string} project
 * @property {string} id
 * @property {string} next the stream of a further turn
 */

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
    return value;
  };
}

/**
 * @param {import('./place.js').Place} place
 * @returns {Corpora}
 */
export function createCorpora(place) {
  const sessions = kept((/** @type {number} */ count) => {
    const project = place.directory(`${count} sessions`);
    writeSessions(project, count);
    settleDisk();
    return project;
  });

  const long = kept((/** @type {Size} */ size) => {
    const project = place.directory(`turn of ${size}`);
    const written = writeLongSession(project, SIZES[size]);
    settleDisk();
    return { project, ...written };
  });

  const conversation = kept((/** @type {Size} */ size) => {
    const project = place.directory(`conversation of ${size}`);
    createStore(project);
    const next = join(place.directory('streams'), 'next');
    writeFileSync(next, shortStream());
    const threads = join(place.directory('home'), '.codex', 'sessions', '2026', '01', '01');
    mkdirSync(threads, { recursive: true });
    // Without the agent's own record of it, the conversation would be told anew.
    writeFileSync(join(threads, `rollout-2026-01-01T00-00-00-${THREAD}.jsonl`), '');
    const first = { ...place, env: { ...place.env, BENCH_STREAM: long(size).events } };
    const id = run(first, zwarm(project, 'start', '-q', 'print all of it')).trim();
    run(place, zwarm(project, 'wait', id));
    settleDisk();
    return { project, id, next };
  });

  const running = kept(async (/** @type {Size} */ size) => {
    const { events, open } = long(size);
    const project = place.directory(`running, ${size}`);
    createStore(project);
    const { directory } = await startSession(place, project);
    const printed = join(directory, 'events.jsonl');
    copyFileSync(events, printed);
    truncateSync(printed, open);
    settleDisk();
    return project;
  });

  return { sessions, long, conversation, running };
}

/** What is still on its way to the disk would disturb what is measured. */
function settleDisk() {
  execFileSync('sync');
}
