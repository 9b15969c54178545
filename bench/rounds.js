// How often something is measured, and in which order.

import { setImmediate as turn } from 'node:timers/promises';

/**
 * @typedef {object} Effort
 * @property {number} least rounds
 * @property {number} most rounds
 * @property {number} seconds after which no further round begins, once the least are done
 * @property {AbortSignal} interrupted after which none begins at all
 */

/** @typedef {Omit<Effort, 'interrupted'>} Amount */

/** @type {Amount} */
export const FULL = { least: 5, most: 25, seconds: 20 };
/** @type {Amount} */
export const QUICK = { least: 3, most: 11, seconds: 4 };

/**
 * What each round measured. A round before the first warms the caches and does not count.
 * @template T
 * @param {Effort} effort
 * @param {(round: number) => T | Promise<T>} measure
 * @returns {Promise<T[]>}
 */
export async function rounds({ least, most, seconds, interrupted }, measure) {
  await measure(0);
  const results = [];
  const deadline = performance.now() + seconds * 1000;
  while (results.length < least || (results.length < most && performance.now() < deadline)) {
    // Nothing hears of a signal while a program is waited for.
    await turn();
    interrupted.throwIfAborted();
    results.push(await measure(results.length));
  }
  return results;
}

/**
 * Pairs of A and B, measured one right after the other; each of them comes first every other time.
 * @param {Effort} effort
 * @param {() => number | Promise<number>} a
 * @param {() => number | Promise<number>} b
 * @returns {Promise<(readonly [a: number, b: number])[]>}
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
