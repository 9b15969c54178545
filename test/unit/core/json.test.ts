import { expect, test } from 'vitest';
import { parseJson } from '../../../src/core/json.ts';

const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`;

test('every value is read, whatever it begins with, and with any white space around it', () => {
  for (const text of ['null', 'true', 'false', '0', '9.5', '-1', '""', '"a"', '[1]', '{"a":1}']) {
    for (const padded of [text, ` \t\r\n${text} `]) expect(parseJson(padded)).toEqual(JSON.parse(text));
  }
});

test.each<[string, string]>([
  ['brackets, commas and quotes within a text', JSON.stringify(`${'[{,'.repeat(200_000)}"\\"`)],
  ['a quote within a text, with brackets behind it', JSON.stringify(`"x${'['.repeat(1000)}`)],
  ['backslashes before the end of a text', JSON.stringify(['\\'.repeat(1001), `${'\\"'.repeat(1001)}[`])],
  ['lists 500 deep', lists(500)],
  ['objects 500 deep', objects(500)],
  ['side by side, not within one another', `[${'[[]],'.repeat(2000)}0]`],
  ['half a million values', `[${'0,'.repeat(499_998)}0]`],
])('%s is read', (_, text) => {
  expect(JSON.stringify(parseJson(text))).toBe(text);
});

test.each<[string, string]>([
  ['nothing', ''],
  ['no JSON', '{"a":'],
  ['what begins as no JSON', 'x'.repeat(1000)],
  ['white space that JSON does not know', '\u00a01'],
  ['a text that does not end', `"${'x'.repeat(1000)}`],
  ['a text that ends in a backslash', `"${'x'.repeat(1000)}\\`],
  ['lists deeper than 500', lists(501)],
  ['objects deeper than 500', objects(501)],
  ['the same behind a text that ends in a backslash', `["\\\\",${lists(501)},"x"]`],
  ['lists a million deep', lists(1_000_000)],
  ['only opening brackets', '['.repeat(1_000_000)],
  ['more than half a million values', `[${'0,'.repeat(500_000)}0]`],
  ['more than half a million empty lists', `[${'[],'.repeat(300_000)}0]`],
])('%s is undefined', (_, text) => {
  expect(parseJson(text)).toBeUndefined();
});
