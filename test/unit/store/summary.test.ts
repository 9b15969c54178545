import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CachedState, readSummary, writeSummary } from '../../../src/store/summary.ts';
import { createStoredSession, ID } from '../../helpers/store.ts';

const usage = {
  input_tokens: 5,
  cached_input_tokens: 1,
  output_tokens: 2,
  reasoning_output_tokens: null,
  total_tokens: 7,
};
const state: CachedState = {
  status: 'failed',
  turn: 1,
  updated_at: '2026-11-20T10:00:00.000Z',
  ended_at: '2026-11-20T10:00:00.000Z',
  duration_ms: 1000,
  pid: null,
  exit_code: 1,
  signal: null,
  error: { code: 'exit_code', message: 'm', hint: null, retryable: true, retry_at: null },
  pending: null,
  thread_id: 't',
  token_usage: usage,
  cost_usd: null,
  last_message: 'said',
  newest: 1,
};

test('what was written is read, replaced by the next, and nothing else is left', () => {
  const { root } = createStoredSession();
  expect(readSummary(root, ID, 1)).toBeNull();
  writeSummary(root, ID, 1, state, 'a');
  expect(readSummary(root, ID, 1)).toEqual(state);
  const next: CachedState = {
    ...state,
    status: 'completed',
    turn: 2,
    newest: 3,
    error: null,
    token_usage: null,
  };
  writeSummary(root, ID, 1, next, 'b');
  expect(readSummary(root, ID, 1)).toEqual(next);
  expect(readdirSync(join(root, 'sessions', ID)).sort()).toEqual(['session.json', 'summary.json', 'turns']);
});

test('the summary of another version of the fold is none', () => {
  const { root } = createStoredSession();
  writeSummary(root, ID, 1, state, 'a');
  expect(readSummary(root, ID, 2)).toBeNull();
});

test('a process is never believed to live on the word of a cache', () => {
  const { root } = createStoredSession();
  writeSummary(root, ID, 1, { ...state, pid: 1, cost_usd: 5 }, 'a');
  expect(readSummary(root, ID, 1)).toMatchObject({ pid: null, cost_usd: null, pending: null });
});

test.each<[string, string]>([
  ['empty', ''],
  ['cut', '{"v":1,"fold":1,"sta'],
  ['null', 'null'],
  ['a list', '[]'],
  ['without a fold', JSON.stringify(state)],
  ['with a status of tomorrow', JSON.stringify({ fold: 1, ...state, status: 'paused' })],
  ['with a turn in words', JSON.stringify({ fold: 1, ...state, turn: 'one' })],
  ['with half an error', JSON.stringify({ fold: 1, ...state, error: { code: 'x' } })],
  ['with an error in words', JSON.stringify({ fold: 1, ...state, error: 'boom' })],
  [
    'with negative tokens',
    JSON.stringify({ fold: 1, ...state, token_usage: { ...usage, input_tokens: -1 } }),
  ],
  ['with a message that is none', JSON.stringify({ fold: 1, ...state, last_message: { a: 1 } })],
  ['of 2 MB', JSON.stringify({ fold: 1, ...state, last_message: 'x'.repeat(2_000_000) })],
])('a summary that is %s is ignored', (_, text) => {
  const { root } = createStoredSession();
  writeFileSync(join(root, 'sessions', ID, 'summary.json'), text);
  expect(readSummary(root, ID, 1)).toBeNull();
});

test('a link, a directory or a FIFO in its place is ignored, and a link is replaced, not followed', () => {
  const { root } = createStoredSession();
  const file = join(root, 'sessions', ID, 'summary.json');
  mkdirSync(file);
  expect(readSummary(root, ID, 1)).toBeNull();
  rmSync(file, { recursive: true });
  execFileSync('mkfifo', [file]);
  expect(readSummary(root, ID, 1)).toBeNull();
  rmSync(file);
  const elsewhere = join(root, 'elsewhere');
  writeFileSync(elsewhere, JSON.stringify({ fold: 1, ...state }));
  symlinkSync(elsewhere, file);
  expect(readSummary(root, ID, 1)).toBeNull();
  writeSummary(root, ID, 1, state, 'a');
  expect(readSummary(root, ID, 1)).toEqual(state);
  rmSync(file);
  expect(readdirSync(root)).toContain('elsewhere');
});
