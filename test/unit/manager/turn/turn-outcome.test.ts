import { expect, test } from 'vitest';
import { beginLines, endLine, messageLine, writeStream } from '../../../../bench/streams.js';
import { readOutcome, readTerminal } from '../../../../src/manager/turn/turn-outcome.ts';
import { bytesRead, streamOf } from '../../../helpers/turn-stream.ts';

const THREAD = '01a1f880-c978-76c0-be58-213b143ff767';

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
    ...Array.from({ length: 200 }, () => `${filler}\n`),
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

test('the end of a long turn that was never reported is not looked for in all of it', () => {
  const stream = streamOf(null, true);
  const { open } = writeStream(stream.path, { bytes: 15_000_000 });
  const killed = { ...stream, range: { limit: open, ended: true } };
  const before = bytesRead();
  expect(readTerminal(killed)).toBeNull();
  expect(readOutcome(killed)).toMatchObject({ answer: expect.any(String), terminal: null });
  expect(bytesRead() - before).toBeLessThan(5_000_000);
  // An agent that has not said a word yet.
  const silent = `${'x'.repeat(1000)}\n`.repeat(15_000);
  const begun = bytesRead();
  expect(readOutcome(streamOf(silent, false))).toMatchObject({ answer: null });
  expect(bytesRead() - begun).toBeLessThan(14_000_000);
});

test('an agent names its thread at the beginning: what is named far behind it is no name', () => {
  const content = [
    ...Array.from({ length: 300 }, () => `${'x'.repeat(1000)}\n`),
    beginLines(THREAD),
    messageLine('item_1', 'so'),
  ].join('');
  for (const ended of [true, false]) {
    expect(readOutcome(streamOf(content, ended))).toMatchObject({ threadId: null, answer: 'so' });
  }
});

test('an end with too much behind it is none, for whoever decides and for whoever lists', () => {
  const end = endLine({ input_tokens: 7, output_tokens: 1 });
  const content = `${beginLines(THREAD)}${messageLine('item_0', 'so')}${end}${`${'x'.repeat(1000)}\n`.repeat(1000)}`;
  const stream = streamOf(content, true);
  expect(readTerminal(stream)).toBeNull();
  expect(readOutcome(stream)).toEqual({ threadId: THREAD, answer: 'so', usage: null, terminal: null });
});
