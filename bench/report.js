// What a run comes to: as data, and as a table in Markdown.

import { median, quantile, ratiosOf, verdictOf } from './statistics.js';

/** @typedef {import('./targets.js').Target} Target */
/** @typedef {import('./rows.js').Measured} Measured */

/**
 * One line of the report. `measured` is the median, and half of what was measured lies between `low` and `high`.
 * @typedef {object} Line
 * @property {string} name
 * @property {string} what
 * @property {string | null} against
 * @property {number} at_most
 * @property {string} unit
 * @property {'met' | 'missed' | 'not compared' | 'left out' | 'failed'} verdict
 * @property {string | null} why
 * @property {number | null} measured
 * @property {number | null} low
 * @property {number | null} high
 * @property {number} rounds
 * @property {string | null} medians of zwarm, and of its baseline, with their unit
 */

/** @param {number} value */
const short = (value) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

/**
 * @param {Target} target
 * @param {Measured | { kind: 'failed', why: string }} measured
 * @returns {Line}
 */
export function lineOf({ name, what, against, atMost, unit }, measured) {
  const target = { name, what, against, at_most: atMost, unit };
  const none = { measured: null, low: null, high: null, rounds: 0, medians: null };
  if (measured.kind === 'left out' || measured.kind === 'failed') {
    return { ...target, verdict: measured.kind, why: measured.why, ...none };
  }
  if (measured.kind === 'values' && unit === 'ratio') {
    const { values } = measured;
    const why = 'its baseline is not installed';
    const medians = `${short(median(values))} ms`;
    return { ...target, verdict: 'not compared', why, ...none, rounds: values.length, medians };
  }
  const values = measured.kind === 'pairs' ? ratiosOf(measured.pairs) : measured.values;
  const middle = median(values);
  const { met, missed_percent: missed } = verdictOf(middle, atMost);
  const both =
    measured.kind === 'pairs' ? [0, 1].map((i) => median(measured.pairs.map((pair) => pair[i] ?? 0))) : [];
  return {
    ...target,
    verdict: met ? 'met' : 'missed',
    why: met ? null : `by ${missed} %`,
    measured: middle,
    low: quantile(values, 0.25),
    high: quantile(values, 0.75),
    rounds: values.length,
    medians: measured.kind === 'pairs' ? `${both.map(short).join(' / ')} ${measured.unit}` : null,
  };
}

/** @param {Line} line */
function cells({ what, against, at_most, unit, measured, low, high, rounds, medians, verdict, why }) {
  const of = unit === 'ratio' ? '' : ` ${unit}`;
  const spread = low === null || high === null ? '–' : `${short(low)} – ${short(high)}`;
  return [
    what,
    against ?? '–',
    `${at_most}${of}`,
    measured === null ? '–' : `${short(measured)}${of}`,
    spread,
    medians ?? '–',
    String(rounds),
    why === null ? verdict : `${verdict}: ${why}`,
  ];
}

const HEAD = ['what', 'against', 'at most', 'measured', 'half of them', 'medians', 'rounds', 'verdict'];

/**
 * @param {readonly Line[]} lines
 * @returns {string} with a newline at the end
 */
export function tableOf(lines) {
  const body = lines.map(cells);
  const widths = HEAD.map((head, i) => Math.max(head.length, ...body.map((row) => row[i]?.length ?? 0)));
  /** @param {readonly string[]} row */
  const print = (row) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |\n`;
  return print(HEAD) + print(widths.map((width) => '-'.repeat(width))) + body.map(print).join('');
}

/**
 * @param {import('./machine.js').Machine} machine
 * @returns {string} with a newline at the end
 */
export function machineLine({ cpu, cores, memory_gb, kernel, node, file_system, load }) {
  const parts = [`${cores} × ${cpu}`, `${memory_gb} GB`, kernel, `Node ${node}`, file_system];
  return `${parts.join(', ')}; load ${load.toFixed(1)}\n`;
}
