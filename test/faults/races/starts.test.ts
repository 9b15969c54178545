import { readFileSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { namesIn } from '../counting/verbs.ts';
import { besideAReader, codesOf, openPool } from './race.ts';

const pool = openPool(8);

test.each([50, 8, 8, 8, 8, 8, 8])(
  'of %i first starts at once each has its own session in one store',
  (count) =>
    besideAReader(pool, async ({ directory, manager, place, prompts, root, state }) => {
      const tasks = Array.from({ length: count }, (_, k) => `quick\ntask ${k}.`);
      const outcomes = await Promise.all(
        tasks.map((task, k) => pool.contender(k).call(place, 'start', { task })),
      );
      codesOf(outcomes, ['ok']);
      const ids = outcomes.flatMap(({ value }) => value?.id ?? []);
      for (const [k, id] of ids.entries()) {
        expect(await manager.wait(id)).toBe('completed');
        expect(readFileSync(join(root, 'sessions', id, 'turns', '1', 'prompt.md'), 'utf8')).toBe(tasks[k]);
      }
      ids.sort();
      expect((await manager.list({ all: true })).map(({ id }) => id).sort()).toEqual(ids);
      expect([...prompts()].sort()).toEqual([...tasks].sort());
      expect(namesIn(root, 'sessions')).toEqual(ids);
      expect(namesIn(state, 'projects')).toEqual([basename(root)]);
      expect(namesIn(root)).toEqual(['format', 'names', 'project.json', 'sessions', 'trash', 'writers']);
      expect(readlinkSync(join(directory, '.zwarm', 'sessions'))).toBe(join(root, 'sessions'));
    }),
);
