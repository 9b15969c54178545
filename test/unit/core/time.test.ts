import { expect, test } from 'vitest';
import { isoTime, parseDuration, parseIso } from '../../../src/core/time.ts';

test('durations', () => {
  const texts = ['45s', '10m', '2h', '7d', '90', '0', '1.5s', '0.25h'];
  expect(texts.map((text) => parseDuration(text, '--timeout') / 1000)).toEqual([
    45, 600, 7200, 604_800, 90, 0, 1.5, 900,
  ]);
});

test.each([
  ...['', '-1', 'x', '1 m', '1m30s', '1e3', '.5', '5.', '10ms', '1w'],
  ...['Infinity', 'NaN', '9999999999', '5s\n'],
])('%j is no duration, and the message names the option', (text) => {
  const error = { code: 'usage', message: expect.stringMatching(/^--timeout: /) };
  expect(() => parseDuration(text, '--timeout')).toThrow(expect.objectContaining(error));
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
  const none = [...bad, '2026-13-20T10:29:16Z', '2026-11-20T99:29:16Z'].filter(
    (text) => parseIso(text) === null,
  );
  expect(none).toHaveLength(bad.length + 2);
});

test('the time of a file that was set to the year 318857, or before 1970, is still a time', () => {
  for (const ms of [9_999_999_999_999_000, -1]) expect(parseIso(isoTime(ms))).not.toBeNull();
});
