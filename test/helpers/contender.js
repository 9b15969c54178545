// A process of its own that has zwarm's library loaded and does what it is told (contenders.ts): a verb at a time
// costs no start of Node then, and several of them really race.
//
//   contender.js PATH-OF-INDEX.JS
//
// {seq, place: {cwd, env}, verb, args} is answered by {seq, code: 'ok', value} or {seq, code, message}.
// {seq, follow: {cwd, env}, task, gate} starts a task and shows its session until it has ended, and twice more; answered
// like a verb by {status, exit_code, signal, errors, ends}. A gate is opened when the session was seen running.
// {watch: {cwd, env}, late, rest} begins reading everything in a loop, each round answered by {rounds}; {unwatch: true}
// ends it, answered by {rounds, errors, ends}: see Seen and watch there.

import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** @typedef {{ cwd: string, env: Record<string, string | undefined> }} Place */

/** @type {typeof import('../../src/index.ts')} */
const { openSessions } = await import(pathToFileURL(process.argv[2] ?? '').href);

/** @type {Readonly<Record<string, number>>} */
const RANK = { pending: 0, running: 1, completed: 2, failed: 2, killed: 2, lost: 2 };

/** @param {string} status */
const isOver = (status) => RANK[status] === 2;

/**
 * Remembers what a reader has seen of turns, and notes what no reader may ever see. `late`: a runner may come so late
 * that its turn already counts as lost. @param {boolean} late
 */
function createWitness(late) {
  /** @type {Map<string, string>} */
  const statuses = new Map();
  /** @type {Set<string>} */
  const gone = new Set();
  /** @type {string[]} */
  const errors = [];
  let ends = 0;
  return {
    seen: () => ({ errors, ends }),
    /** Something else that cannot be. @param {string} error */
    fail(error) {
      errors.push(error);
    },
    /** A turn was shown. @param {string} id @param {number | null} turn @param {string} status */
    saw(id, turn, status) {
      const before = statuses.get(`${id} ${turn}`);
      const rank = RANK[status];
      // A runner that comes after its turn was called off lives for a moment, and then records that nothing ran.
      if (late && status === 'running' && (before === 'killed' || before === 'lost')) return;
      const over = late && before === 'lost' ? 1 : (RANK[before ?? ''] ?? -1);
      if (gone.has(id)) errors.push(`${id} came back, ${status}`);
      if (rank === undefined || turn === null) errors.push(`turn ${turn} of ${id} is ${status}`);
      else if (before !== status && rank <= over) {
        errors.push(`turn ${turn} of ${id} was ${before} and is ${status}`);
      } else if (before !== undefined && before !== status && rank === 2) ends += 1;
      statuses.set(`${id} ${turn}`, status);
    },
    /** A session was said to be gone. @param {string} id */
    missed(id) {
      gone.add(id);
    },
  };
}

/** @param {object} message */
const answer = (message) => process.send?.(message);

/** @param {number} seq @param {Promise<unknown>} doing */
async function answerWith(seq, doing) {
  try {
    answer({ seq, code: 'ok', value: (await doing) ?? null });
  } catch (error) {
    const { code, stack } = /** @type {Error & { code?: string }} */ (error);
    // Without a code it is no error that zwarm promises: its name is none that a test allows.
    answer({ seq, code: code ?? 'no code', message: String(stack) });
  }
}

/** @param {{ place: Place, verb: string, args: unknown[] }} task */
async function act({ place, verb, args }) {
  const verbs = /** @type {Record<string, (...args: unknown[]) => Promise<unknown>>} */ (
    /** @type {unknown} */ (openSessions(place))
  );
  return verbs[verb]?.(...args);
}

/** Reads every session by itself. @param {Place} place @param {ReturnType<typeof createWitness>} witness */
async function readAll(place, witness) {
  const sessions = openSessions(place);
  for (const { id, turn, status } of await sessions.list({ all: true })) {
    witness.saw(id, turn, status);
    try {
      for (const { turn, status, prompt } of (await sessions.get(id)).turns) {
        witness.saw(id, turn, status);
        // The tests end each of their messages so: a piece of one is none.
        if (!prompt?.endsWith('.')) witness.fail(`the message of turn ${turn} of ${id} is ${prompt}`);
      }
    } catch (error) {
      // Removed since the list.
      if (/** @type {{ code?: string }} */ (error).code !== 'not_found') throw error;
      witness.missed(id);
    }
  }
}

/** Shows a session all the time while it runs and ends. @param {{ follow: Place, task: string, gate: string | null }} request */
async function follow({ follow: place, task, gate }) {
  const sessions = openSessions(place);
  const witness = createWitness(false);
  const { id } = await sessions.start({ task });
  for (let ended = 0; ; ) {
    const { turn, status, exit_code, signal } = await sessions.get(id);
    witness.saw(id, turn, status);
    if (status === 'running' && gate !== null) writeFileSync(gate, '');
    if (isOver(status)) ended += 1;
    if (ended === 3) return { status, exit_code, signal, ...witness.seen() };
    await sleep(1);
  }
}

let watching = false;

/** @param {Place} place @param {{ late: boolean, rest: number }} options */
async function watch(place, { late, rest }) {
  const witness = createWitness(late);
  let rounds = 0;
  watching = true;
  while (watching) {
    const began = performance.now();
    try {
      await readAll(place, witness);
    } catch (error) {
      witness.fail(String(/** @type {Error} */ (error).stack));
    }
    rounds += 1;
    answer({ rounds });
    // The others need the processor too.
    await sleep(rest * (performance.now() - began));
  }
  answer({ rounds, ...witness.seen() });
}

process.on('message', (/** @type {any} */ message) => {
  if (message.watch) void watch(message.watch, message);
  else if (message.unwatch) watching = false;
  else void answerWith(message.seq, message.follow ? follow(message) : act(message));
});
answer({ ready: true });
