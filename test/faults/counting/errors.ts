import { test } from 'vitest';
import { failAtEachCall } from './loop.ts';
import type { Fault } from './plan.ts';
import { VERBS } from './verbs.ts';

/** The tests of one kind of failure: a file of its own for each, so that they run side by side. */
export function testErrors(kind: Exclude<Fault['kind'], 'SIGKILL'>): void {
  for (const verb of Object.keys(VERBS)) {
    test(`${verb}, ${kind} once: whichever call fails, the truth is told`, () =>
      failAtEachCall(verb, kind, false));
    test(`${verb}, ${kind} from there on: whichever call fails, the truth is told`, () =>
      failAtEachCall(verb, kind, true));
  }
}
