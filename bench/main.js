// `npm run bench [-- WORD… --quick]`: measures what zwarm costs, and compares it with the budgets.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { parseArgs } from 'node:util';
import { BUDGETS } from './budgets.js';
import { createGround, removeGround } from './ground.js';
import { FULL, median, QUICK, ratioOf } from './measure.js';
import { createSessions } from './sessions.js';

/** @typedef {import('./budgets.js').Budget} Budget */

const { values: options, positionals: words } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});

const ground = createGround();
process.on('exit', () => removeGround(ground));
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => process.exit(130));
const bench = { ground, sessions: createSessions(ground), effort: options.quick ? QUICK : FULL };

/** @param {string} name of a program, or a path */
const isThere = (name) =>
  name.startsWith('/') ? existsSync(name) : spawnSync('which', [name], { stdio: 'ignore' }).status === 0;

/** Measures one row: the cells of the table. @param {Budget} budget */
async function measure(budget) {
  const unit = budget.unit === 'ratio' ? '' : ` ${budget.unit}`;
  /** @type {(measured: string, verdict: string) => readonly string[]} */
  const cells = (measured, verdict) => [
    ...[budget.what, budget.against ?? '–', `${budget.atMost}${unit}`],
    ...[measured, verdict],
  ];
  if (options.quick && budget.quick === false) return cells('–', 'not with --quick');
  if (budget.needs !== undefined && !isThere(budget.needs)) return cells('–', `needs ${budget.needs}`);
  try {
    const value =
      budget.unit === 'ratio' ? ratioOf(await budget.measure(bench)) : median(await budget.measure(bench));
    return cells(`${value.toFixed(2)}${unit}`, value <= budget.atMost ? 'met' : 'missed');
  } catch (error) {
    return cells('–', `failed: ${error instanceof Error ? error.message : error}`);
  }
}

const chosen = BUDGETS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (chosen.length === 0) throw new Error(`no row has ${words.join(' or ')} in its name`);
const load = loadavg()[0]?.toFixed(1);
const machine = `${cpus().length} × ${cpus()[0]?.model}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}`;
console.log(`${machine}, Node ${process.version}; load ${load}\n`);
console.log('| what | against | at most | measured | verdict |\n| --- | --- | --- | --- | --- |');
for (const budget of chosen) {
  const cells = await measure(budget);
  console.log(`| ${cells.join(' | ')} |`);
  if (/^(missed|failed)/.test(cells.at(-1) ?? '')) process.exitCode = 1;
}
