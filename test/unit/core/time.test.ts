import { expect, test } from 'vitest';
import { isoTime, parseDuration, parseIso } from '../../../src/core/time.ts';

test.each<[string, number]>([
  ['45s', 45_000],
  ['10m', 600_000],
  ['2h', 7_200_000],
  ['7d', 604_800_000],
  ['90', 90_000],
  ['0', 0],
  ['1.5s', 1500],
  ['0.25h', 900_000],
])('the duration %s', (text, ms) => {
  expect(parseDuration(text, '--timeout')).toBe(ms);
});

test.each([
  '',
  '-1',
  'x',
  '1 m',
  '1m30s',
  '1e3',
  '.5',
  '5.',
  '10ms',
  '1w',
  'Infinity',
  'NaN',
  '9999999999',
  '5s\n',
])('%j is no duration, and the message names the option', (text) => {
  expect(() => parseDuration(text, '--timeout')).toThrow(expect.objectContaining({ code: 'usage' }));
  expect(() => parseDuration(text, '--timeout')).toThrow(/^--timeout: /);
});

test('times are UTC with milliseconds, and only such a text is one', () => {
  expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(parseIso('2026-11-20T10:29:16.821916Z')).toBe(Date.UTC(2026, 10, 20, 10, 29, 16, 821));
  expect(parseIso('2026-11-20T10:29:16Z')).toBe(Date.UTC(2026, 10, 20, 10, 29, 16));
  const bad = [
    null,
    '',
    '2026',
    '2026-11-20',
    '2026-11-20T10:29:16',
    '2026-11-20T10:29:16+01:00',
    'yesterday',
  ];
  expect([...bad, '2026-13-20T10:29:16Z', '2026-11-20T99:29:16Z'].map(parseIso)).toEqual(
    new Array(bad.length + 2).fill(null),
  );
});

test('the time of a file that was set to the year 318857, or before 1970, is still a time', () => {
  for (const ms of [9_999_999_999_999_000, -1]) expect(parseIso(isoTime(ms))).not.toBeNull();
});
