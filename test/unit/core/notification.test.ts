import { expect, test } from 'vitest';
import {
  desktopText,
  eventsOfEnd,
  isQuiet,
  type NotifiedEvent,
  withoutRepetition,
} from '../../../src/core/rules/notification.ts';
import type { CancelReason, TurnStatus } from '../../../src/core/status.ts';

test.each<[TurnStatus, CancelReason | null, atRest: string, events: string]>([
  ['completed', null, 'at rest', 'finished needs_attention'],
  ['completed', null, 'at rest, seen', 'finished'],
  ['completed', null, 'goes on', 'finished'],
  ['failed', null, 'at rest', 'failed needs_attention'],
  ['lost', 'never-launched', 'goes on', 'lost'],
  ['killed', 'limit', 'at rest', 'failed needs_attention'],
  ['killed', 'kill', 'at rest', ''],
  ['killed', 'interrupt', 'goes on', ''],
  ['killed', 'withdraw', 'at rest', ''],
  ['running', null, 'at rest', ''],
])('a turn that is %s (%s), its session %s: %j', (status, cancel, how, events) => {
  const end = { status, cancel, isAtRest: how.startsWith('at rest'), isSeen: how.endsWith('seen') };
  expect(eventsOfEnd(end).join(' ')).toBe(events);
});

test.each<[hours: string | null, quiet: string, loud: string]>([
  ['22:00-07:00', '22:00 23:59 00:00 06:59', '07:00 21:59 12:00'],
  ['09:30-17:00', '09:30 16:59', '09:29 17:00 00:00'],
  ['00:00-00:00', '00:00 12:00', ''],
  [null, '', '00:00 12:00'],
])('of the quiet hours %s', (hours, quiet, loud) => {
  const isQuietAt = (time: string) => {
    const [hour = 0, minute = 0] = time.split(':').map(Number);
    return isQuiet(hours, hour * 60 + minute);
  };
  const times = (text: string) => text.split(' ').filter((time) => time !== '');
  expect(times(quiet).filter((time) => !isQuietAt(time))).toEqual([]);
  expect(times(loud).filter(isQuietAt)).toEqual([]);
});

const told = (event: NotifiedEvent, id: string, code: string | null = null) => ({
  ...{ event, id, name: id === 'b' ? 'fix-login' : null, agent: 'codex', project: '/p' },
  error: code === null ? null : { code },
});

test('a batch says of an account or a queue once what several turns say; a desktop gets five lines', () => {
  const batch = [
    told('failed', 'a', 'usage_limit'),
    told('held', 'a', 'usage_limit'),
    told('failed', 'b', 'usage_limit'),
    told('held', 'b', 'usage_limit'),
    told('queue_empty', 'c'),
    told('queue_empty', 'd'),
    { ...told('queue_empty', 'd'), project: '/q' },
    told('needs_attention', 'd'),
    told('finished', 'e'),
  ];
  const kept = withoutRepetition(batch);
  expect(kept).toHaveLength(7);
  expect(desktopText(kept)).toMatchInlineSnapshot(`
    "a failed (usage limit)
    codex held
    fix-login failed (usage limit)
    nothing waits in the queue
    nothing waits in the queue
    and 2 more"
  `);
});
