import { expect, test } from 'vitest';
import { isoTime, parseDuration, parseIso, writtenMs } from '../../../src/core/time.ts';

test('durations, and what is none', () => {
  const texts = ['45s', '10m', '2h', '7d', '90', '0', '1.5s', '0.25h'];
  const seconds = [45, 600, 7200, 604_800, 90, 0, 1.5, 900];
  expect(texts.map((text) => parseDuration(text, '--timeout') / 1000)).toEqual(seconds);
  const error = { code: 'usage', message: expect.stringMatching(/^--timeout: /) };
  const bad = '|-1|x|1 m|1m30s|1e3|.5|5.|10ms|1w|Infinity|NaN|9999999999|5s\n'.split('|');
  for (const text of bad)
    expect(() => parseDuration(text, '--timeout'), text).toThrow(expect.objectContaining(error));
});

test('times are UTC with milliseconds, and only such a text is one', () => {
  expect(isoTime(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(parseIso('2026-11-20T10:29:16.821916Z')).toBe(Date.UTC(2026, 10, 20, 10, 29, 16, 821));
  expect(parseIso('2026-11-20T10:29:16Z')).toBe(Date.UTC(2026, 10, 20, 10, 29, 16));
  const days = ['', '2026', '2026-11-20', 'yesterday'];
  const hours = ['', '+01:00'].map((zone) => `2026-11-20T10:29:16${zone}`);
  const none = [
    null,
    ...days,
    ...hours,
    'x2026-11-20T10:29:16Z',
    '2026-13-20T10:29:16Z',
    '2026-11-20T99:29:16Z',
  ];
  expect(none.filter((text) => parseIso(text) !== null)).toEqual([]);
});

test('the time of a file that was set to the year 318857, or before 1970, is still a time', () => {
  for (const ms of [9_999_999_999_999_000, -1]) expect(parseIso(isoTime(ms))).not.toBeNull();
});

test('when a record was written its file says, unless that is ten seconds away from the record', () => {
  expect([null, 0, 10_000, 10_001, 30_000].map((recorded) => writtenMs(20_000, recorded))).toEqual([
    20_000, 0, 20_000, 20_000, 20_000,
  ]);
  expect([9999, 30_001].map((recorded) => writtenMs(20_000, recorded))).toEqual([9999, 30_001]);
});
