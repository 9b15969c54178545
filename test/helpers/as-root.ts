import { readFileSync } from 'node:fs';
import { type TestFunction, test } from 'vitest';

/** Whether the tests run as root, who alone can give files away, mount file systems and become somebody else. */
export const IS_ROOT = process.getuid?.() === 0;

/** Does something as a user whom permissions bind: as somebody else where we are root, to whom nothing is closed. */
export function boundByPermissions(act: () => void): void {
  if (IS_ROOT) process.seteuid?.(65_534);
  try {
    act();
  } finally {
    if (IS_ROOT) process.seteuid?.(0);
  }
}

/** What even root may lack in a container. */
export interface Need {
  readonly what: string;
  readonly met: boolean;
}

const ROOT: Need = { what: 'root', met: IS_ROOT };

/** The bits of capabilities(7). */
const BITS = { SYS_ADMIN: 21n, SYS_TIME: 25n, MKNOD: 27n } as const;

/** A capability of Linux as a need. */
export function capability(name: keyof typeof BITS): Need {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  return { what: `the capability ${name}`, met: ((BigInt(`0x${effective}`) >> BITS[name]) & 1n) === 1n };
}

/** A test that only root can run, perhaps with something more; where it cannot run it is skipped, and one line says so. */
export function testAsRoot(name: string, body: TestFunction, more = ROOT): void {
  const lacking = [ROOT, more].find(({ met }) => !met);
  if (lacking !== undefined) process.stderr.write(`not run, as it needs ${lacking.what}: ${name}\n`);
  test(name, { tags: ['root'], skip: lacking !== undefined }, body);
}
