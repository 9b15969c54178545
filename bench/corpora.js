// The projects that are measured, each of them made when it is first asked for.

import { copyFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { launch, wipeOut } from './living.js';
import { zwarm } from './place.js';
import { createStore, writeLongSession, writeSessions } from './store.js';
import { MB } from './streams.js';

/** Turns by the size of their stream. */
const SIZES = {
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
 * @property {(size: Size) => Promise<string>} running a project whose one session runs and has printed so much
 * @property {() => void} close ends what runs
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
  /** @type {(() => void)[]} */
  const ending = [];

  const sessions = kept((/** @type {number} */ count) => {
    const project = place.directory(`${count} sessions`);
    writeSessions(project, count);
    return project;
  });

  const long = kept((/** @type {Size} */ size) => {
    const project = place.directory(`turn of ${size}`);
    return { project, ...writeLongSession(project, SIZES[size]) };
  });

  const running = kept(async (/** @type {Size} */ size) => {
    const { events, open } = long(size);
    const project = place.directory(`running, ${size}`);
    const root = createStore(project);
    const { printed } = await launch(place, zwarm(project, 'start', '-q', 'go on and on'));
    const id = printed.trim();
    ending.push(() => wipeOut(project, id));
    const printedSoFar = join(root, 'sessions', id, 'turns', '1', 'events.jsonl');
    copyFileSync(events, printedSoFar);
    truncateSync(printedSoFar, open);
    return project;
  });

  const close = () => {
    for (const end of ending.splice(0)) end();
  };

  return { sessions, long, running, close };
}
