import { lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { messageLine, writeStream } from '../../../../bench/streams.js';
import { createFolder } from '../../../../src/core/conversation/fold.ts';
import type { Step } from '../../../../src/core/conversation/steps.ts';
import { readLastStep, readProgress } from '../../../../src/manager/session/progress.ts';
import { readSteps, type TurnStream } from '../../../../src/manager/turn/turn-stream.ts';
import { ownIdentity } from '../../../../src/process/identity.ts';
import { claimTurn } from '../../../../src/store/claim.ts';
import { LINE_SIZES } from '../../../../src/store/read-forward.ts';
import { recordedStreams } from '../../../helpers/fuzz.ts';
import { createStoredSession, ID, RECORD, requestOf } from '../../../helpers/store.ts';
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

test('the turn that speaks for a session tells how it comes along, not the newest one', async () => {
  const store = createStoredSession();
  const file = (name: string): string => join(store.root, 'sessions', ID, 'turns/1', name);
  const now = Date.parse(RECORD.created_at);
  const progress = () => readProgress({ store, id: ID }, now);
  expect(await progress()).toEqual({ status: 'pending', sinceMs: now, lastStep: null });

  // Its runner began, said something, and ended; then it was wound back.
  const { start, ...identity } = ownIdentity();
  const stat = `${identity.pid} (sh) S ${'0 '.repeat(18)}${start} 0`;
  writeFileSync(file('runner.stat'), JSON.stringify({ v: 1, ...identity, stat }));
  writeFileSync(file('events.jsonl'), messageLine('item_0', 'first'));
  const end = { why: null, detail: null, cancelled: false, uptime: null, ended_at: null, events_bytes: null };
  writeFileSync(file('exit.json'), JSON.stringify({ v: 1, code: 1, ...end }));
  const request = { ...requestOf('mark'), kind: 'rewind', to: 0 } as const;
  claimTurn({ store, id: ID, turn: 2 }, { request, prompt: null });
  const sinceMs = lstatSync(file('runner.stat')).mtimeMs;
  const lastStep = { type: 'message', role: 'assistant', content: 'first' };
  expect(await progress()).toEqual({ status: 'failed', sinceMs, lastStep });
});
