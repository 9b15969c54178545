import { appendFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchDirectory } from '../../../src/store/watch.ts';
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
