import { expect, test } from 'vitest';
import { beginLines, endLine, messageLine, writeStream } from '../../../../bench/streams.js';
import { readOutcome, readTerminal } from '../../../../src/manager/turn/turn-outcome.ts';
import { bytesRead, streamOf } from '../../../helpers/turn-stream.ts';

const FILLER = `${'x'.repeat(1000)}\n`;
const THREAD = '01a1f880-c978-76c0-be58-213b143ff767';

test('how a long turn stands is told by a few of its bytes, also where it never reported its end', () => {
  const stream = streamOf(null, true);
  const { open, bytes } = writeStream(stream.path, { bytes: 15_000_000 });
  const running = { ...stream, range: { limit: open, ended: false } };
  const before = bytesRead();
  const terminal = { kind: 'completed' };
  expect(readOutcome(stream)).toMatchObject({ answer: 'All of it is done.', terminal });
  expect(readTerminal(stream)).toEqual(terminal);
  expect(readOutcome(running)).toMatchObject({ threadId: expect.any(String), answer: expect.any(String) });
  expect(bytes).toBeGreaterThan(15_000_000);
  expect(bytesRead() - before).toBeLessThan(3_000_000);

  const killed = { ...stream, range: { limit: open, ended: true } };
  const again = bytesRead();
  expect(readTerminal(killed)).toBeNull();
  expect(readOutcome(killed)).toMatchObject({ answer: expect.any(String), terminal: null });
  expect(bytesRead() - again).toBeLessThan(5_000_000);
  // An agent that has not said a word yet.
  const silent = streamOf(FILLER.repeat(15_000), false);
  const begun = bytesRead();
  expect(readOutcome(silent)).toMatchObject({ answer: null });
  expect(bytesRead() - begun).toBeLessThan(14_000_000);
});

test('a turn that has printed nothing came to nothing', () => {
  const nothing = { threadId: null, model: null, answer: null, tokens: null, terminal: null };
  for (const content of [null, '', '\n\n', 'Reading prompt from stdin...'])
    for (const ended of [true, false]) expect(readOutcome(streamOf(content, ended))).toEqual(nothing);
});

test('what is told long before the end counts once the turn is over; while it goes on, only the thread and an answer', () => {
  const content = [
    beginLines(THREAD),
    messageLine('item_0', 'the first'),
    endLine({ input_tokens: 7, output_tokens: 1 }),
    FILLER.repeat(200),
    messageLine('item_1', 'the second'),
  ].join('');
  const told = { threadId: THREAD, model: null, answer: 'the second' };
  expect(readOutcome(streamOf(content, false))).toEqual({ ...told, tokens: null, terminal: null });
  expect(readOutcome(streamOf(content, true))).toMatchObject({
    ...told,
    tokens: { input: 7 },
    terminal: { kind: 'completed' },
  });
});

test('an agent names its thread at the beginning: what is named far behind it is no name', () => {
  const content = FILLER.repeat(300) + beginLines(THREAD) + messageLine('item_1', 'so');
  for (const ended of [true, false])
    expect(readOutcome(streamOf(content, ended))).toMatchObject({ threadId: null, answer: 'so' });
  // An end with too much behind it is none, either.
  const end = endLine({ input_tokens: 7, output_tokens: 1 });
  const long = beginLines(THREAD) + messageLine('item_0', 'so') + end + FILLER.repeat(1000);
  const stream = streamOf(long, true);
  expect(readTerminal(stream)).toBeNull();
  expect(readOutcome(stream)).toEqual({
    threadId: THREAD,
    model: null,
    answer: 'so',
    tokens: null,
    terminal: null,
  });
});
