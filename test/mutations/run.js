#!/usr/bin/env node
// Takes each protection of protections.js out of a copy of the repository, one at a time, and runs the tests that must
// notice: every one of them has to turn red. `npm run test:mutations [WORD…]` takes only those whose name holds a word.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROTECTIONS } from './protections.js';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const copy = mkdtempSync(join(tmpdir(), 'zwarm-mutations-'));
const wanted = process.argv.slice(2);

/** @param {string} file @param {(text: string) => string} change */
function rewrite(file, change) {
  const path = join(copy, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

/** Builds the copy and runs some of its tests; what they printed, and whether they passed. @param {string[]} tests */
function run(tests) {
  const options = { cwd: copy, encoding: /** @type {const} */ ('utf8'), maxBuffer: 1 << 28 };
  const built = spawnSync(process.execPath, ['build.js'], options);
  // A protection that the type checker misses is noticed too.
  if (built.status !== 0) return { passed: false, output: built.stdout + built.stderr };
  const project = tests.some((path) => path.startsWith('test/faults')) ? 'faults' : 'fast';
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', project, '--bail=1', '--maxWorkers=2'];
  const ended = spawnSync(process.execPath, [...args, ...tests], options);
  return { passed: ended.status === 0, output: ended.stdout + ended.stderr };
}

let missed = 0;
try {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: repository, encoding: 'utf8' });
  for (const file of files.split('\0').filter((path) => path !== '')) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(repository, file), join(copy, file));
  }
  symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'));

  for (const { name, file, from, to, tests } of PROTECTIONS) {
    if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) continue;
    const whole = readFileSync(join(copy, file), 'utf8');
    if (whole.split(from).length !== 2) throw new Error(`${name}: ${file} does not hold the protection once`);
    rewrite(file, (text) => text.replace(from, () => to));
    const { passed, output } = run(tests);
    writeFileSync(join(copy, file), whole);
    if (passed) missed += 1;
    const first = /(?:FAIL|×) .*|error TS.*/.exec(output)?.[0] ?? '';
    console.log(`${passed ? 'NOT NOTICED' : 'noticed    '}  ${name}${passed ? '' : `: ${first.trim()}`}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = missed === 0 ? 0 : 1;
