import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionStore } from '../../../src/store/sessions.ts';
import { createSummaryReader, type Listed, type Summary, writeSummary } from '../../../src/store/summary.ts';
import { createStoredSession, ID } from '../../helpers/store.ts';
import { summaryOf } from '../../helpers/views.ts';

const USAGE = { input_tokens: 5, cached_input_tokens: 1, output_tokens: 2, reasoning_output_tokens: null };
const { id, project, name, needs_attention, log_file, cost_usd, cost_at_least, ...ROW } = summaryOf({
  tags: ['a'],
  task: 'say hello\nto “everybody” 👋',
  forked_from: { id: 'bcdefghjkm', turn: 1 },
  status: 'failed',
  exit_code: 1,
  error: { code: 'exit_code', message: 'm', hint: null, retryable: true, retry_at: null },
  thread_id: 't',
  token_usage: { ...USAGE, at_least: false, total_tokens: 7 },
});
const spent = [
  { turn: 1, at: null, ended: null, agent: 'codex', model: null, tokens: ROW.token_usage, reported: 0.5 },
];
const LISTED: Listed = { ...ROW, spent, unmeasured: [] };

/** A stored session, its directory, and a summary that would fit it; nobody has written one. */
function createStoredSummary() {
  const store = createStoredSession();
  const directory = join(store.root, 'sessions', ID);
  const summary: Summary = { newest: 1, listed: LISTED };
  return { store, directory, summary };
}

const readSummary = (store: SessionStore): Listed | null => createSummaryReader(store, 1)(ID);

/** The same summary of a session in another state. */
function changed(summary: Summary, state: Partial<Listed>): Summary {
  return { ...summary, listed: { ...summary.listed, ...state } };
}

test('what was written is read, by a reader of many too, replaced by the next, and nothing else is left', () => {
  const { store, directory, summary } = createStoredSummary();
  const read = createSummaryReader(store, 1);
  expect(read(ID)).toBeNull();
  const short = { status: 'completed', error: null, token_usage: null, signal: 'x', task: 'short' } as const;
  for (const next of [changed(summary, { task: 'x'.repeat(500) }), changed(summary, short)]) {
    writeSummary({ store, id: ID }, 1, next, 'a');
    expect([read(ID), readSummary(store)]).toEqual([next.listed, next.listed]);
  }
  expect(readdirSync(directory).sort()).toEqual(['session.json', 'summary.json', 'turns']);
});

test('a directory in the project goes with it when that moves, one elsewhere does not', () => {
  const { store, summary } = createStoredSummary();
  const moved = { root: store.root, projectRoot: '/moved' };
  for (const [working_dir, expected] of [
    [store.projectRoot, '/moved'],
    [join(store.projectRoot, 'a/b'), '/moved/a/b'],
    ['/elsewhere', '/elsewhere'],
  ] as const) {
    writeSummary({ store, id: ID }, 1, changed(summary, { working_dir }), 'a');
    expect([readSummary(store)?.working_dir, readSummary(moved)?.working_dir]).toEqual([
      working_dir,
      expected,
    ]);
  }
});

test('it is written in ASCII, whatever the texts are', () => {
  const { store, directory, summary } = createStoredSummary();
  const text = '“naïve” \u2028 漢字 👩\u200d👩 \ud800 \x7f\x80\xff';
  writeSummary({ store, id: ID }, 1, changed(summary, { task: text, last_message: text }), 'a');
  const bytes = readFileSync(join(directory, 'summary.json'));
  expect(bytes.every((byte) => byte < 128)).toBe(true);
  expect(JSON.parse(bytes.toString()).listed).toMatchObject({ task: text, last_message: text });
  expect(readSummary(store)).toMatchObject({ task: text, last_message: text });
});

test.each<[string, (turn: string, session: string) => void]>([
  ['a turn', (turn) => mkdirSync(turn)],
  ['a second name of session.json', (turn, session) => linkSync(session, turn)],
  ['a file', (turn) => writeFileSync(turn, '')],
  ['a dangling link', (turn) => symlinkSync('/no/where', turn)],
])('with %s in the place of the next turn it is out of date', (_, put) => {
  const { store, directory, summary } = createStoredSummary();
  writeSummary({ store, id: ID }, 1, summary, 'a');
  expect(readSummary(store)).not.toBeNull();
  put(join(directory, 'turns', '2'), join(directory, 'session.json'));
  expect(readSummary(store)).toBeNull();
});

test.each<[string, (summary: object) => string]>([
  ['empty', () => ''],
  ['cut', (summary) => JSON.stringify(summary).slice(0, -10)],
  ['null', () => 'null'],
  ['of another version of the fold', (summary) => JSON.stringify({ ...summary, fold: 2 })],
  ['a list', () => '[]'],
  ['of 2 MB', (summary) => JSON.stringify({ ...summary, more: 'x'.repeat(2_000_000) })],
  ['padded to more than we read', (summary) => `${JSON.stringify(summary)}${' '.repeat(70_000)}`],
  ['without a fold', (summary) => JSON.stringify({ ...summary, fold: undefined })],
  ['without what it is for', (summary) => JSON.stringify({ ...summary, listed: undefined })],
])('a summary that is %s is ignored', (_, damage) => {
  const { store, directory, summary } = createStoredSummary();
  const put = (text: string): void => writeFileSync(join(directory, 'summary.json'), text);
  const whole = { fold: 1, ...summary };
  put(JSON.stringify(whole));
  expect(readSummary(store)).not.toBeNull();
  put(damage(whole));
  expect(readSummary(store)).toBeNull();
});

test.each<[string, (file: string, elsewhere: string) => void]>([
  ['a directory', (file) => mkdirSync(file)],
  ['a FIFO', (file) => execFileSync('mkfifo', [file])],
  ['a link', (file, elsewhere) => symlinkSync(elsewhere, file)],
])('%s in its place is ignored, and a link is replaced, not followed', (kind, plant) => {
  const { store, directory, summary } = createStoredSummary();
  const elsewhere = join(store.root, 'elsewhere');
  writeFileSync(elsewhere, JSON.stringify({ fold: 1, ...summary, listed: {} }));
  plant(join(directory, 'summary.json'), elsewhere);
  expect(readSummary(store)).toBeNull();
  if (kind === 'a directory') return;
  writeSummary({ store, id: ID }, 1, summary, 'a');
  expect(readSummary(store)).toEqual(summary.listed);
  expect(readFileSync(elsewhere, 'utf8')).toContain('"listed":{}');
});
