// The same random numbers in every run: two runs measure the same files.

/**
 * A generator of numbers from 0 up to, not including, 1 (the one known as mulberry32).
 * @typedef {() => number} Random
 */

/**
 * @param {number} seed
 * @returns {Random}
 */
export function randomOf(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * @template T
 * @param {Random} random
 * @param {readonly [T, ...T[]] | readonly T[]} choices at least one
 * @returns {T}
 */
export function oneOf(random, choices) {
  return /** @type {T} */ (choices[Math.floor(random() * choices.length)]);
}
