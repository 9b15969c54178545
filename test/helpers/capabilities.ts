import { readFileSync } from 'node:fs';

/** The bits of capabilities(7): root in a container often lacks them. */
const BITS = { SYS_ADMIN: 21n, SYS_TIME: 25n, MKNOD: 27n } as const;

/** Whether these tests may do what a capability of Linux allows. */
export function hasCapability(name: keyof typeof BITS): boolean {
  if (process.platform !== 'linux') return false;
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  return ((BigInt(`0x${effective}`) >> BITS[name]) & 1n) === 1n;
}
