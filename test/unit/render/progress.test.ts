import { expect, test } from 'vitest';
import type { SessionSummary } from '../../../src/core/session.ts';
import { renderProgress } from '../../../src/render/progress.ts';
import { createStyle } from '../../../src/render/style.ts';
import { columnsOf, plain } from '../../helpers/display.ts';
import { summaryOf } from '../../helpers/views.ts';

const STEPS: readonly (string | null)[] = [
  null,
  '',
  'x'.repeat(500),
  'x'.repeat(30) + '漢'.repeat(30),
  '👩‍👩‍👧'.repeat(30),
  'x\n'.repeat(2_000_000),
  'two\nlines\tand \x1b[2J\x07',
];

const NAMES = [null, 'docs', 'a-name-that-is-rather-long-for-a-line'];

const progress = (more: Partial<SessionSummary> = {}) =>
  summaryOf({ status: 'running', turn_started_at: '2026-11-20T10:00:00.000Z', current_step: null, ...more });

const HELD = { reason: 'hold', detail: 'codex: spent; when that is mended: zwarm queue run' } as const;

const now = (ms: number): number => Date.parse('2026-11-20T10:00:00.000Z') + ms;

test.each([20, 30, 40, 41, 60, 80, 200])(
  'on %i columns it is one line, whatever the agent did last',
  (columns) => {
    for (const current_step of STEPS)
      for (const elapsed of [0, 65_000, 9e8])
        for (const name of NAMES)
          for (const others of [0, 3, 1000]) {
            const style = createStyle({ FORCE_COLOR: '1' }, { isTTY: true, columns }, now(elapsed));
            const line = renderProgress(progress({ current_step, name }), others, style);
            expect(columnsOf(line), plain(line)).toBeLessThan(columns);
            expect(plain(line)).toMatch(/^(abcdefghjk|docs|a-name-that-is-…)[^\x00-\x1f\x7f-\x9f]*$/);
            if (others > 0 && columns >= 30) expect(plain(line)).toMatch(/ · \d+ more$/);
          }
  },
);

test('it shows name or id, status, time, the last step, and how many more are waited for', () => {
  const style = createStyle({ NO_COLOR: '1' }, { isTTY: true, columns: 40 }, now(65_000));
  const line = (one: Parameters<typeof progress>[0], others = 0) =>
    renderProgress(progress(one), others, style);
  expect([
    line({}),
    line({ current_step: 'Looking\nround' }),
    line({ current_step: '**Look** at it' }),
    line({ current_step: 'glob a/**/b/**' }),
    line({ name: 'docs', current_step: '$ npm test' }),
    line({ name: 'docs', current_step: '$ npm test' }, 2),
    line({ current_step: '$ npm test' }, 2),
    line({ name: 'a-name-that-is-too-long', current_step: '$ npm test' }, 12),
    line({ status: 'pending', turn_started_at: null, pending: { ...HELD, not_before: null } }),
  ]).toMatchInlineSnapshot(`
    [
      "abcdefghjk running 1m 05s",
      "abcdefghjk running 1m 05s  Looking rou…",
      "abcdefghjk running 1m 05s  Look at it",
      "abcdefghjk running 1m 05s  glob a/**/b…",
      "docs running 1m 05s  $ npm test",
      "docs running 1m 05s  $ npm t…  · 2 more",
      "abcdefghjk running 1m 05s  · 2 more",
      "a-name-that-is-… 1m 05s  · 12 more",
      "abcdefghjk pending  codex: spent; when…",
    ]
  `);
});
