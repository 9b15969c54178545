import { expect, test } from 'vitest';
import type { Check, CheckStatus } from '../../../src/core/check.ts';
import { renderChecks } from '../../../src/render/doctor.ts';
import { createStyle } from '../../../src/render/style.ts';
import { columnsOf, plain } from '../../helpers/display.ts';

function check(status: CheckStatus, message: string, hint: string | null = null): Check {
  return { name: 'subject', status, message, hint };
}

function rendered(checks: readonly Check[], columns: number, env: Record<string, string> = {}): string {
  return renderChecks(checks, columns, createStyle(env, { isTTY: false, columns }, 0));
}

test('each check has its line, with what to do below it, and the last line adds up', () => {
  const checks = [
    check('ok', 'fine'),
    check('note', 'so it is', 'if you mind'),
    check('warning', 'hm', 'do this'),
    check('failed', 'broken', 'do that'),
    check('skipped', 'nothing there'),
  ];
  expect(rendered(checks, 80)).toBe(`ok       subject: fine
note     subject: so it is
         hint: if you mind
warning  subject: hm
         hint: do this
failed   subject: broken
         hint: do that

1 failed, 1 warning (1 skipped)
`);
});

test.each<[CheckStatus[], string]>([
  [['ok', 'note'], 'all is well'],
  [['ok', 'skipped', 'skipped'], 'all is well (2 skipped)'],
  [['warning', 'warning'], '2 warnings'],
  [['failed', 'failed', 'warning'], '2 failed, 1 warning'],
])('%j comes to %s', (statuses, verdict) => {
  const checks = statuses.map((status) => check(status, ''));
  expect(rendered(checks, 80).trimEnd().split('\n').at(-1)).toBe(verdict);
});

test.each([40, 80, 200])('on %i columns every line fits, whatever the letters', (columns) => {
  const long = 'words 日本語 🎉 and words '.repeat(12);
  const page = rendered([check('warning', long, long), check('failed', long)], columns, { FORCE_COLOR: '1' });
  for (const line of plain(page).split('\n')) expect(columnsOf(line), line).toBeLessThanOrEqual(columns);
  expect(page).toContain('\u001b[31mfailed');
  const said = plain(page).replace(/\s+/g, ' ');
  expect(said).toContain(`warning subject: ${long}hint: ${long}failed subject: ${long}`);
});

test('a path stays whole, so that it can be copied, and a pipe gets one line for one message', () => {
  const path = `/home/ann/${'deep/'.repeat(20)}file`;
  expect(rendered([check('ok', `found in ${path} today`)], 40)).toContain(
    `\n         ${path}\n         today`,
  );
  const words = 'word '.repeat(100).trim();
  const [line] = rendered([check('ok', words)], Number.POSITIVE_INFINITY).split('\n');
  expect(line).toBe(`ok       subject: ${words}`);
});

test('nothing of what a program or a file name says can drive a terminal', () => {
  const nasty = '\u001b]0;owned\u0007\u001b[2J\u009b1m\u202eevil\r\n\u2028x';
  const page = rendered([check('failed', nasty, nasty)], 80);
  expect(page).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]/);
  expect(page.split('\n')).toHaveLength(5);
});
