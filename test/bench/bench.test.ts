import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createCorpora } from '../../bench/corpora.js';
import { createPlace, removePlace } from '../../bench/place.js';
import { lineOf, tableOf } from '../../bench/report.js';
import { pairs } from '../../bench/rounds.js';
import { ROWS } from '../../bench/rows.js';
import { median, quantile, ratiosOf, verdictOf } from '../../bench/statistics.js';
import { LONG, storeOf, writeLongSession, writeSessions } from '../../bench/store.js';
import { TARGETS } from '../../bench/targets.js';
import { FOLD_VERSION } from '../../src/manager/session/summary-cache.ts';
import { emptyDirectory } from '../helpers/directory.ts';
import { createProject, eventually, processesWith } from '../helpers/project.ts';

/* The instrument of `npm run bench`: what it measures, not how fast anything is. */

/** The highest that each target may ever be, with its unit unless it is a ratio. */
const LIMITS: Readonly<Record<string, string>> = {
  version: '1.2',
  help: '1.45',
  'ls 10': '1.45',
  'start exits': '1.45',
  'start runs': '1.25',
  'ls 3000': '1.6',
  'ls 10000': '1.3',
  'status 100 MB': '1.1',
  'status 1 GB': '1.1',
  'screen 1 kB': '4',
  'screen 1 MB': '4',
  'screen 100 MB': '4',
  'screen 1 GB': '4',
  'show full 100 MB': '1',
  'show json 1 MB': '2',
  'show json 100 MB': '0.35',
  'memory show 100 MB': '2.5',
  'memory show 1 GB': '2.5',
  'memory show line': '2.5',
  'memory ls 10000': '2.2',
  'left processes': '1 shell',
  'left memory': '0.3 MB',
  '100 starts': '3',
  logs: '10 ms',
  kill: '50 ms',
  wait: '50 ms',
  'growth start': '1.1',
  'growth inject': '1.1',
};

test('every target is there and measured, and none was raised', () => {
  expect(TARGETS.map(({ name }) => name)).toEqual(Object.keys(LIMITS));
  expect(Object.keys(ROWS).sort()).toEqual(Object.keys(LIMITS).sort());
  for (const { name, against, atMost, unit } of TARGETS) {
    const [limit, limitUnit = 'ratio'] = (LIMITS[name] ?? '').split(' ');
    expect(unit, name).toBe(limitUnit);
    expect(against === null, name).toBe(unit !== 'ratio');
    expect(atMost, name).toBeLessThanOrEqual(Number(limit));
    expect(atMost, name).toBeGreaterThan(0);
  }
});

test('medians, quartiles and the ratios of pairs', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(quantile([5, 1, 2, 4, 3], 0.25)).toBe(2);
  expect(quantile([7], 0.75)).toBe(7);
  expect(() => median([])).toThrow(RangeError);
  // A machine that was twice as slow in one round changes nothing.
  expect(ratiosOf([[3, 2], [6, 4], [1.5, 1]])).toEqual([1.5, 1.5, 1.5]); // biome-ignore format: pairs
});

test('a target is met when it is reached, and missed by how much it is exceeded', () => {
  expect(verdictOf(1.45, 1.45)).toEqual({ met: true, missed_percent: 0 });
  expect(verdictOf(2.9, 1.45)).toEqual({ met: false, missed_percent: 100 });
  // Never 'missed by 0 %'.
  expect(verdictOf(1.4501, 1.45)).toEqual({ met: false, missed_percent: 1 });
});

test('both of a pair come first every other time, and the first round does not count', async () => {
  const order: string[] = [];
  const effort = { least: 2, most: 2, seconds: 0 };
  const take = (name: string) => () => order.push(name);
  const found = await pairs({ ...effort, interrupted: new AbortController().signal }, take('a'), take('b'));
  expect(order.join('')).toBe('ab' + 'ab' + 'ba');
  expect(found).toEqual([
    [3, 4],
    [6, 5],
  ]);
  const interrupted = pairs({ ...effort, interrupted: AbortSignal.abort() }, take('a'), take('b'));
  await expect(interrupted).rejects.toThrow('aborted');
});

