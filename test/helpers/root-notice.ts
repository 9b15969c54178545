import { type TestFunction, test } from 'vitest';

/** Whether the tests run as root, who alone can give files away, mount file systems and become somebody else. */
export const IS_ROOT = process.getuid?.() === 0;

/** A test that only root can run; for everybody else it is skipped, and one line says so. */
export function testAsRoot(name: string, body: TestFunction): void {
  if (!IS_ROOT) process.stderr.write(`not run, as it needs root: ${name}\n`);
  test.runIf(IS_ROOT)(name, body);
}
