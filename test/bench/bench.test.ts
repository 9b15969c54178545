import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { BUDGETS } from '../../bench/budgets.js';
import { createGround, removeGround } from '../../bench/ground.js';
import { median, pairs, ratioOf } from '../../bench/measure.js';
import { createSessions } from '../../bench/sessions.js';
import { readPage, tableOf } from '../helpers/document.ts';
import { createProject, eventually, processesBelow } from '../helpers/project.ts';

/* The instrument of `npm run bench`: what it measures, not how fast anything is. */

test('the budgets are those that the page of performance promises', () => {
  const promised = tableOf(readPage('docs/performance.md'), 'The budgets').map((row) => row.slice(0, 3));
  const measured = BUDGETS.map(({ what, against, atMost, unit }) => [
    what,
    against ?? '–',
    `${atMost}${unit === 'ratio' ? '' : ` ${unit}`}`,
  ]);
  expect(measured).toEqual(promised);
  expect(new Set(BUDGETS.map(({ name }) => name)).size).toBe(BUDGETS.length);
});

test('a ratio is the median of the pairs', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(() => median([])).toThrow(RangeError);
  // biome-ignore format: pairs
  expect(ratioOf([[3, 2], [30, 20], [90, 1]])).toBe(1.5);
});

test('each of a pair comes first every other time, and the first round does not count', async () => {
  const order: string[] = [];
  const take = (name: string) => () => order.push(name);
  const found = await pairs({ least: 2, most: 2, seconds: 0 }, take('a'), take('b'));
  expect(order.join('')).toBe('ab' + 'ab' + 'ba');
  expect(found).toEqual([
    [3, 4],
    [6, 5],
  ]);
});

test('the sessions are those of zwarm, running or ended, and nothing is left of them', async () => {
  vi.stubEnv('NODE_OPTIONS', '--no-warnings');
  vi.stubEnv('NODE_EXTRA_CA_CERTS', '/etc/ssl/certs.pem');
  onTestFinished(() => void vi.unstubAllEnvs());
  const project = createProject();
  const ground = createGround();
  try {
    // They make Node itself slower.
    expect(Object.keys(ground.env).filter((name) => name.startsWith('NODE'))).toEqual([]);
    const sessions = createSessions(ground);
    const list = async (cwd: string) =>
      JSON.parse(await project.ok(['ls', '--all', '--json'], { cwd, env: { HOME: ground.env['HOME'] } }));
    const many = await list(sessions.many(3));
    expect(many).toMatchObject(Array(3).fill({ status: 'completed', last_message: 'All of it is done.' }));
    expect(new Set(many.map(({ id }: { id: string }) => id)).size).toBe(3);
    const running = await sessions.running('1 MB');
    expect(await list(running.project)).toMatchObject([{ status: 'running', turn: 1 }]);
    const printed = readFileSync(join(running.directory, 'events.jsonl'), 'utf8');
    expect(printed.length).toBeGreaterThan(900_000);
    expect(printed).not.toContain('turn.completed');
    expect(printed.endsWith('\n')).toBe(true);
    expect(readdirSync(ground.base)).toContain('home');
  } finally {
    removeGround(ground);
  }
  expect(existsSync(ground.base)).toBe(false);
  await eventually('all are gone', () => processesBelow(ground.base).length === 0);
});
