import { expect } from 'vitest';

// toMatchObject takes a bare RegExp for an object without fields, which every value matches.
expect.addEqualityTesters([
  (actual, expected) => {
    if (!(expected instanceof RegExp) || actual instanceof RegExp) return undefined;
    throw new TypeError(`${expected} is compared with no text: write expect.stringMatching(${expected})`);
  },
]);
