import { join } from 'node:path';
import { expect, test } from 'vitest';
import { besideAReader, codesOf, openPool, type Race } from './race.ts';

const CONTENDERS = 4;
const pool = openPool(CONTENDERS);

/** How turns end by themselves, and what is said of it for ever. */
const ENDS = [
  ['quick', { status: 'completed', exit_code: 0, signal: null }],
  ['break', { status: 'failed', exit_code: 1, signal: null }],
  ['exit 3', { status: 'failed', exit_code: 3, signal: null }],
  ['die', { status: 'failed', exit_code: null, signal: 'SIGKILL' }],
  ['gate', { status: 'completed', exit_code: 0, signal: null }],
] as const;

const wordOf = (i: number) => ENDS[i % ENDS.length] ?? ENDS[0];

async function endAll(race: Race, count: number): Promise<void> {
  const { base, place, manager } = race;
  let ends = 0;
  const follow = async (i: number): Promise<void> => {
    const [word, expected] = wordOf(i);
    const gate = word === 'gate' ? join(base, `gate-${i}`) : null;
    const task = `${gate === null ? word : `gate ${gate}`}\n${i}.`;
    const outcome = await pool.contender(i).follow(place, task, gate);
    codesOf([outcome], ['ok']);
    expect(outcome.value).toMatchObject({ ...expected, errors: [] });
    ends += outcome.value?.ends ?? 0;
  };
  const lanes = await Promise.allSettled(
    Array.from({ length: CONTENDERS }, async (_, first) => {
      for (let i = first; i < count; i += CONTENDERS) await follow(i);
    }),
  );
  for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason;
  expect(ends, 'turns that were seen running, and then ended').toBeGreaterThanOrEqual(count / ENDS.length);
  const rows = await manager.list({ all: true });
  expect(rows).toHaveLength(count);
  for (const row of rows) expect(row).toMatchObject(wordOf(Number(row.task?.split('\n')[1]))[1]);
}

test('of two hundred turns that end by themselves none is ever shown as something else afterwards', () =>
  besideAReader(pool, (race) => endAll(race, 200), { rest: 2 }));
