import { readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { namesIn } from '../counting/verbs.ts';
import { besideAReader, codesOf, openPool, type Race } from './race.ts';

/*
 * Sessions that are started at once, each contender with several of its own.
 */

const pool = openPool(8);

/** Starts one session for each task, all at once; each must succeed, and each agent must run once. */
async function startAll(race: Race, tasks: readonly string[]): Promise<void> {
  const { manager, place, prompts, root } = race;
  const outcomes = await Promise.all(
    tasks.map((task, k) => pool.contender(k).call(place, 'start', { task })),
  );
  codesOf(outcomes, ['ok']);
  const ids = outcomes.flatMap(({ value }) => (value === null ? [] : [value.id]));
  for (const [k, id] of ids.entries()) {
    expect(await manager.wait(id)).toBe('completed');
    expect(readFileSync(join(root, 'sessions', id, 'turns', '1', 'prompt.md'), 'utf8')).toBe(tasks[k]);
  }
  expect((await manager.list({ all: true })).map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect([...prompts()].sort()).toEqual([...tasks].sort());
  expect(namesIn(root, 'sessions')).toEqual([...ids].sort());
}

test('of fifty starts at once each has its own session, and each agent runs once', () =>
  besideAReader(pool, (race) =>
    startAll(
      race,
      Array.from({ length: 50 }, (_, k) => `quick\ntask ${k}.`),
    ),
  ));

test.each(Array.from({ length: 6 }, (_, i) => i + 1))(
  'eight first starts at once in a fresh project make one store (%i)',
  () =>
    besideAReader(pool, async (race) => {
      const { root, state } = race;
      await startAll(
        race,
        Array.from({ length: 8 }, (_, k) => `quick\nfirst ${k}.`),
      );
      expect(namesIn(state, 'projects')).toEqual([basename(root)]);
      expect(namesIn(root)).toEqual(['format', 'names', 'project.json', 'sessions', 'trash']);
      expect(readlinkSync(join(race.directory, '.zwarm', 'sessions'))).toBe(join(root, 'sessions'));
    }),
);
