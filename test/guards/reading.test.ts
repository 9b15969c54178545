import { appendFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { beginLines, messageLine, randomOf, stepLines } from '../../bench/streams.js';
import { createShellProject } from '../helpers/shell-project.ts';
import { probe } from './probe.ts';

/* How much of a stream is read where only its end counts. */

test('how a huge turn stands is told from its two ends', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  const events = project.turnFile(id, 1, 'events.jsonl');
  const random = randomOf(1);
  const steps = Array.from({ length: 2000 }, (_, i) => stepLines(random, i)).join('');
  appendFileSync(events, beginLines('01a1f880-cca3-79a3-8778-5ecb9fbaa773'));
  for (let i = 0; i < 10; i += 1) appendFileSync(events, steps);
  appendFileSync(events, messageLine('item_9', 'So far so good.'));
  expect(statSync(events).size).toBeGreaterThan(20_000_000);
  const { read, stdout } = await probe(project, ['ls', '--json']);
  expect(stdout).toMatch(/running[\s\S]*So far so good\./);
  expect(read[events]).toBeGreaterThan(0);
  expect(read[events]).toBeLessThan(200_000);
});
