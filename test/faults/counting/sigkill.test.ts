import { test } from 'vitest';
import { killAtEachCall } from './loop.ts';
import { VERBS } from './verbs.ts';

test.each(Object.keys(VERBS))('%s, killed before each of its calls: nothing is lost', (verb) =>
  killAtEachCall(verb),
);
