import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { SessionSummary } from '../../src/core/session.ts';
import { type Contender, type Outcome, type Place, startContender } from '../helpers/contenders.ts';
import {
  createProject,
  eventually,
  type Project,
  processesWith,
  repositoryFile,
} from '../helpers/project.ts';

/*
 * A thousand sessions of short turns, ten at a time, some of which are killed, and some of whose commanders and runners
 * are: `npm run test:soak`. Everything is as it is installed, summaries included; the agent is the demo's. SOAK_SCALE=0.1
 * does a tenth of it.
 */

const SCALE = Number(process.env['SOAK_SCALE'] || 1);
const AT_ONCE = 10;

/** What is done with a session, and with how many. */
const KINDS = {
  /** One turn. */
  plain: 530,
  /** Two turns. */
  injected: 300,
  /** A turn that would not end. */
  killed: 100,
  /** Its `start` is killed at any moment. */
  startKilled: 25,
  /** It has had a turn; the `inject` of the next is killed at any moment. */
  injectKilled: 25,
  /** Its runner is killed, and its agent goes on to its end. */
  runnerKilled: 10,
  /** Its runner is killed, then its agent, which would not end. */
  orphanKilled: 10,
};
type Kind = keyof typeof KINDS;

/** All of them, well mixed. */
function plan(): Kind[] {
  const kinds = Object.entries(KINDS).flatMap(([kind, count]) =>
    Array<Kind>(Math.ceil(count * SCALE)).fill(kind as Kind),
  );
  return kinds
    .map((kind, i) => ({ kind, at: (i * 617) % 1009 }))
    .sort((a, b) => a.at - b.at)
    .map(({ kind }) => kind);
}

function resultOf<T>({ code, value, message }: Outcome<T>): T {
  if (code !== 'ok' || value === null) throw new Error(`${code}: ${message}`);
  return value;
}

/** What one session was made of: its messages, and how the newest turn of it may stand in the end. */
interface Expected {
  readonly prompts: readonly string[];
  readonly ends: readonly ('completed' | 'killed' | 'lost' | 'absent')[];
}

interface Soak {
  readonly place: Place;
  readonly library: string;
  /** How long the newest start took, so that kills fall into every part of one. */
  startMs: number;
}

/** Runs a verb in a contender of its own, which is killed after a while; how its message may end then. */
async function inAnother(
  { library, startMs }: Soak,
  i: number,
  act: (commander: Contender) => Promise<Outcome<unknown>>,
): Promise<Expected['ends']> {
  const commander = await startContender(library);
  const acting = act(commander);
  await sleep((startMs * (i % 10)) / 6);
  await commander.kill();
  const { code, message } = await acting;
  // What was acknowledged has begun, and nobody has killed its agent.
  if (code === 'ok') return ['completed'];
  expect(code, message ?? '').toBe('died');
  return ['completed', 'lost', 'absent'];
}

/** Kills the runner of a running turn. */
async function killRunner(contender: Contender, place: Place, id: string): Promise<void> {
  const { pid } = resultOf(await contender.call(place, 'get', id));
  if (pid === null) throw new Error(`${id} ended before its runner could be killed`);
  process.kill(pid, 'SIGKILL');
}

async function runOne(soak: Soak, contender: Contender, kind: Kind, i: number): Promise<Expected> {
  const { place } = soak;
  const first = `[[seconds=0.05]] ${kind} ${i}`;
  const start = async (task: string) => {
    const began = performance.now();
    const { id } = resultOf(await contender.call(place, 'start', { agent: 'demo', task }));
    soak.startMs = performance.now() - began;
    return id;
  };
  if (kind === 'startKilled') {
    const ends = await inAnother(soak, i, (commander) =>
      commander.call(place, 'start', { agent: 'demo', task: first }),
    );
    return { prompts: [first], ends };
  }
  if (kind === 'killed' || kind === 'orphanKilled') {
    const task = `[[hang]] ${first}`;
    const id = await start(task);
    if (kind === 'orphanKilled') await killRunner(contender, place, id);
    expect(await contender.call(place, 'kill', id)).toMatchObject({ code: 'ok' });
    return { prompts: [task], ends: ['killed'] };
  }
  if (kind === 'runnerKilled') {
    const task = `[[seconds=5]] ${kind} ${i}`;
    const id = await start(task);
    await killRunner(contender, place, id);
    expect(resultOf(await contender.call(place, 'wait', id))).toBe('completed');
    return { prompts: [task], ends: ['completed'] };
  }
  const id = await start(first);
  expect(resultOf(await contender.call(place, 'wait', id))).toBe('completed');
  const next = `[[seconds=0.05]] next of ${i}`;
  if (kind === 'injectKilled') {
    const ends = await inAnother(soak, i, (commander) => commander.call(place, 'inject', id, next));
    return { prompts: [first, next], ends };
  }
  if (kind === 'plain') return { prompts: [first], ends: ['completed'] };
  resultOf(await contender.call(place, 'inject', id, next));
  expect(resultOf(await contender.call(place, 'wait', id))).toBe('completed');
  return { prompts: [first, next], ends: ['completed'] };
}

