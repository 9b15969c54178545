import { test } from 'vitest';
import { failAtEachCall } from './loop.ts';
import type { Fault } from './plan.ts';
import { VERBS } from './verbs.ts';

/**
 * The tests of one kind of failure: a file of its own for each, so that they run side by side. `both`: each call fails
 * once, and each fails from there on; else the calls take turns, and the even or the odd ones fail from there on.
 */
export function testErrors(kind: Exclude<Fault['kind'], 'SIGKILL'>, modes: 'both' | 'even' | 'odd'): void {
  for (const verb of Object.keys(VERBS)) {
    if (modes === 'both') {
      test(`${verb}, ${kind} once: whichever call fails, the truth is told`, () =>
        failAtEachCall(verb, kind, () => false));
      test(`${verb}, ${kind} from there on: whichever call fails, the truth is told`, () =>
        failAtEachCall(verb, kind, () => true));
    } else {
      const rest = modes === 'even' ? 0 : 1;
      test(`${verb}, ${kind} once or from there on: whichever call fails, the truth is told`, () =>
        failAtEachCall(verb, kind, (at) => at % 2 === rest));
    }
  }
}
