import { test } from 'vitest';
import { failAtEachCall } from './loop.ts';
import type { Fault } from './plan.ts';
import { VERBS } from './verbs.ts';

type Kind = Exclude<Fault['kind'], 'SIGKILL'>;

/** How long each lasts: a full disk stays full, and a bad sector is one. */
const LASTS: Readonly<Record<Kind, 'once' | 'from there on'>> = {
  ENOSPC: 'from there on',
  EMFILE: 'from there on',
  EIO: 'once',
  EACCES: 'once',
};

/** The tests of one kind of failure: a file of its own for each, so that they run side by side. */
export function testErrors(kind: Kind): void {
  for (const verb of Object.keys(VERBS)) {
    test(`${verb}, ${kind} ${LASTS[kind]}: whichever call fails, the truth is told`, () =>
      failAtEachCall(verb, kind, LASTS[kind] === 'from there on'));
  }
}
