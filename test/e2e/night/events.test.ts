import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionEvent } from '../../../src/core/session-event.ts';
import { place } from '../../helpers/config.ts';
import type { ScreenOptions } from '../../helpers/context.ts';
import { unfit } from '../../helpers/display.ts';
import { ATTACKS, toSay } from '../../helpers/hostile-output.ts';
import { createProject, createShellProject, eventually, type Project } from '../../helpers/project.ts';

const [A, B, C] = ['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc'] as const;
const at = (time: string) => ({ now: Date.parse(`2020-01-01T${time}:00Z`) });

const parsed = (lines: string): SessionEvent[] =>
  lines
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const eventsOf = async (project: Project, args: readonly string[] = [], options?: ScreenOptions) =>
  parsed(await project.ok(['events', ...args], options));
const keysOf = async (...given: Parameters<typeof eventsOf>) =>
  (await eventsOf(...given)).map(({ key }) => key);

/** Gives the start and the end of a turn these times on that day. */
function setTimes({ turnFile }: Project, id: string, turn: number, began: string, ended: string): void {
  const iso = (time: string) => `2020-01-01T${time}:00.000Z`;
  const change = (file: string, ...fields: [string, string][]) => {
    const path = turnFile(id, turn, file);
    const record = { ...JSON.parse(readFileSync(path, 'utf8')), ...Object.fromEntries(fields) };
    rmSync(path);
    writeFileSync(path, JSON.stringify(record));
  };
  change('launch.json', ['at', iso(began)]);
  change('exit.json', ['ended_at', iso(ended)]);
  for (const [file, time] of [
    ['runner.stat', began],
    ['exit.json', ended],
    ['events.jsonl', ended],
  ] as const)
    utimesSync(turnFile(id, turn, file), new Date(iso(time)), new Date(iso(time)));
}

/** Three sessions on one morning: one that completed, one that failed, and one of two turns of which the first waited. */
async function createMorning() {
  const project = createShellProject();
  await project.ended(['first'], { newId: A, ...at('01:00') });
  await project.zwarm(['start', '--wait', '--name', 'broken', 'break'], { newId: B, ...at('02:00') });
  await project.settled(B);
  await project.ok(['start', '--wait', '--queue', 'third'], { newId: C, ...at('03:00') });
  await project.settled(C);
  await project.ok(['inject', C, '--wait', 'again'], at('05:00'));
  await project.settled(C, 2);
  setTimes(project, A, 1, '01:00', '01:30');
  setTimes(project, B, 1, '02:00', '02:30');
  setTimes(project, C, 1, '04:00', '04:30');
  setTimes(project, C, 2, '05:00', '05:30');
  // Their summaries are written anew.
  for (const [id, turn] of [
    [A, 1],
    [B, 1],
    [C, 2],
  ] as const) {
    rmSync(project.turnFile(id, turn, 'notified.json'));
    await project.settled(id, turn);
  }
  return project;
}

test('what happened to all sessions is told in the order of time, a line for each event', async () => {
  const project = await createMorning();
  const all = await eventsOf(project);
  expect(all.map((event) => `${event.at} ${event.key}`).join('\n')).toMatchInlineSnapshot(`
    "2020-01-01T01:00:00.000Z aaaaaaaaaa.1.started
    2020-01-01T01:30:00.000Z aaaaaaaaaa.1.completed
    2020-01-01T02:00:00.000Z bbbbbbbbbb.1.started
    2020-01-01T02:30:00.000Z bbbbbbbbbb.1.failed
    2020-01-01T03:00:00.000Z cccccccccc.1.queued
    2020-01-01T04:00:00.000Z cccccccccc.1.started
    2020-01-01T04:30:00.000Z cccccccccc.1.completed
    2020-01-01T05:00:00.000Z cccccccccc.2.started
    2020-01-01T05:30:00.000Z cccccccccc.2.completed"
  `);
  expect(all.find(({ event }) => event === 'failed')).toMatchObject({
    ...{ id: B, name: 'broken', turn: 1, kind: 'prompt', by: 'user', agent: 'codex', title: 'break' },
    ...{ project: project.directory, error: { code: expect.any(String) } },
  });
  const shown = await project.$('events', { tty: true, columns: 80, env: { NO_COLOR: '1' } });
  expect(shown.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d /gm, 'WHEN ')).toMatchInlineSnapshot(`
    "WHEN  started    aaaaaaaaaa  first
    WHEN  completed  aaaaaaaaaa  first
    WHEN  started    bbbbbbbbbb  broken · break
    WHEN  failed     bbbbbbbbbb  broken · it broke · break
    WHEN  queued     cccccccccc  third
    WHEN  started    cccccccccc  third
    WHEN  completed  cccccccccc  third
    WHEN  started    cccccccccc  turn 2 · third
    WHEN  completed  cccccccccc  turn 2 · third
    "
  `);
});