test('a line tells target, ratio, spread and verdict; what has no baseline gets no verdict', () => {
  const [target] = TARGETS;
  if (target === undefined) throw new Error('no targets');
  const measured = { kind: 'pairs', unit: 'ms', pairs: [[20, 10], [24, 10], [44, 20]] } as const; // biome-ignore format: pairs
  const line = lineOf({ ...target, atMost: 2 }, measured);
  expect(line).toMatchObject({ measured: 2.2, low: 2.1, rounds: 3, verdict: 'missed', why: 'by 10 %' });
  const alone = lineOf({ ...target, atMost: 2 }, { kind: 'values', values: [5, 6, 7] });
  expect(alone).toMatchObject({ measured: null, verdict: 'not compared', medians: '6.00 ms' });
  const rows = tableOf([line, alone]).split('\n');
  expect(rows).toHaveLength(5);
  expect(rows[2]).toContain(' 2.20 ');
  expect(rows[2]).toContain('24.0 / 10.0 ms');
  expect(rows[2]).toContain('missed: by 10 %');
});

test('sessions of the corpus are what zwarm itself would have written', async () => {
  const project = createProject();
  writeSessions(project.directory, 12);
  const rows = await project.list(['--all']);
  expect(rows.map(({ status }) => status)).toEqual(Array(12).fill('completed'));
  expect(new Set(rows.map(({ turn }) => turn))).toEqual(new Set([1, 2, 3]));

  // Lists believe the summaries, and without them they come to the same.
  for (const { id } of rows) {
    const summary = join(project.store(), 'sessions', id, 'summary.json');
    expect(JSON.parse(readFileSync(summary, 'utf8'))).toMatchObject({ v: 1, fold: FOLD_VERSION });
    rmSync(summary);
  }
  expect(await project.list(['--all'])).toEqual(rows);

  const [{ id } = { id: '' }] = rows;
  const { turns } = await project.show(id);
  expect(turns.flatMap(({ warnings, error }) => [...warnings, error])).toEqual(turns.map(() => null));
});

/** The files below a directory, by their path in it, without the path of their project. */
function filesOf(directory: string, project: string): Record<string, string> {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const files = paths.filter((path) => statSync(join(directory, path)).isFile());
  const text = (path: string): string => readFileSync(join(directory, path), 'utf8');
  return Object.fromEntries(files.map((path) => [path, text(path).replaceAll(project, '')]));
}

test('a corpus is the same every time', () => {
  const [one, other] = [0, 1].map(() => {
    const project = join(emptyDirectory(), 'project');
    mkdirSync(project);
    writeSessions(project, 3);
    return filesOf(join(storeOf(project), 'sessions'), project);
  });
  expect(Object.keys(one ?? {}).length).toBeGreaterThan(30);
  expect(other).toEqual(one);
});

test('a long turn is read to its end, its long line included', async () => {
  const project = createProject();
  const { events, open } = writeLongSession(project.directory, { bytes: 300_000, line: 700_000 });
  const printed = readFileSync(events);
  expect(printed.length).toBeGreaterThan(1_000_000);
  const lengths = printed
    .toString()
    .split('\n')
    .map((line) => line.length);
  expect(Math.max(...lengths)).toBeGreaterThan(700_000);

  const detail = await project.show(LONG);
  expect(detail).toMatchObject({ status: 'completed', last_message: 'All of it is done.' });
  expect(detail.turns[0]).toMatchObject({ warnings: [], error: null });
  expect(detail.messages.length).toBeGreaterThan(5);
  // What a turn has printed that has not ended yet.
  const before = printed.subarray(0, open).toString();
  expect(before.endsWith('\n')).toBe(true);
  expect(before).not.toContain('turn.completed');
});

test('an agent that runs in the corpus is running, and is gone when the place is', async () => {
  const project = createProject();
  const place = createPlace();
  try {
    const running = await createCorpora(place).running('1 MB');
    const options = { cwd: running, env: { HOME: place.env['HOME'] } };
    expect(JSON.parse(await project.ok(['ls', '--json'], options))).toMatchObject([{ status: 'running' }]);
    expect(processesWith(`HOME=${place.base}/`).length).toBeGreaterThan(1);
  } finally {
    removePlace(place);
  }
  await eventually('all are gone', () => processesWith(`HOME=${place.base}/`).length === 0);
});

test('what makes Node itself slower is not there', () => {
  vi.stubEnv('NODE_OPTIONS', '--no-warnings');
  vi.stubEnv('NODE_EXTRA_CA_CERTS', '/etc/ssl/certs.pem');
  onTestFinished(() => void vi.unstubAllEnvs());
  const place = createPlace();
  removePlace(place);
  expect(Object.keys(place.env).filter((name) => name.startsWith('NODE'))).toEqual([]);
  expect(existsSync(place.base)).toBe(false);
});
