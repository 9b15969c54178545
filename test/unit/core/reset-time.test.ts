import { expect, test } from 'vitest';
import { resetTime } from '../../../src/core/rules/reset-time.ts';

const BERLIN = 'Europe/Berlin';
const NEW_YORK = 'America/New_York';

test.each<[string, string, string | null, string, string | null]>([
  // what it says, when it was said, where, when it ends, in what words
  [
    'a span',
    '2026-11-23T02:00:00Z',
    BERLIN,
    'try again in 4 days 3 hours 5 minutes.',
    '2026-11-27T05:05:00Z',
  ],
  ['a short span', '2026-11-23T02:00:00Z', null, 'Please try again in 1.5s', '2026-11-23T02:00:01.500Z'],
  ['a span after which', '2026-11-23T02:00:00Z', null, 'retry after 30 seconds', '2026-11-23T02:00:30Z'],
  [
    'a date',
    '2026-11-23T02:00:00Z',
    NEW_YORK,
    'or try again at Nov 27th, 2026 3:05 PM.',
    '2026-11-27T20:05:00Z',
  ],
  [
    'the same elsewhere',
    '2026-11-23T02:00:00Z',
    BERLIN,
    'try again at Nov 27th, 2026 3:05 PM.',
    '2026-11-27T14:05:00Z',
  ],
  ['a date without a year', '2026-12-30T02:00:00Z', BERLIN, 'resets Jan 2 at 9am', '2027-01-02T08:00:00Z'],
  ['a date, a comma', '2026-11-23T02:00:00Z', BERLIN, 'resets Dec 3, 8am', '2026-12-03T07:00:00Z'],
  [
    'a time of today',
    '2026-11-23T02:00:00Z',
    BERLIN,
    'You have hit your limit · resets 7am',
    '2026-11-23T06:00:00Z',
  ],
  ['a time of tomorrow', '2026-11-23T22:30:00Z', BERLIN, 'try again at 3:05 AM.', '2026-11-24T02:05:00Z'],
  ['midnight', '2026-11-23T20:30:00Z', BERLIN, 'try again at 12 AM', '2026-11-23T23:00:00Z'],
  ['noon', '2026-11-23T02:30:00Z', BERLIN, 'try again at 12:00 PM', '2026-11-23T11:00:00Z'],
  ['a clock of 24 hours', '2026-11-23T02:30:00Z', BERLIN, 'resets at 23:30', '2026-11-23T22:30:00Z'],
  [
    'a zone of its own',
    '2026-11-23T02:00:00Z',
    NEW_YORK,
    'resets 3pm (Europe/Berlin)',
    '2026-11-23T14:00:00Z',
  ],
  ['no zone at all', '2026-11-23T02:00:00Z', null, 'resets 3pm', '2026-11-23T15:00:00Z'],
  ['the day that has 25 hours', '2026-10-24T20:00:00Z', BERLIN, 'resets 6am', '2026-10-25T05:00:00Z'],
  ['the day that has 23 hours', '2026-03-28T20:00:00Z', BERLIN, 'resets 6am', '2026-03-29T04:00:00Z'],
  ['a time that the clock skips', '2026-03-28T20:00:00Z', BERLIN, 'resets 2:30am', '2026-03-29T01:30:00Z'],
  ['the end of a year', '2026-12-31T23:30:00Z', 'UTC', 'resets 1am', '2027-01-01T01:00:00Z'],
  [
    'seconds since the epoch',
    '2026-11-23T02:00:00Z',
    null,
    'usage limit reached|1795420800',
    '2026-11-23T08:00:00Z',
  ],
  ['the same as a field', '2026-11-23T02:00:00Z', null, '{"resets_at": 1795420800}', '2026-11-23T08:00:00Z'],
  ['this very minute', '2026-11-23T02:30:20Z', 'UTC', 'try again at 2:30 AM.', '2026-11-23T02:30:00Z'],
  ['nothing', '2026-11-23T02:00:00Z', BERLIN, 'You have hit your usage limit.', null],
  ['a time that has passed', '2026-11-23T02:00:00Z', BERLIN, 'try again at Nov 20th, 2026 3:05 PM.', null],
  ['a time too far away', '2026-11-23T02:00:00Z', BERLIN, 'try again at Mar 17th, 2040 5:46 PM.', null],
  ['no month', '2026-11-23T02:00:00Z', BERLIN, 'try again at Foo 17th, 2030 5:46 PM.', null],
  ['no time of day', '2026-11-23T02:00:00Z', BERLIN, 'resets at 29:71', null],
  ['no time zone', '2026-11-23T02:00:00Z', BERLIN, 'resets 3pm (Middle/Earth)', null],
])('when a limit ends: %s', (_, said, zone, message, ends) => {
  const ms = resetTime(message, Date.parse(said), zone);
  expect(ms === null ? null : new Date(ms).toISOString()).toBe(ends && new Date(ends).toISOString());
});
