// A reporter of vitest for `.ci/run`: a line for each file that passed, and what failed at once, as it is known. What
// `.ci/summary.mjs` needs is written down at the same moment, so that a run that is cut off tells it, too.

import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/**
 * One line of the file that TEST_NOTES names. `ready`, `passed`, `skipped` and `failed` are about a test, or (`failed`
 * alone) about a suite, a file or a whole run that threw outside of its tests; `ended` is the last line of a run.
 * @typedef {{
 *   event: 'ready' | 'passed' | 'skipped' | 'failed' | 'ended',
 *   id: string,
 *   project: string,
 *   file: string,
 *   name: string,
 *   forRoot?: boolean,
 *   ms?: number,
 *   limitMs?: number,
 *   byLimit?: boolean,
 *   error?: string[],
 * }} Note
 */

/** @typedef {import('vitest/node').TestCase['module']} Module */
/**
 * @typedef {{ file: string, line: number, column: number }} Frame
 * @typedef {{ name?: string, message?: string, diff?: string, stack?: string, stacks?: Frame[] }} Thrown
 */

/** How vitest and `eventually` say that a limit was reached. */
const BY_LIMIT = /^(?:(?:Test|Hook) timed out in \d+ ?ms|waited \d+ s in vain)/;

const MOST_LINES = 12;
const MOST_COLUMNS = 200;

/**
 * The first line of our own files in a stack, which vitest has not taken apart where no test was running.
 * @param {Thrown} thrown
 */
function placeIn({ stack = '', stacks }) {
  const told = /^ +at (?:.*\()?(?:file:\/\/)?(\/.*?:\d+:\d+)\)?$/gm;
  const frames =
    stacks?.map(({ file, line, column }) => `${file}:${line}:${column}`) ??
    Array.from(stack.matchAll(told), ([, frame = '']) => frame);
  const ours = frames.find((frame) => !frame.includes('/node_modules/'));
  return ours === undefined ? [] : [`at ${relative('.', ours)}`];
}

/**
 * The first lines of an error, and where in our own files it was thrown.
 * @param {unknown} thrown
 * @returns {string[]}
 */
function linesOf(thrown) {
  const error = /** @type {Thrown} */ (thrown ?? {});
  const name = error.name === undefined || error.name === 'Error' ? '' : `${error.name}: `;
  const text = `${name}${error.message ?? thrown}\n${error.diff ?? ''}`;
  const lines = stripVTControlCharacters(text).split('\n');
  return [
    ...lines
      .filter((line) => line.trim() !== '')
      .slice(0, MOST_LINES)
      .map((line) => line.slice(0, MOST_COLUMNS)),
    ...placeIn(error),
  ];
}

/**
 * What failed, as a block of lines.
 * @param {Note} note
 */
export function blockOf({ project, file, name, ms, limitMs, error = [] }) {
  const took = ms === undefined ? '' : ` (${seconds(ms)}${limitMs ? ` of ${seconds(limitMs)}` : ''})`;
  return [
    `✗ ${[project, file, name].filter(Boolean).join(' · ')}${took}`,
    ...error.map((line) => `    ${line}`),
  ];
}

/** @param {number} ms */
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;

/** @param {Note} fields */
function note(fields) {
  appendFileSync(process.env['TEST_NOTES'] ?? '/dev/null', `${JSON.stringify(fields)}\n`);
}

/** @param {Note} fields */
function failed(fields) {
  note(fields);
  say(...blockOf(fields));
}

/** @param {string[]} lines */
const say = (...lines) => process.stdout.write(lines.map((line) => `${line}\n`).join(''));

/**
 * Which test, suite, file or run it is; ids are the same in each run.
 * @param {string} id
 * @param {Module} [module]
 */
const about = (id, module, name = '') => ({
  id,
  project: module?.project.name ?? '',
  file: module?.relativeModuleId ?? '',
  name,
});

/** @param {readonly unknown[]} errors */
function thrown(errors) {
  const { message = '' } = /** @type {Thrown} */ (errors[0] ?? {});
  return { byLimit: BY_LIMIT.test(message), error: linesOf(errors[0]) };
}

export default class Reporter {
  /** @param {import('vitest/node').TestCase} test */
  onTestCaseReady(test) {
    note({ event: 'ready', ...about(test.id, test.module, test.fullName) });
  }

  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    const { state, errors = [] } = test.result();
    if (state === 'pending') return;
    const which = about(test.id, test.module, test.fullName);
    const forRoot = test.tags.includes('root');
    if (state !== 'failed') return note({ event: state, ...which, forRoot });
    const took = { ms: test.diagnostic()?.duration ?? 0, limitMs: test.options.timeout ?? 0 };
    failed({ event: 'failed', ...which, forRoot, ...took, ...thrown(errors) });
  }

  /** @param {Module} module */
  onTestModuleEnd(module) {
    for (const part of [module, ...module.children.allSuites()]) {
      if (part.errors().length === 0) continue;
      const name = part.type === 'module' ? '' : part.fullName;
      failed({ event: 'failed', ...about(part.id, module, name), ...thrown(part.errors()) });
    }
    if (!module.ok()) return;
    const states = [...module.children.allTests()].map((test) => test.result().state);
    const passed = states.filter((state) => state === 'passed').length;
    const skipped = passed === states.length ? '' : `, ${states.length - passed} skipped`;
    const took = seconds(module.diagnostic().duration);
    say(`✓ ${module.project.name} · ${module.relativeModuleId}: ${passed} passed${skipped}, ${took}`);
  }

  /**
   * @param {readonly unknown[]} _
   * @param {readonly unknown[]} errors
   */
  onTestRunEnd(_, errors) {
    for (const [i, error] of errors.entries())
      failed({ event: 'failed', ...about(`run ${i}`, undefined, 'outside of any test'), ...thrown([error]) });
    note({ event: 'ended', ...about('') });
  }
}
