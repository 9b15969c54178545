import { expect, test } from 'vitest';
import { SESSION_STATUSES } from '../../../src/core/session.ts';
import { createStyle, paintStatus, wantsColour } from '../../../src/render/style.ts';
import { longSpan, shortBytes, shortCount, shortSpan } from '../../../src/render/units.ts';
import { plain } from '../../helpers/display.ts';

// The environment, and whether it means colours on a terminal and in a pipe.
test.each<[Record<string, string>, boolean, boolean]>([
  [{}, true, false],
  [{ TERM: 'xterm-256color' }, true, false],
  [{ NO_COLOR: '1' }, false, false],
  [{ NO_COLOR: '0' }, false, false],
  [{ NO_COLOR: '' }, true, false],
  [{ FORCE_COLOR: '1' }, true, true],
  [{ FORCE_COLOR: '0' }, false, false],
  [{ FORCE_COLOR: 'false' }, false, false],
  [{ FORCE_COLOR: 'true' }, true, true],
  [{ FORCE_COLOR: '' }, true, false],
  [{ CLICOLOR_FORCE: '1' }, true, true],
  [{ CLICOLOR_FORCE: '0' }, false, false],
  [{ FORCE_COLOR: '0', CLICOLOR_FORCE: '1' }, false, false],
  [{ CLICOLOR: '0' }, false, false],
  [{ CLICOLOR: '1' }, true, false],
  [{ TERM: 'dumb' }, false, false],
  [{ TERM: 'dumb', FORCE_COLOR: '1' }, true, true],
  [{ CLICOLOR: '0', CLICOLOR_FORCE: '1' }, true, true],
  [{ NO_COLOR: '1', FORCE_COLOR: '1', CLICOLOR_FORCE: '1' }, false, false],
])('colours with %j: on a terminal %s, in a pipe %s', (env, terminal, pipe) => {
  expect([wantsColour(env, true), wantsColour(env, false)]).toEqual([terminal, pipe]);
});

test('every status is its own word, in a colour or without', () => {
  const style = (env: Record<string, string>): Parameters<typeof paintStatus>[1] =>
    createStyle(env, { isTTY: true, columns: 80 }, 0);
  for (const status of SESSION_STATUSES) {
    expect(paintStatus(status, style({ NO_COLOR: '1' }))).toBe(status);
    const painted = paintStatus(status, style({}));
    expect(painted).toMatch(/^\x1b\[\d+m/);
    expect(plain(painted)).toBe(status);
  }
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
test.each<[number, string, string]>([
  [-5000, '0s', '0.0s'],
  [0, '0s', '0.0s'],
  [940, '1s', '0.9s'],
  [9949, '10s', '9.9s'],
  [9999, '10s', '9.9s'],
  [10_000, '10s', '10s'],
  [59_400, '59s', '59s'],
  [59_600, '1m', '59s'],
  [65_000, '1m', '1m 05s'],
  [59 * MINUTE + 59_000, '59m', '59m 59s'],
  [HOUR, '1h', '1h 00m'],
  [23 * HOUR + 5 * MINUTE, '23h', '23h 05m'],
  [24 * HOUR, '1d', '24h 00m'],
  [100 * 24 * HOUR, '100d', '2400h 00m'],
])('%d ms: %s ago, for %s', (ms, short, long) => {
  expect([shortSpan(ms), longSpan(ms)]).toEqual([short, long]);
});

test.each<[number, string]>([
  [0, '0'],
  [999, '999'],
  [12_345, '12,345'],
  [999_999, '999,999'],
  [1_000_000, '1.0M'],
  [1_234_567, '1.2M'],
  [987_654_321, '987.7M'],
])('the count %d is %s', (count, text) => {
  expect(shortCount(count)).toBe(text);
});

test.each<[number, string]>([
  [0, '0 B'],
  [1, '1 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [1500, '1.5 kB'],
  [999_949, '999.9 kB'],
  [999_999, '1.0 MB'],
  [1_500_000, '1.5 MB'],
  [2e9, '2.0 GB'],
  [3e12, '3.0 TB'],
  [4e15, '4000.0 TB'],
])('%d bytes are %s', (bytes, text) => {
  expect(shortBytes(bytes)).toBe(text);
});