test('who asks from the last time that they know misses nothing, and knows again what they had', async () => {
  const project = await createMorning();
  expect(await keysOf(project, ['--since', '2020-01-01T05:30:00.000Z'])).toEqual([`${C}.2.completed`]);
  // A record may appear a moment after the time that it tells.
  expect(await keysOf(project, ['--since', '2020-01-01T05:30:59.000Z'])).toEqual([`${C}.2.completed`]);
  expect(await keysOf(project, ['--since', '1h'], at('06:00'))).toEqual([
    `${C}.2.started`,
    `${C}.2.completed`,
  ]);
  // Nobody knows when a turn was lost: it is told each time.
  rmSync(project.turnFile(A, 1, 'exit.json'));
  writeFileSync(project.turnFile(A, 1, 'events.jsonl'), '');
  rmSync(join(project.store(), 'sessions', A, 'summary.json'));
  const [lost, ...others] = await eventsOf(project, ['--since', '2020-01-02T00:00:00Z']);
  expect(lost).toMatchObject({ key: `${A}.1.lost`, at: null, error: { code: 'lost' } });
  expect(others).toEqual([]);
});

test('of what ended before that time no more than its summary is read; what cannot be read is told', async () => {
  const project = await createMorning();
  const asked = ['--since', '2020-01-01T05:20:00Z'];
  // Nothing but the summary is there to be read.
  writeFileSync(project.turnFile(A, 1, 'request.json'), 'broken');
  expect(await keysOf(project, asked)).toEqual([`${C}.2.completed`]);
  rmSync(join(project.store(), 'sessions', A, 'summary.json'));
  const [, damaged] = await eventsOf(project, asked);
  expect(damaged).toMatchObject({ key: `${A}.0.damaged`, at: null, turn: null, error: { code: 'damaged' } });
});

test('a message that was taken back is told as queued and killed', async () => {
  const project = createShellProject();
  const withdrawn = async (wanted: number) =>
    (await eventsOf(project))
      .filter(({ turn }) => turn === wanted)
      .map(({ event, at: time }) => [event, time]);
  const told = [
    ['queued', expect.any(String)],
    ['killed', expect.any(String)],
  ];
  await project.ok(['start', '-q', 'hang'], { newId: A });
  await project.ok(['inject', A, '-q', '--queue', 'later']);
  await project.ok(['queue', 'rm', A]);
  expect(await withdrawn(2)).toEqual(told);
  await project.ok(['inject', A, '-q', '--queue', 'later']);
  // It takes back what waits, too.
  await project.ok(['kill', A]);
  expect(await withdrawn(3)).toEqual(told);
});

test('that is told also where the session itself ended before the time that is asked for', async () => {
  const project = createShellProject();
  place(join(project.base, 'home/.config/zwarm/config.toml'), 'max_running = 1\n');
  await project.ended(['first'], { newId: A, ...at('01:00') });
  setTimes(project, A, 1, '01:00', '01:30');
  await project.ok(['start', '-q', 'hang'], { newId: B });
  await project.ok(['inject', A, '-q', '--queue', 'later'], at('02:00'));
  await project.ok(['queue', 'rm', A]);
  const keys = await keysOf(project, ['--since', '2020-01-01T06:00:00Z']);
  expect(keys.filter((key) => key.startsWith(A))).toEqual([`${A}.2.killed`]);
});

test('-f goes on with each event once, until Ctrl-C', async () => {
  const project = createShellProject();
  const [, before] = [await project.ended(['first'], { newId: A }), await keysOf(project)];
  const interrupt = new AbortController();
  let shown = '';
  const following = project.zwarm(['events', '-f'], {
    interrupt: interrupt.signal,
    onStdout: (text) => {
      shown = text;
    },
  });
  const has = (key: string) => eventually(`it tells ${key}`, () => shown.includes(key));
  await has(`${A}.1.completed`);
  await project.ok(['start', '-q', 'hang'], { newId: B });
  await has(`${B}.1.started`);
  await project.ok(['inject', A, '--wait', 'again']);
  await has(`${A}.2.completed`);
  await project.ok(['kill', B]);
  await has(`${B}.1.killed`);
  interrupt.abort(130);
  const { code, stdout, stderr } = await following;
  expect({ code, stderr }).toEqual({ code: 130, stderr: '' });
  const keys = parsed(stdout).map(({ key }) => key);
  expect(keys.slice(0, 2)).toEqual(before);
  expect(keys.toSorted()).toEqual(
    [...before, `${B}.1.started`, `${A}.2.started`, `${A}.2.completed`, `${B}.1.killed`].sort(),
  );
});

test('a fork does not tell again what its origin has done; --everywhere tells of other projects', async () => {
  const project = createShellProject();
  await project.ended(['first'], { newId: A });
  await project.ok(['fork', A, '--wait', 'other'], { newId: B });
  await project.settled(B, 2);
  expect(await keysOf(project)).toEqual([
    ...[`${A}.1.started`, `${A}.1.completed`],
    ...[`${B}.2.started`, `${B}.2.completed`],
  ]);
  const elsewhere = { cwd: project.base };
  expect(await eventsOf(project, [], elsewhere)).toEqual([]);
  expect(await keysOf(project, ['--everywhere'], elsewhere)).toHaveLength(4);
  expect(await project.$('events', { ...elsewhere, tty: true })).toContain('nothing has happened');
});

test.each([40, 80, 200])(
  'what others say stays on its line at %i columns, and drives nothing',
  async (columns) => {
    const project = createProject();
    const text = Object.values(ATTACKS).join(' ');
    const env = toSay(project, text, 'failed');
    for (const task of [text, '漢字の仕事 🎉 '.repeat(40)])
      await project.zwarm(['start', '--wait', task], { env });
    const lines = (
      await project.$('events --everywhere', { tty: true, columns, env: { NO_COLOR: '1' } })
    ).split('\n');
    expect(lines).toHaveLength(5);
    expect(unfit(lines, columns)).toEqual([]);
  },
);
