import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSummaryReader, type Listed, type Summary, writeSummary } from '../../../src/store/summary.ts';
import { createStoredSummary, ID } from '../../helpers/store.ts';

const readSummary = (root: string, fold = 1): Listed | null => createSummaryReader(root, fold)(ID);

/** The same summary of a session in another state. */
function changed(summary: Summary, state: Partial<Listed>): Summary {
  return { ...summary, listed: { ...summary.listed, ...state } };
}

test('what was written is read, replaced by the next, and nothing else is left', () => {
  const { root, directory, summary } = createStoredSummary();
  expect(readSummary(root)).toBeNull();
  writeSummary(root, ID, 1, summary, 'a');
  expect(readSummary(root)).toEqual(summary.listed);
  const next = changed(summary, { status: 'completed', error: null, token_usage: null, signal: 'x' });
  writeSummary(root, ID, 1, next, 'b');
  expect(readSummary(root)).toEqual(next.listed);
  expect(readdirSync(directory).sort()).toEqual(['session.json', 'summary.json', 'turns']);
});

test('it is written in ASCII, whatever the texts are', () => {
  const { root, directory, summary } = createStoredSummary();
  const text = '“naïve” \u2028 漢字 👩\u200d👩 \ud800 \x7f\x80\xff';
  writeSummary(root, ID, 1, changed(summary, { task: text, last_message: text }), 'a');
  const bytes = readFileSync(join(directory, 'summary.json'));
  expect(bytes.every((byte) => byte < 128)).toBe(true);
  expect(JSON.parse(bytes.toString()).listed).toMatchObject({ task: text, last_message: text });
  expect(readSummary(root)).toMatchObject({ task: text, last_message: text });
});

test('one reader reads many, and nothing of one is left in the next', () => {
  const { root, directory, summary } = createStoredSummary();
  const read = createSummaryReader(root, 1);
  writeSummary(root, ID, 1, changed(summary, { task: 'x'.repeat(500) }), 'a');
  expect(read(ID)?.task).toHaveLength(500);
  writeSummary(root, ID, 1, changed(summary, { task: 'short' }), 'b');
  expect(read(ID)?.task).toBe('short');
  rmSync(join(directory, 'summary.json'));
  expect(read(ID)).toBeNull();
});

test('the summary of another version of the fold is none', () => {
  const { root, summary } = createStoredSummary();
  writeSummary(root, ID, 1, summary, 'a');
  expect(readSummary(root, 2)).toBeNull();
});

test.each<[string, (turn: string, session: string) => void]>([
  ['a turn', (turn) => mkdirSync(turn)],
  ['a second name of session.json', (turn, session) => execFileSync('ln', [session, turn])],
  ['a file', (turn) => writeFileSync(turn, '')],
  ['a dangling link', (turn) => symlinkSync('/no/where', turn)],
])('with %s in the place of the next turn it is out of date', (_, put) => {
  const { root, directory, summary } = createStoredSummary();
  writeSummary(root, ID, 1, summary, 'a');
  put(join(directory, 'turns', '2'), join(directory, 'session.json'));
  expect(readSummary(root)).toBeNull();
});

/** Changes to `session.json`, after which only what it says itself can be shown. */
const CHANGES: readonly [string, (path: string) => void][] = [
  ['removed', (path) => rmSync(path)],
  ['cut', (path) => writeFileSync(path, '{"v":1,')],
  ['written once more', (path) => writeFileSync(path, readFileSync(path))],
  [
    'of another size, but of that time',
    (path) => {
      const { mtime } = lstatSync(path);
      writeFileSync(path, '{}');
      utimesSync(path, mtime, mtime);
    },
  ],
  ['not ours to read', (path) => chmodSync(path, 0)],
  [
    'a link to what it was',
    (path) => {
      execFileSync('mv', [path, `${path}.old`]);
      symlinkSync(`${path}.old`, path);
    },
  ],
  [
    'a FIFO',
    (path) => {
      rmSync(path);
      execFileSync('mkfifo', [path]);
    },
  ],
];

test.each(CHANGES)('with a record that is %s it is out of date', (_, change) => {
  const { root, directory, summary } = createStoredSummary();
  const path = join(directory, 'session.json');
  // A time that no change can have by chance.
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  const record = { ...summary.record, mtime_ms: 1_700_000_000_000 };
  writeSummary(root, ID, 1, { ...summary, record }, 'a');
  expect(readSummary(root)).not.toBeNull();
  change(path);
  expect(readSummary(root)).toBeNull();
});

test('another kind of file is not believed even where size and time fit', () => {
  const { root, directory, summary } = createStoredSummary();
  const path = join(directory, 'session.json');
  rmSync(path);
  execFileSync('mkfifo', [path]);
  const { size, mtimeMs } = lstatSync(path);
  writeSummary(root, ID, 1, { ...summary, record: { bytes: size, mtime_ms: mtimeMs } }, 'a');
  expect(readSummary(root)).toBeNull();
});

/** What may stand in the place of a summary and is not one of ours. */
const DAMAGED: readonly [string, (summary: object) => string][] = [
  ['empty', () => ''],
  ['cut', (summary) => JSON.stringify(summary).slice(0, -10)],
  ['null', () => 'null'],
  ['a list', () => '[]'],
  ['of 2 MB', (summary) => JSON.stringify({ ...summary, more: 'x'.repeat(2_000_000) })],
  ['padded to more than we read', (summary) => `${JSON.stringify(summary)}${' '.repeat(70_000)}`],
  ['without a fold', (summary) => JSON.stringify({ ...summary, fold: undefined })],
  ['without what it is for', (summary) => JSON.stringify({ ...summary, listed: undefined })],
  ['without its record', (summary) => JSON.stringify({ ...summary, record: undefined })],
];

test.each(DAMAGED)('a summary that is %s is ignored', (_, damage) => {
  const { root, directory, summary } = createStoredSummary();
  const put = (text: string): void => writeFileSync(join(directory, 'summary.json'), text);
  const whole = { fold: 1, ...summary };
  put(JSON.stringify(whole));
  expect(readSummary(root)).not.toBeNull();
  put(damage(whole));
  expect(readSummary(root)).toBeNull();
});

test('a link, a directory or a FIFO in its place is ignored, and a link is replaced, not followed', () => {
  const { root, directory, summary } = createStoredSummary();
  const file = join(directory, 'summary.json');
  mkdirSync(file);
  expect(readSummary(root)).toBeNull();
  rmSync(file, { recursive: true });
  execFileSync('mkfifo', [file]);
  expect(readSummary(root)).toBeNull();
  rmSync(file);
  const elsewhere = join(root, 'elsewhere');
  writeFileSync(elsewhere, JSON.stringify({ fold: 1, ...summary }));
  symlinkSync(elsewhere, file);
  expect(readSummary(root)).toBeNull();
  writeSummary(root, ID, 1, summary, 'a');
  expect(readSummary(root)).toEqual(summary.listed);
  rmSync(file);
  expect(readdirSync(root)).toContain('elsewhere');
});
