import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Contender, type Outcome, type Place, startContender } from '../helpers/contenders.ts';
import { createProject, eventually, installedFile, processesWith } from '../helpers/project.ts';

// A thousand sessions of short turns, ten at a time, some of which are killed, and some of whose commanders and runners
// are: `npm run test:soak`. Everything is as it is installed; the agent is the demo's. SOAK_SCALE=0.1 does a tenth of it.

const SCALE = Number(process.env['SOAK_SCALE'] || 1);
const AT_ONCE = 10;
const LIBRARY = installedFile('dist/index.js');

/** What is done with a session, and with how many. Who is killed in the act is killed at any moment of it. */
const KINDS = {
  'one turn': 530,
  'two turns': 300,
  'killed in a turn that would not end': 100,
  'start is killed': 25,
  'inject is killed': 25,
  'runner is killed, agent goes on to its end': 10,
  'runner is killed, then agent': 10,
};

/** All of them, well mixed. */
function plan(): string[] {
  const kinds = Object.entries(KINDS).flatMap(([kind, count]) => Array(Math.ceil(count * SCALE)).fill(kind));
  const placed = kinds.map((kind, i) => ({ name: `${i} ${kind}`, at: (i * 617) % 1009 }));
  return placed.sort((a, b) => a.at - b.at).map(({ name }) => name);
}

function resultOf<T>({ code, value, message }: Outcome<T>): T {
  if (code !== 'ok' || value === null) throw new Error(`${code}: ${message}`);
  return value;
}

type Ends = readonly ('completed' | 'killed' | 'lost' | 'absent')[];
/** The messages of a session, and how the newest turn of it may stand in the end. */
type Expected = { readonly prompts: readonly string[]; readonly ends: Ends };

/** Runs a verb in a contender of its own, which is killed at the i-th moment; how its message may end then. */
async function inAnother(i: number, act: (by: Contender) => Promise<Outcome<unknown>>): Promise<Ends> {
  const commander = await startContender(LIBRARY);
  const acting = act(commander);
  // A start takes some 50 ms.
  await sleep((i % 10) * 8);
  await commander.kill();
  const { code, message } = await acting;
  // What was acknowledged has begun, and nobody has killed its agent.
  if (code === 'ok') return ['completed'];
  expect(code, message ?? '').toBe('died');
  return ['completed', 'lost', 'absent'];
}

async function runOne(place: Place, contender: Contender, name: string): Promise<Expected> {
  const [i = '', kind = ''] = name.split(/ (.*)/);
  const begin = async (task: string, by = contender) => by.call(place, 'start', { agent: 'demo', task });
  const wait = async (id: string) =>
    expect(resultOf(await contender.call(place, 'wait', id as never))).toBe('completed');
  const hangs = /would not end|then agent/.test(kind);
  const first = `[[${hangs ? 'hang' : `seconds=${kind.includes('goes on') ? 5 : 0.05}`}]] ${name}`;
  if (kind === 'start is killed')
    return { prompts: [first], ends: await inAnother(Number(i), (commander) => begin(first, commander)) };
  const { id } = resultOf(await begin(first));
  if (/^runner/.test(kind)) {
    const { pid } = resultOf(await contender.call(place, 'get', id));
    if (pid === null) throw new Error(`${id} ended before its runner could be killed`);
    process.kill(pid, 'SIGKILL');
  }
  if (hangs) {
    expect(await contender.call(place, 'kill', id)).toMatchObject({ code: 'ok' });
    return { prompts: [first], ends: ['killed'] };
  }
  await wait(id);
  const next = `[[seconds=0.05]] next of ${name}`;
  const inject = (by = contender) => by.call(place, 'inject', id, next);
  if (kind === 'inject is killed')
    return { prompts: [first, next], ends: await inAnother(Number(i), inject) };
  if (kind !== 'two turns') return { prompts: [first], ends: ['completed'] };
  resultOf(await inject());
  await wait(id);
  return { prompts: [first, next], ends: ['completed'] };
}

/** Every message that an agent got, from what the demo's agents remember of their conversations. */
function promptsThatRan(threads: string): string[] {
  return readdirSync(threads).flatMap((thread) => {
    const file = join(threads, thread, 'prompts.json');
    // Killed before it could write.
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8') || '[]') : [];
  });
}

test('a thousand sessions, and much that is killed among them: nothing is lost, nothing is left', async () => {
  const project = createProject();
  const place = { cwd: project.directory, env: project.env };
  const contenders = await Promise.all(Array.from({ length: AT_ONCE / 2 }, () => startContender(LIBRARY)));
  const names = plan();
  const queue = names.values();
  const expected: Expected[] = [];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, lane) => {
      const contender = contenders[lane % contenders.length] as Contender;
      for (const name of queue) expected.push(await runOne(place, contender, name));
    }),
  );
  const living = () => processesWith(`HOME=${join(project.base, 'home')}`).length;
  await eventually('every process has ended', () => living() === 0);
  const rows = await eventually('every session is final', async () => {
    const all = await project.list(['--all']);
    return all.every(({ status }) => status !== 'pending') && all;
  });
  const ran = promptsThatRan(join(project.state, 'demo'));
  let absent = 0;
  for (const { prompts, ends } of expected) {
    const row = rows.find(({ task }) => task === prompts[0]);
    const turns = row === undefined ? [] : (await project.show(row.id)).turns;
    if (row === undefined) absent += 1;
    for (const [i, prompt] of prompts.entries()) {
      const end = turns[i]?.status ?? 'absent';
      if (turns[i] !== undefined) expect(turns[i]?.prompt).toBe(prompt);
      expect(i + 1 < prompts.length ? ['completed'] : ends, prompt).toContain(end);
      const runs = ran.filter((text) => text === prompt).length;
      if (end === 'completed') expect(runs, prompt).toBe(1);
      else expect(runs, prompt).toBeLessThanOrEqual(end === 'killed' ? 1 : 0);
    }
    if (row !== undefined) expect([...ends, 'completed'], prompts.at(-1)).toContain(row.status);
  }
  expect(rows).toHaveLength(names.length - absent);
  const asked = new Set(expected.flatMap(({ prompts }) => prompts));
  expect(ran.filter((prompt) => !asked.has(prompt))).toEqual([]);

  const paths = rows.map(({ id }) => join(project.store(), 'sessions', id, 'summary.json'));
  const summaries = paths.filter((path) => existsSync(path));
  expect(summaries.length).toBeGreaterThan(0);
  // Each was shown since the list above.
  const listed = await project.list(['--all']);
  for (const summary of summaries) rmSync(summary);
  expect(await project.list(['--all'])).toEqual(listed);
  await Promise.all(contenders.map((contender) => contender.kill()));
});
