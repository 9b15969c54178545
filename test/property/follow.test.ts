import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codex } from '../../src/agents/codex/index.ts';
import { createStepList } from '../../src/core/conversation/step-list.ts';
import type { Step } from '../../src/core/conversation/steps.ts';
import { followLines, readLines } from '../../src/store/read-forward.ts';
import { emptyDirectory } from '../helpers/directory.ts';
import { foldWhole } from '../helpers/fold.ts';
import { fc, recordedStreams } from '../helpers/fuzz.ts';

test('in whatever portions an agent prints, whoever follows comes to the steps of the whole turn', async () => {
  const path = join(emptyDirectory(), 'events.jsonl');
  const streams = recordedStreams().filter(({ bytes }) => bytes.length > 0 && bytes.length < 100_000);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...streams),
      fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 20, size: 'max' }),
      async ({ bytes }, sizes) => {
        writeFileSync(path, '');
        const follower = followLines(path, { block: 512, longest: 1 << 20 });
        const parse = await codex.loadParser(null);
        const list = createStepList();
        const steps: Step[] = [];
        const read = (ended: boolean): void => {
          for (const line of follower.read({ limit: null, ended })) {
            for (const event of parse(line)) {
              const change = list.add(event);
              if (change !== null) steps[change.index] = change.step;
            }
          }
        };
        for (let from = 0, i = 0; from < bytes.length; i += 1) {
          const size = sizes[i % sizes.length] ?? 1;
          appendFileSync(path, bytes.subarray(from, from + size));
          from += size;
          read(false);
        }
        read(true);
        for (const { index, step } of list.interrupted()) steps[index] = step;
        const whole = await codex.loadParser(null);
        const events = [...readLines(path, { limit: null, ended: true })].flatMap((line) => [...whole(line)]);
        expect(steps.slice(0, list.length())).toEqual(foldWhole(events, true).steps);
      },
    ),
  );
});
