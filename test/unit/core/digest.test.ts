import { expect, test } from 'vitest';
import type { SessionId } from '../../../src/core/ids.ts';
import { digestSection, sleptOf } from '../../../src/core/rules/digest.ts';
import type { PendingReason } from '../../../src/core/rules/queue.ts';
import type { SessionSummary } from '../../../src/core/session.ts';
import { summaryOf } from '../../helpers/views.ts';

const SINCE = '2026-01-31T00:00:00.000Z';
const [BEFORE, LATER] = ['2026-01-30T23:00:00.000Z', '2026-01-31T09:00:00.000Z'];

const failure = (code: string, retryable = false, retry_at: string | null = null) => ({
  status: 'failed' as const,
  error: { code, message: `${code}!`, hint: null, retryable, retry_at },
});
const waits = (reason: PendingReason, not_before: string | null = null) => ({
  status: 'pending' as const,
  pending: { reason, detail: `${reason}!`, not_before },
});

/** What is known of a session, whether something wakes what waits for a time, and where the session stands. */
const TABLE: readonly (readonly [what: string, Partial<SessionSummary>, isWoken: boolean, string | null])[] =
  [
    ['what runs, however old', { status: 'running', updated_at: BEFORE }, false, 'running'],
    ['what has completed', {}, false, 'done'],
    ['what has completed before', { updated_at: BEFORE }, false, null],
    ['what somebody stopped', { status: 'killed' }, false, 'stopped'],
    [
      'a failure that nobody has seen',
      { ...failure('exit_code'), needs_attention: true },
      false,
      'needs_you',
    ],
    ['one that somebody has seen', { ...failure('exit_code'), needs_attention: false }, false, 'failed'],
    ['one of which that is not known', { ...failure('exit_code'), needs_attention: null }, false, 'failed'],
    [
      'one that a second try may mend',
      { ...failure('overloaded', true), needs_attention: true },
      false,
      'failed',
    ],
    ['what was lost, unseen', { status: 'lost', needs_attention: true }, false, 'needs_you'],
    ['what was lost before', { status: 'lost', updated_at: BEFORE, needs_attention: true }, false, null],
    ['what nobody can judge from here', { status: 'unknown', updated_at: BEFORE }, false, 'needs_you'],
    ['what is damaged, without a time', { status: 'damaged', updated_at: null }, false, 'needs_you'],
    ['what waits for a slot', waits('slot'), false, 'waiting'],
    ['what waits for another session', waits('after'), false, 'waiting'],
    ['what waits for one that failed', waits('failed_dependency'), true, 'needs_you'],
    ['what nothing starts', waits('queue'), true, 'needs_you'],
    ['a hold until a time, with a waker', waits('hold', LATER), true, 'waiting'],
    ['the same without one', waits('hold', LATER), false, 'needs_you'],
    ['a hold that has no end by itself', waits('hold'), true, 'needs_you'],
  ];

test.each(TABLE)('%s', (_, more, isWoken, section) => {
  const row = summaryOf({ updated_at: SINCE, ...more });
  expect(digestSection(row, { sinceMs: Date.parse(SINCE), isWoken })).toBe(section);
});

test('what slept is told by agent: since when, until when, what failed and what waits', () => {
  const row = (id: string, more: Partial<SessionSummary>) => summaryOf({ id: id as SessionId, ...more });
  const rows = [
    row('a', { ...failure('usage_limit', true, SINCE), ended_at: LATER }),
    row('b', { ...failure('usage_limit', true, LATER), ended_at: BEFORE }),
    row('c', waits('hold', SINCE)),
    row('d', { agent: 'claude', ...waits('hold') }),
    row('e', failure('exit_code')),
    row('f', waits('slot')),
  ];
  expect(sleptOf(rows)).toEqual([
    {
      ...{ agent: 'codex', message: 'usage_limit!', since: BEFORE, until: LATER },
      ...{ failed: ['a', 'b'], waiting: ['c'] },
    },
    { agent: 'claude', message: 'hold!', since: null, until: null, failed: [], waiting: ['d'] },
  ]);
  expect(sleptOf([])).toEqual([]);
});
