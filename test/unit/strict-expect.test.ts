import { expect, test } from 'vitest';

test.each<[what: string, compare: () => void]>([
  ['an object', () => expect({ text: 'anything' }).toMatchObject({ text: /x/ })],
  ['an object that lacks the field', () => expect({ other: 1 }).toMatchObject({ text: /x/ })],
  ['an object in a list', () => expect([{ text: 'x' }]).toMatchObject([{ text: /x/ }])],
  ['an object within an object', () => expect({ a: { b: 'x' } }).toMatchObject({ a: { b: /x/ } })],
  ['an object that contains', () => expect({ a: 'x' }).toEqual(expect.objectContaining({ a: /x/ }))],
])('a bare RegExp cannot be the expectation of %s', (_, compare) => {
  expect(compare).toThrow();
});

test('a RegExp equals itself, and matches texts by its matcher', () => {
  expect({ a: /x/ }).toEqual({ a: /x/ });
  expect({ a: 'xy' }).toMatchObject({ a: expect.stringMatching(/x/) });
});
