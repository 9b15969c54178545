import { expect, test } from 'vitest';
import { shortBytes } from '../../../src/core/bytes.ts';
import { SESSION_STATUSES } from '../../../src/core/status.ts';
import { shortSpan } from '../../../src/core/time.ts';
import { createStyle, paintStatus, wantsColour } from '../../../src/render/style.ts';
import { longSpan, shortCount } from '../../../src/render/text/units.ts';
import { plain } from '../../helpers/display.ts';

test('whether there are colours: the environment, then on a terminal, then in a pipe', () => {
  const table: readonly [Record<string, string>, boolean, boolean][] = [
    [{}, true, false],
    [{ TERM: 'xterm-256color', NO_COLOR: '', CLICOLOR: '1', FORCE_COLOR: '' }, true, false],
    [{ NO_COLOR: '0' }, false, false],
    [{ NO_COLOR: '1', FORCE_COLOR: '1', CLICOLOR_FORCE: '1' }, false, false],
    [{ FORCE_COLOR: '1' }, true, true],
    [{ FORCE_COLOR: 'true' }, true, true],
    [{ FORCE_COLOR: '0', CLICOLOR_FORCE: '1' }, false, false],
    [{ FORCE_COLOR: 'false' }, false, false],
    [{ CLICOLOR_FORCE: '0' }, false, false],
    [{ CLICOLOR: '0' }, false, false],
    [{ TERM: 'dumb' }, false, false],
    [{ TERM: 'dumb', FORCE_COLOR: '1' }, true, true],
    [{ CLICOLOR: '0', CLICOLOR_FORCE: '1' }, true, true],
  ];
  for (const [env, ...wanted] of table)
    expect([env, wantsColour(env, true), wantsColour(env, false)]).toEqual([env, ...wanted]);
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

test('numbers as people read them', () => {
  const seconds = [-5, 0, 0.94, 9.949, 9.999, 10, 59.4, 59.6, 65, 3599, 3600, 83_100, 86_400, 8_640_000];
  expect(seconds.map((s) => s * 1000).map((ms) => `${shortSpan(ms)} ${longSpan(ms)}`)).toEqual([
    ...['0s 0.0s', '0s 0.0s', '1s 0.9s', '10s 9.9s', '10s 9.9s', '10s 10s', '59s 59s', '1m 59s', '1m 1m 05s'],
    ...['59m 59m 59s', '1h 1h 00m', '23h 23h 05m', '1d 24h 00m', '100d 2400h 00m'],
  ]);
  expect([0, 999, 9999, 12_345, 999_949, 999_950, 1e6, 1_234_567, 987_654_321].map(shortCount)).toEqual(
    '0 999 9,999 12.3k 999.9k 1.0M 1.0M 1.2M 987.7M'.split(' '),
  );
  expect([0, 999, 1000, 1500, 999_949, 999_999, 1.5e6, 2e9, 3e12, 4e15].map(shortBytes)).toEqual([
    ...['0 B', '999 B', '1.0 kB', '1.5 kB', '999.9 kB', '1.0 MB', '1.5 MB', '2.0 GB', '3.0 TB', '4000.0 TB'],
  ]);
});