/** Every message that an agent got, from what the demo's agents remember of their conversations. */
function promptsThatRan({ base }: Project): string[] {
  const threads = join(base, 'home', '.local', 'state', 'zwarm', 'demo');
  return readdirSync(threads).flatMap((thread) => {
    const file = join(threads, thread, 'prompts.json');
    // Killed before it could write.
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8') || '[]') : [];
  });
}

/** How a message ended: its turn's status, or that it has no turn. */
async function endOf(
  row: SessionSummary | undefined,
  turn: number,
  prompt: string,
  soak: Soak,
  contender: Contender,
) {
  if (row === undefined || row.turn === null || row.turn < turn) return 'absent';
  const { turns } = resultOf(await contender.call(soak.place, 'get', row.id));
  expect(turns[turn - 1]?.prompt).toBe(prompt);
  return turns[turn - 1]?.status ?? 'absent';
}

test('a thousand sessions, and much that is killed among them: nothing is lost, nothing is left', async () => {
  const project = createProject();
  const library = repositoryFile('dist/index.js');
  const soak: Soak = { place: { cwd: project.directory, env: project.env }, library, startMs: 50 };
  const contenders = await Promise.all(Array.from({ length: AT_ONCE / 2 }, () => startContender(library)));
  const [judge] = contenders as [Contender];
  const began = performance.now();
  const kinds = plan();
  const expected: Expected[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, lane) => {
      const contender = contenders[lane % contenders.length] as Contender;
      for (let i = next++; i < kinds.length; i = next++) {
        expected[i] = await runOne(soak, contender, kinds[i] ?? 'plain', i);
      }
    }),
  );
  const seconds = Math.round((performance.now() - began) / 1000);

  await eventually(
    'every process has ended',
    () => processesWith(`HOME=${join(project.base, 'home')}`).length === 0,
  );
  const rows = await eventually('every session is final', async () => {
    const all = await project.list(['--all']);
    return all.every(({ status }) => status !== 'pending') && all;
  });
  const ran = new Map<string, number>();
  for (const prompt of promptsThatRan(project)) ran.set(prompt, (ran.get(prompt) ?? 0) + 1);
  const counts: Record<string, number> = {};
  for (const { prompts, ends } of expected) {
    const row = rows.find(({ task }) => task === prompts[0]);
    for (const [i, prompt] of prompts.entries()) {
      const end = await endOf(row, i + 1, prompt, soak, judge);
      expect(i + 1 < prompts.length ? ['completed'] : ends, prompt).toContain(end);
      const runs = ran.get(prompt) ?? 0;
      if (end === 'completed') expect(runs, prompt).toBe(1);
      else expect(runs, prompt).toBeLessThanOrEqual(end === 'killed' ? 1 : 0);
      counts[`turns ${end}`] = (counts[`turns ${end}`] ?? 0) + 1;
    }
    const last = prompts[prompts.length - 1] ?? '';
    if (row !== undefined) expect(ends, last).toContain(row.status);
    const listed = row?.status ?? 'never begun';
    counts[`sessions ${listed}`] = (counts[`sessions ${listed}`] ?? 0) + 1;
  }
  expect(rows).toHaveLength(kinds.length - (counts['sessions never begun'] ?? 0));
  for (const prompt of ran.keys())
    expect(expected.some(({ prompts }) => prompts.includes(prompt))).toBe(true);

  let summaries = 0;
  for (const { id } of rows) {
    const summary = join(project.store(), 'sessions', id, 'summary.json');
    if (!existsSync(summary)) continue;
    summaries += 1;
    rmSync(summary);
  }
  expect(summaries).toBeGreaterThan(0);
  expect(await project.list(['--all'])).toEqual(rows);
  await Promise.all(contenders.map((contender) => contender.kill()));
  const told = { ...counts, 'with a summary': summaries, 'seconds to run them': seconds };
  process.stdout.write(`${JSON.stringify(told, null, 2)}\n`);
});
