import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import {
  amount,
  count,
  decode,
  decodeOrNull,
  flag,
  isoTime,
  lenient,
  oneOfOr,
  orNull,
  type Schema,
} from '../../../src/core/decode.ts';

const person = z.object({
  name: z.string(),
  age: count,
  tags: z.array(z.string()),
  origin: orNull(z.object({ turn: count })),
  kind: z._default(z.enum(['a', 'b']), 'a'),
});

const refuse = (problem: string): Error => new Error(problem);

const whole = { name: 'Ada', age: 36, tags: ['a'], origin: null, kind: 'b' };

test('a value of the wanted shape is taken, without what the schema does not name', () => {
  expect(decode(person, { ...whole, tomorrow: 1 }, refuse)).toEqual(whole);
  expect(decodeOrNull(person, whole)).toEqual(whole);
});

test.each<[value: unknown, problem: string]>([
  [undefined, 'the value is missing'],
  [[], 'the value is not of type object'],
  [{ ...whole, age: undefined }, 'field age is missing'],
  [{ ...whole, age: '36' }, 'field age is not of type number'],
  [{ ...whole, age: 1.5 }, 'field age is not of type int'],
  [{ ...whole, age: -1 }, 'field age is not valid'],
  [{ ...whole, tags: ['a', 5] }, 'field tags[1] is not of type string'],
  [{ ...whole, origin: { turn: 'x' } }, 'field origin.turn is not of type number'],
  [{ ...whole, kind: 'c' }, 'field kind is not one of a, b'],
])('of %j it says what is wrong and where', (value, problem) => {
  expect(() => decode(person, value, refuse)).toThrow(new Error(problem));
  expect(decodeOrNull(person, value)).toBeNull();
});

test('nothing is looked at behind the first mistake in a list', () => {
  const looked: unknown[] = [];
  const never = z.custom<string>((value) => looked.push(value) === 0);
  expect(() => decode(z.array(never), [1, 2, 3], refuse)).toThrow('field [0] is not valid');
  expect(looked).toEqual([1]);
});

test.each<[what: string, schema: Schema<unknown>, good: unknown[], bad: unknown[]]>([
  ['count', count, [0, 5, 2 ** 53 - 1], [-1, 1.5, 2 ** 53, Number.NaN, '5', null]],
  ['amount', amount, [0, 1.25], [-1, Number.POSITIVE_INFINITY, Number.NaN, '1']],
  ['isoTime', isoTime, ['2026-11-20T10:00:00.000Z', '2026-11-20T10:00:00Z'], ['2026-11-20', 'x', 5, null]],
])('%s', (_, schema, good, bad) => {
  expect(good.map((value) => decodeOrNull(schema, value))).toEqual(good);
  expect(bad.filter((value) => decodeOrNull(schema, value) !== null)).toEqual([]);
});

test('what is absent, or not known, has a value that stands for it', () => {
  const schema = z.object({ a: orNull(count), b: oneOfOr(['x', 'y'], 'y'), c: flag, d: lenient(count) });
  for (const odd of [{}, { a: null, b: 'z', c: 'yes', d: 'one' }])
    expect(decodeOrNull(schema, odd)).toEqual({ a: null, b: 'y', c: false, d: null });
  const known = { a: 1, b: 'x', c: true, d: 1 };
  expect(decodeOrNull(schema, known)).toEqual(known);
  expect(decodeOrNull(schema, { a: 'one' })).toBeNull();
});
