import { type TestFunction, test } from 'vitest';
import { hasCapability } from './capabilities.ts';

/** Whether the tests run as root, who alone can give files away, mount file systems and become somebody else. */
export const IS_ROOT = process.getuid?.() === 0;

/** What even root may lack in a container. */
export interface Need {
  readonly what: string;
  readonly met: boolean;
}

const ROOT: Need = { what: 'root', met: IS_ROOT };

/** A capability of Linux as a need. */
export function capability(name: Parameters<typeof hasCapability>[0]): Need {
  return { what: `the capability ${name}`, met: hasCapability(name) };
}

/** A test that only root can run, perhaps with something more; where it cannot run it is skipped, and one line says so. */
export function testAsRoot(name: string, body: TestFunction, more = ROOT): void {
  const lacking = [ROOT, more].find(({ met }) => !met);
  if (lacking !== undefined) process.stderr.write(`not run, as it needs ${lacking.what}: ${name}\n`);
  test(name, { tags: ['root'], skip: lacking !== undefined }, body);
}
