import { appendFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchDirectories, watchDirectory } from '../../../src/store/watch.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

test('a change wakes a watch, but not one of a file that it was told to ignore', async () => {
  const directory = emptyDirectory();
  const watched = watchDirectory(directory, ['events.jsonl']);
  const seen = new Promise((resolve) => {
    const witness = watch(directory, () => {
      witness.close();
      resolve(null);
    });
  });
  let woken = false;
  const next = watched.next(60_000, new AbortController().signal).then(() => {
    woken = true;
  });
  appendFileSync(join(directory, 'events.jsonl'), 'talk\n');
  await seen;
  await setImmediate();
  expect(woken).toBe(false);
  writeFileSync(join(directory, 'exit.json'), '{}');
  await next;
  watched.close();
});

test('of directories that come and go, a new one counts as changed, and one that is watched no more tells nothing', async () => {
  const [first, second] = [emptyDirectory(), emptyDirectory()];
  const watched = watchDirectories();
  const changes = async () => {
    await watched.next(60_000, new AbortController().signal);
    return [...watched.changed()];
  };
  watched.follow(new Set([first]));
  expect(await changes()).toEqual([first]);
  watched.follow(new Set([first, second]));
  expect(await changes()).toEqual([second]);
  watched.follow(new Set([second]));
  for (const directory of [first, second]) writeFileSync(join(directory, 'exit.json'), '{}');
  expect(await changes()).toEqual([second]);
  watched.close();
});
