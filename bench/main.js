// `npm run bench [-- WORD… --quick --json FILE]`: measures what zwarm costs against targets.js. The rows whose name
// holds a word, else all; --quick takes two minutes; --json writes the result to a file as well.

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createCorpora } from './corpora.js';
import { describeMachine } from './machine.js';
import { createPlace, removePlace } from './place.js';
import { lineOf, machineLine, tableOf } from './report.js';
import { FULL, QUICK } from './rounds.js';
import { ROWS } from './rows.js';
import { TARGETS } from './targets.js';

/** @typedef {import('./targets.js').Target} Target */

const { values: options, positionals: words } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, json: { type: 'string' } },
  allowPositionals: true,
});

const place = createPlace();
const corpora = createCorpora(place);
const machine = describeMachine(place.base);

// What has begun is ended in order, so that no agent is left behind.
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => interruption.abort());
const effort = { ...(options.quick ? QUICK : FULL), interrupted: interruption.signal };

/**
 * @param {Target} target
 * @returns {Promise<Parameters<typeof lineOf>[1]>}
 */
async function measure({ name, quick }) {
  if (options.quick && !quick) return { kind: 'left out', why: 'not with --quick' };
  const row = ROWS[name];
  if (row === undefined) throw new Error(`nothing measures ${name}`);
  try {
    return await row({ place, corpora, effort });
  } catch (error) {
    return { kind: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
}

const lines = [];
try {
  const chosen = TARGETS.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  if (chosen.length === 0) throw new Error(`no row has ${words.join(' or ')} in its name`);
  for (const target of chosen) {
    const line = lineOf(target, await measure(target));
    if (interruption.signal.aborted) break;
    process.stderr.write(`${line.name}: ${line.verdict}${line.why === null ? '' : `, ${line.why}`}\n`);
    lines.push(line);
  }
} finally {
  removePlace(place);
}

console.log(`${machineLine(machine)}\n${tableOf(lines)}`);
if (options.json !== undefined) {
  writeFileSync(options.json, `${JSON.stringify({ machine, quick: options.quick, rows: lines }, null, 2)}\n`);
}
// A missed target is a result; a row that could not be measured is an error.
if (lines.some(({ verdict }) => verdict === 'failed')) process.exitCode = 1;
if (interruption.signal.aborted) process.exitCode = 130;
