#!/usr/bin/env node
// Takes each protection of protections.js out of a copy of the repository, one at a time, and runs the tests that must
// notice: first all of them pass, then each has to turn red. `npm run test:mutations [WORD…]` takes only those whose name holds a word.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { PROTECTIONS } from './protections.js';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const copy = mkdtempSync(join(tmpdir(), 'zwarm-mutations-'));
const wanted = process.argv.slice(2);
const protections = PROTECTIONS.filter(
  ({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)),
);

/**
 * Builds the copy and runs some of its tests. A copy that does not build is no test of a protection: an error.
 * @param {readonly string[]} tests
 * @returns {string | null} the first test that failed, null when all passed
 */
function firstFailure(tests) {
  const options = { cwd: copy, encoding: /** @type {const} */ ('utf8'), maxBuffer: 1 << 28 };
  const built = spawnSync(process.execPath, ['build.js'], options);
  if (built.status !== 0) throw new Error(`the copy does not build:\n${built.stdout}${built.stderr}`);
  for (const project of ['fast', 'e2e', 'faults']) {
    const paths = tests.filter((path) => (/^test\/(e2e|faults)\//.exec(path)?.[1] ?? 'fast') === project);
    if (paths.length === 0) continue;
    const args = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      project,
      '--bail=1',
      '--maxWorkers=2',
    ];
    const ended = spawnSync(process.execPath, [...args, ...paths], options);
    if (ended.status === 0) continue;
    const output = stripVTControlCharacters(ended.stdout + ended.stderr);
    return /(?:FAIL|×) .*/.exec(output)?.[0] ?? output.trim().split('\n').slice(-1).join('');
  }
  return null;
}

let missed = 0;
try {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: repository, encoding: 'utf8' });
  for (const file of files.split('\0').filter((path) => path !== '')) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(repository, file), join(copy, file));
  }
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));
  // What nothing uses any more must not be what stops the build.
  const config = join(copy, 'tsconfig.json');
  writeFileSync(config, readFileSync(config, 'utf8').replace(/("noUnused\w+": )true/g, '$1false'));

  const failing = firstFailure([...new Set(protections.flatMap(({ tests }) => tests))]);
  if (failing !== null) throw new Error(`with nothing taken out, a test fails: ${failing}`);

  for (const { name, file, from, to, tests } of protections) {
    const whole = readFileSync(join(copy, file), 'utf8');
    if (whole.split(from).length !== 2) throw new Error(`${name}: ${file} does not hold the protection once`);
    writeFileSync(
      join(copy, file),
      whole.replace(from, () => to),
    );
    const failure = firstFailure(tests);
    writeFileSync(join(copy, file), whole);
    if (failure === null) missed += 1;
    console.log(failure === null ? `NOT NOTICED  ${name}` : `noticed      ${name}: ${failure}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = missed === 0 ? 0 : 1;
