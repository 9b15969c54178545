import { fileURLToPath } from 'node:url';

/** What the sources import to change the machine, and what they get here. */
export const SYSCALLS = /^\.\.?\/(\.\.\/)*syscalls\.ts$/;
export const COUNTING_SYSCALLS = fileURLToPath(new URL('./counting/syscalls.ts', import.meta.url));
