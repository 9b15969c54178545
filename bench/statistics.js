// What many measurements come to. Medians, because one pause of the machine must not move the result.

/**
 * @param {readonly number[]} values at least one, in any order
 * @param {number} q from 0, the smallest, to 1, the largest; between two values it is taken from both
 * @returns {number}
 */
export function quantile(values, q) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  if (low === undefined || high === undefined) throw new RangeError('no values');
  return low + (high - low) * (at - Math.floor(at));
}

/**
 * @param {readonly number[]} values
 * @returns {number}
 */
export function median(values) {
  return quantile(values, 0.5);
}

/**
 * The ratios of pairs that were measured one right after the other: what slows the machine down slows both.
 * @param {readonly (readonly [a: number, b: number])[]} pairs
 * @returns {number[]}
 */
export function ratiosOf(pairs) {
  return pairs.map(([a, b]) => a / b);
}

/**
 * Whether a target is met, and by how many percent it is missed.
 * @param {number} measured
 * @param {number} atMost
 * @returns {{ met: boolean, missed_percent: number }}
 */
export function verdictOf(measured, atMost) {
  const met = measured <= atMost;
  return { met, missed_percent: met ? 0 : Math.max(1, Math.round((measured / atMost - 1) * 100)) };
}
