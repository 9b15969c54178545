import { expect, test } from 'vitest';
import { messageLine, writeStream } from '../../../../bench/streams.js';
import { createFolder } from '../../../../src/core/conversation/fold.ts';
import type { Step } from '../../../../src/core/conversation/steps.ts';
import { readLastStep } from '../../../../src/manager/turn/last-step.ts';
import { readSteps, type TurnStream } from '../../../../src/manager/turn/turn-stream.ts';
import { LINE_SIZES } from '../../../../src/store/read-forward.ts';
import { recordedStreams } from '../../../helpers/fuzz.ts';
import { bytesRead, streamOf } from '../../../helpers/turn-stream.ts';

/** The last of all steps of a stream. */
function lastOf(stream: TurnStream): Step | null {
  const steps: Step[] = [];
  for (const { index, step } of readSteps(stream, createFolder())) steps[index] = step;
  return steps.at(-1) ?? null;
}

test('what an agent was at last is told by a few bytes of a long turn', () => {
  const ended = streamOf('', true);
  const { open } = writeStream(ended.path, { bytes: 15_000_000 });
  const running = { ...ended, range: { limit: open, ended: false } };
  const last = lastOf(running);
  const before = bytesRead();
  expect(readLastStep(ended)).toMatchObject({ type: 'message', content: 'All of it is done.' });
  expect(readLastStep(running)).toEqual(last);
  expect(bytesRead() - before).toBeLessThan(1_000_000);
});

test('of every recorded stream it is the last of all its steps', () => {
  for (const { name, bytes } of recordedStreams())
    for (const stream of [streamOf(bytes, true), streamOf(bytes, false)])
      expect(readLastStep(stream), name).toEqual(lastOf(stream));
  // It is looked for up to the beginning, and may be none.
  const few = { ...LINE_SIZES, last: 100 };
  const noise = '{"type":"turn.started"}\n'.repeat(100);
  const early = streamOf(messageLine('item_0', 'first') + noise, false);
  expect(readLastStep(early, few)).toMatchObject({ content: 'first' });
  for (const content of ['', noise]) expect(readLastStep(streamOf(content, true), few)).toBeNull();
});
