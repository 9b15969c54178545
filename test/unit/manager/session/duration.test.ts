import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openConversation } from '../../../../src/manager/session/read-session.ts';
import { computeRow } from '../../../../src/manager/session/session-summary.ts';
import { claimTurn } from '../../../../src/store/claim.ts';
import { createStoredSession, DEAD, ID, requestOf, runnerStat } from '../../../helpers/store.ts';

/** When the turns of this session began (ms since the epoch). */
const BEGAN = Date.parse('2026-11-20T10:00:00.000Z');

/** What is known of a turn: uptimes in seconds, times in ms after `BEGAN`; without an end it is gone. */
interface Known {
  readonly began?: number | null;
  readonly ended?: number | null;
  readonly startedMs?: number;
  readonly endedMs?: number;
}

/** The duration of a session with these turns. */
async function durationOf(...turns: Known[]): Promise<number | null | undefined> {
  const store = createStoredSession();
  for (const [i, { began = null, ended = null, startedMs = 0, endedMs }] of turns.entries()) {
    const turn = { store, id: ID, turn: i + 1 };
    if (i > 0) claimTurn(turn, { request: requestOf(`n${i}`), prompt: Buffer.from('x') });
    const write = (name: string, text: string, ms: number): void => {
      const path = join(store.root, 'sessions', ID, 'turns', String(turn.turn), name);
      writeFileSync(path, text);
      utimesSync(path, (BEGAN + ms) / 1000, (BEGAN + ms) / 1000);
    };
    write('runner.stat', runnerStat(DEAD, began), startedMs);
    if (endedMs === undefined) continue;
    const how = { code: 0, why: null, detail: null, cancelled: false, ended_at: null, events_bytes: null };
    write('exit.json', JSON.stringify({ v: 1, ...how, uptime: ended }), endedMs);
  }
  const nowMs = BEGAN + 86_400_000;
  const { summary, turns: shown } = await openConversation({ store, id: ID }, nowMs);
  const row = await computeRow({ store, id: ID }, nowMs);
  // The page adds up what it says of each turn.
  const known = shown.flatMap(({ view }) => view.duration_ms ?? []);
  const sum = known.length === 0 ? null : known.reduce((all, ms) => all + ms, 0);
  expect([summary.duration_ms, sum]).toEqual([row?.duration_ms, row?.duration_ms]);
  return row?.duration_ms;
}

// The clock of the machine may be set while an agent works: that of its boot cannot.
test.each<[string, Known[], number | null]>([
  ['by the clock of the boot', [{ began: 10, ended: 12.5, endedMs: 99_000 }], 2500],
  ['by it, however short', [{ began: 10, ended: 10, endedMs: 99_000 }], 0],
  ['unknown, where it ended in another boot', [{ began: 5000, ended: 12, endedMs: 99_000 }], null],
  ['by the clock of the day, where the beginning is not known', [{ ended: 12, endedMs: 3000 }], 3000],
  ['by the clock of the day, where the end is not known', [{ began: 12, endedMs: 3000 }], 3000],
  ['nothing, where the two are a millisecond apart', [{ endedMs: -1 }], 0],
  ['unknown, where the clock was set back', [{ endedMs: -2 }], null],
  ['unknown, where there is no end', [{ began: 10 }], null],
  [
    'the sum of all turns',
    [
      { began: 10, ended: 12, endedMs: 0 },
      { began: 20, ended: 23, endedMs: 0 },
    ],
    5000,
  ],
  [
    'the sum of those that are known',
    [
      { began: 5000, ended: 12, endedMs: 0 },
      { began: 20, ended: 23, endedMs: 0 },
    ],
    3000,
  ],
])('the duration of a session is %s', async (_, turns, expected) => {
  expect(await durationOf(...turns)).toBe(expected);
});
