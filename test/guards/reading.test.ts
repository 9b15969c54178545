import { appendFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { beginLines, messageLine, randomOf, stepLines } from '../../bench/streams.js';
import { createProject, eventually, SHELL_AGENT } from '../helpers/project.ts';
import { probe } from './probe.ts';

/* How much of a stream is read where only its end counts. */

test('how a huge turn stands is told from its two ends', async () => {
  const project = createProject();
  project.env['ZWARM_CODEX_BIN'] = SHELL_AGENT;
  const id = await project.start(['hang']);
  await eventually('the agent runs', () => project.runs().length === 1);
  const events = project.turnFile(id, 1, 'events.jsonl');
  const random = randomOf(1);
  const steps = Array.from({ length: 2000 }, (_, i) => stepLines(random, i)).join('');
  appendFileSync(events, beginLines('01a1f880-cca3-79a3-8778-5ecb9fbaa773'));
  for (let i = 0; i < 10; i += 1) appendFileSync(events, steps);
  appendFileSync(events, messageLine('item_9', 'So far so good.'));
  expect(statSync(events).size).toBeGreaterThan(20_000_000);
  for (const args of [['ls', '--json'], ['ls']]) {
    // biome-ignore format: pairs
    const { read, stdout } = await probe(project, args);
    expect(stdout).toContain('running');
    if (args.includes('--json')) expect(stdout).toContain('So far so good.');
    expect(read[events], args.join(' ')).toBeGreaterThan(0);
    expect(read[events], args.join(' ')).toBeLessThan(200_000);
  }
});
