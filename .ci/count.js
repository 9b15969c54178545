// A reporter of vitest: adds a line for each test that has ended, and for each failure outside of tests, to the file
// that TEST_COUNTS names. So what is known is counted also where the tests are cut off.

import { appendFileSync } from 'node:fs';

/** @param {string} line */
const note = (line) => appendFileSync(process.env.TEST_COUNTS ?? '', `${line}\n`);

export default class Counting {
  /** @param {import('vitest/node').TestCase} test */
  onTestCaseResult(test) {
    const { state } = test.result();
    note(state === 'skipped' && test.options.tags?.includes('root') ? `skipped root ${test.fullName}` : state);
  }
  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly unknown[]} errors
   */
  onTestRunEnd(modules, errors) {
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    for (const _ of [...errors, ...suites.flatMap((suite) => suite.errors())]) note('failed');
    note('end');
  }
}
