import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { beginLines, endLine, messageLine, writeStream } from '../../../bench/streams.js';
import { codexSieve } from '../../../src/agents/codex/sieve.ts';
import { createCodexParser } from '../../../src/agents/codex/translate.ts';
import { readOutcome, readTerminal } from '../../../src/manager/glance.ts';
import type { TurnStream } from '../../../src/manager/stream.ts';
import { emptyDirectory } from '../../helpers/directory.ts';

const THREAD = '01a1f880-c978-76c0-be58-213b143ff767';

function streamOf(content: string | null, ended: boolean): TurnStream {
  const path = join(emptyDirectory(), 'events.jsonl');
  if (content !== null) writeFileSync(path, content);
  return { path, range: { limit: null, ended }, parse: createCodexParser('0.169.0'), sieve: codexSieve };
}

/** Bytes that this process has read so far. */
const bytesRead = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

test('how a long turn stands is told by a few of its bytes', () => {
  const stream = streamOf(null, true);
  const { open, bytes } = writeStream(stream.path, { bytes: 15_000_000 });
  const running = { ...stream, range: { limit: open, ended: false } };
  const before = bytesRead();
  expect(readOutcome(stream)).toMatchObject({
    answer: 'All of it is done.',
    terminal: { kind: 'completed' },
  });
  expect(readTerminal(stream)).toEqual({ kind: 'completed' });
  expect(readOutcome(running)).toMatchObject({ threadId: expect.any(String), answer: expect.any(String) });
  expect(bytes).toBeGreaterThan(15_000_000);
  expect(bytesRead() - before).toBeLessThan(3_000_000);
});

test('a turn that has printed nothing came to nothing', () => {
  const nothing = { threadId: null, answer: null, usage: null, terminal: null };
  for (const content of [null, '', '\n\n', 'Reading prompt from stdin...']) {
    expect(readOutcome(streamOf(content, true))).toEqual(nothing);
    expect(readOutcome(streamOf(content, false))).toEqual(nothing);
  }
});

test('what is told long before the end counts once the turn is over; while it goes on, only the thread and an answer', () => {
  const filler = 'x'.repeat(1000);
  const content = [
    beginLines(THREAD),
    messageLine('item_0', 'the first'),
    endLine({ input_tokens: 7, output_tokens: 1 }),
    ...Array.from({ length: 300 }, () => `${filler}\n`),
    messageLine('item_1', 'the second'),
  ].join('');
  const told = { threadId: THREAD, answer: 'the second' };
  expect(readOutcome(streamOf(content, false))).toEqual({ ...told, usage: null, terminal: null });
  expect(readOutcome(streamOf(content, true))).toMatchObject({
    ...told,
    usage: { input: 7 },
    terminal: { kind: 'completed' },
  });
});

test('a thread that is named late is that of a turn which is over, and not yet that of one which goes on', () => {
  const content = [
    ...Array.from({ length: 300 }, () => `${'x'.repeat(1000)}\n`),
    beginLines(THREAD),
    messageLine('item_1', 'so'),
  ].join('');
  expect(readOutcome(streamOf(content, true))).toMatchObject({ threadId: THREAD, answer: 'so' });
  expect(readOutcome(streamOf(content, false))).toMatchObject({ threadId: null, answer: 'so' });
});
