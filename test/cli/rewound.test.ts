import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../src/core/ids.ts';
import type { SessionSummary } from '../../src/core/session.ts';
import { ownIdentity } from '../../src/process/identity.ts';
import { createProject, createShellProject, eventually, type Project } from '../helpers/project.ts';
import { managerOf } from '../helpers/tools-in-process.ts';

const [ID, FORK, OTHER] = ['cartaaaaaa', 'frkaaaaaaa', 'frkbbbbbbb'] as const;

/** The fields of a row that say what speaks for a session. */
const spoken = ({
  status,
  turn,
  last_prompt,
  last_message,
  exit_code,
  ended_at,
  thread_id,
}: SessionSummary) => ({
  ...{ status, turn, last_prompt, last_message, exit_code },
  hasEnded: ended_at !== null,
  hasThread: thread_id !== null,
});

/** How a session stands in a list from its summary, in one from its own files, and on its page, which must agree. */
async function standing(project: Project, id: string) {
  const row = async () => (await project.list(['--all'])).find((one) => one.id === id);
  const cached = await row();
  rmSync(join(project.store(), 'sessions', id, 'summary.json'), { force: true });
  const computed = await row();
  if (cached === undefined || computed === undefined) throw new Error(`${id} is not listed`);
  // How long it runs goes on.
  expect({ ...computed, duration_ms: 0 }).toEqual({ ...cached, duration_ms: 0 });
  const { messages: _, turns, ...summary } = await project.show(id);
  expect(spoken(summary)).toEqual(spoken(computed));
  return { ...spoken(computed), undone: turns.filter(({ undone }) => undone).map(({ turn }) => turn) };
}

/** A session of two turns that answered, each in its own words. */
async function twoTurns(): Promise<Project> {
  const project = createProject();
  await project.ended(['first', '--name', 'cart'], { newId: ID });
  await project.ok(['inject', ID, '--wait', 'second']);
  await project.settled(ID, 2);
  return project;
}

test('what was rewound speaks for nothing, and is marked', async () => {
  const project = await twoTurns();
  const second = await standing(project, ID);
  expect(second).toMatchObject({ status: 'completed', turn: 2, last_prompt: 'second', undone: [] });
  await project.ok(['rewind', ID, '--to', '1']);
  const first = { ...second, turn: 1, last_prompt: 'first', undone: [2] };
  expect(await standing(project, ID)).toEqual(first);
  // Another rewind brings it back, and one to the marker of the first takes it again.
  await project.ok(['rewind', ID, '--to', '2']);
  expect(await standing(project, ID)).toEqual({ ...second, undone: [3] });
  await project.ok(['rewind', ID, '--to', '3']);
  expect(await standing(project, ID)).toEqual({ ...first, undone: [2, 4] });
  await project.ok(['inject', ID, '--wait', 'third']);
  await project.settled(ID, 6);
  expect(await standing(project, ID)).toEqual({ ...second, turn: 6, last_prompt: 'third', undone: [2, 4] });
  // Its card counts what a person reads, and neither markers nor what was rewound.
  expect(await project.$(`show ${ID}`)).toMatch(/^cart · completed · 2 turns · /);
  expect(await project.$(`export ${ID}`)).toContain('- status: completed, 2 turns\n');
});

test('every screen marks what was rewound', async () => {
  const project = createShellProject();
  await project.ended(['quick', '--name', 'cart'], { newId: ID });
  await project.$(`inject ${ID} --wait break`);
  await project.ok(['rewind', ID, '--to', '1']);
  const steps: { turn: number; undone: boolean }[] = JSON.parse(
    await project.ok(['trajectory', ID, '--json']),
  );
  expect(new Set(steps.map(({ turn, undone }) => `${turn} ${undone}`))).toEqual(
    new Set(['1 false', '2 true']),
  );
  const logged = (await project.ok(['logs', ID, '--json'])).split('\n').map((line) => JSON.parse(line));
  expect(logged.map(({ turn, undone }) => ({ turn, undone }))).toEqual(
    steps.map(({ turn, undone }) => ({ turn, undone })),
  );
  const hits = JSON.parse(await project.ok(['search', '--json', '-e', 'quick|break']));
  expect(hits.map(({ turn, undone }: { turn: number; undone: boolean }) => [turn, undone])).toEqual([
    [2, true],
    [1, false],
  ]);
  expect(await project.$(`trajectory ${ID}`)).toMatchInlineSnapshot(`
    "── turn 1 · completed · 0.0s ───────────────────────────────────────────────────
      1 done
    ── turn 2 · failed · rewound · 0.0s ────────────────────────────────────────────
      2 error: it broke
    ── turn 3 · rewound to turn 1 ──────────────────────────────────────────────────
    "
  `);
  expect((await project.$(`logs ${ID}`)).replace(/─+/g, '─')).toMatchInlineSnapshot(`
    "─ turn 1 ─
      done
    ─ turn 2 · rewound ─
      error: it broke
    "
  `);
  expect(
    (await project.$(`show ${ID}`)).replace(/─+/g, '─').replace(/· [\d.]+m?s/g, '· 1s'),
  ).toMatchInlineSnapshot(`
    "cart · completed · 1 turn · 1s · 1s ago · 15 tokens · cartaaaaaa
      task       quick
      agent      codex

      (turn 2 rewound; see: zwarm show cartaaaaaa --full)

    ─ turn 1 · completed · 1s ─

    > quick

      done

    ─ turn 3 · rewound to turn 1 ─
    "
  `);
  expect(await project.$(`answer ${ID}`)).toBe('done\n');
  expect(await project.$(`wait ${ID}`)).toBe(`${ID} completed\n`);
  expect(await project.$(`kill ${ID}`)).toMatch(/is not running: it ended \d+\w ago: completed/);
});

test('a rewind that was undone is told with what it had undone', async () => {
  const project = createShellProject();
  await project.ended(['quick'], { newId: ID });
  await project.ok(['inject', ID, '--wait', 'quick']);
  await project.ok(['rewind', ID, '--to', '1']);
  await project.ok(['rewind', ID, '--to', '2']);
  const shown = await project.$(`show ${ID}`);
  expect(shown).toContain(`(turn 3 rewound; see: zwarm show ${ID} --full)`);
  expect(shown).not.toContain('rewound to turn 1');
  expect(shown).toMatch(/── turn 4 · rewound to turn 2 ─+\n$/);
  for (const line of [`trajectory ${ID}`, `show ${ID} --full`])
    expect(await project.$(line)).toContain('── turn 3 · rewound to turn 1 · undone ──');
});

test('after a rewind to the beginning, and forked without a message, a session is ready', async () => {
  const project = await twoTurns();
  await project.ok(['fork', ID, '--turn', '1'], { newId: FORK });
  const summary = (id: string) => join(project.store(), 'sessions', id, 'summary.json');
  expect(existsSync(summary(FORK))).toBe(true);
  const ready = { status: 'ready', turn: null, last_message: null, exit_code: null, hasEnded: false };
  expect(await standing(project, FORK)).toEqual({
    ...ready,
    last_prompt: 'first',
    hasThread: true,
    undone: [],
  });
  await project.ok(['rewind', ID, '--to', '0']);
  expect(existsSync(summary(ID))).toBe(true);
  expect(await standing(project, ID)).toEqual({
    ...ready,
    ...{ last_prompt: null, hasThread: false, undone: [1, 2] },
  });
  for (const row of await project.list())
    expect(row).toMatchObject({
      needs_attention: false,
      log_file: null,
      error: null,
      pid: null,
      signal: null,
    });
  expect(await project.ok(['ls', '-q', '--status', 'ready'])).toBe(`${ID}\n${FORK}`);
  expect(await project.ok(['ls', '-q', '--attention'])).toBe('');
  const rows = (await project.ok(['ls'])).split('\n').map((row) => row.split('\t'));
  expect(rows.map(([id, status, turn, , , said]) => [id, status, turn, said])).toEqual([
    [ID, 'ready', '', ''],
    [FORK, 'ready', '', 'first'],
  ]);
  const said: string[] = [];
  for (const line of [
    `wait ${FORK}`,
    `answer ${FORK}`,
    `kill ${FORK}`,
    `compact ${FORK}`,
    `start --after ${FORK} x`,
  ])
    said.push(`$ zwarm ${line}\n${await project.$(line)}`);
  expect(said.join('')).toMatchInlineSnapshot(`
    "$ zwarm wait frkaaaaaaa
    zwarm: frkaaaaaaa is ready: there is nothing to wait for
    hint: give it a message: zwarm inject frkaaaaaaa "…"
    [exit 4]
    $ zwarm answer frkaaaaaaa
    zwarm: frkaaaaaaa is ready: it has no answer yet
    hint: give it a message: zwarm inject frkaaaaaaa "…"
    [exit 4]
    $ zwarm kill frkaaaaaaa
    zwarm: frkaaaaaaa is ready: there is nothing to end
    hint: see: zwarm show frkaaaaaaa
    [exit 4]
    $ zwarm compact frkaaaaaaa
    zwarm: frkaaaaaaa is ready: it has no turn of its own to compact
    hint: give it a message: zwarm inject frkaaaaaaa "…"
    [exit 4]
    $ zwarm start --after frkaaaaaaa x
    zwarm: frkaaaaaaa is ready: there is nothing to wait for
    hint: give it a message: zwarm inject frkaaaaaaa "…"
    [exit 4]
    "
  `);
});

test('--any and --tag pass over what is ready, unless nothing else is there', async () => {
  const project = createShellProject();
  await project.ended(['quick', '--tag', 'ci'], { newId: ID });
  await project.ok(['fork', ID], { newId: FORK });
  expect(await project.$('wait --tag ci')).toBe(`${ID} completed\n`);
  expect(JSON.parse(await project.ok(['wait', '--tag', 'ci', '--json']))).toMatchObject([{ id: ID }]);
  expect(await project.$(`wait --any ${FORK} ${ID}`)).toBe(`${ID} completed\n`);
  expect(await project.$(`wait ${FORK} ${ID}`)).toMatch(
    /completed\nzwarm: .* is ready: there is nothing to wait for\nhint: .*\n\[exit 4\]\n$/,
  );
  await project.ok(['fork', ID], { newId: OTHER });
  expect(await project.$(`wait --any ${FORK}`)).toContain(`${FORK} is ready: there is nothing to wait for`);
  expect(await project.$(`wait --any ${FORK} ${OTHER}`)).toBe(
    'zwarm: none of these sessions has anything to wait for: they are ready\nhint: give one of them a message: zwarm inject ID "…"\n[exit 4]\n',
  );
});

test('a ready session goes on like any other, with the agent of the turn where its conversation stands', async () => {
  const project = createProject();
  await project.ended(['first', '-a', 'codex', '-m', 'one'], { newId: ID });
  await project.ok(['inject', ID, '--wait', '-a', 'demo', 'second [[seconds=0]]']);
  await project.settled(ID, 2);
  expect(await project.show(ID)).toMatchObject({ agent: 'demo', model: null });
  await project.ok(['fork', ID], { newId: FORK });
  await project.ok(['rewind', ID, '--to', '1']);
  expect(await project.show(ID)).toMatchObject({ agent: 'codex', model: 'one', status: 'completed' });
  expect(await project.show(FORK)).toMatchObject({ agent: 'demo', model: null, status: 'ready' });
  await project.ok(['inject', FORK, '--wait', 'go on [[seconds=0]]']);
  await project.ok(['inject', ID, '--wait', 'go on']);
  const agents = async (id: string) => (await project.show(id)).turns.map(({ agent }) => agent);
  expect(await agents(FORK)).toEqual(['codex', 'demo', 'demo']);
  expect(await agents(ID)).toEqual(['codex', 'demo', 'codex', 'codex']);
  await project.ok(['rewind', ID, '--to', '0']);
  expect(await project.show(ID)).toMatchObject({ agent: 'codex', status: 'ready' });
  await project.ok(['inject', ID, '--wait', 'anew']);
  expect(await project.show(ID)).toMatchObject({ status: 'completed', turn: 6, last_prompt: 'anew' });
  // And it can be removed.
  await project.ok(['fork', FORK, '--turn', '1'], { newId: OTHER });
  expect(await project.ok(['rm', OTHER])).toBe(OTHER);
});

test('what is queued behind another agent’s message goes to that agent', async () => {
  const project = createShellProject();
  await project.ok(['start', '-a', 'codex', 'gate go'], { newId: ID });
  for (const more of [['-a', 'demo'], []])
    await project.ok(['inject', ID, '--queue', ...more, 'and then [[seconds=0]]']);
  const agents = async () => (await project.show(ID)).turns.map(({ agent }) => agent);
  expect(await agents()).toEqual(['codex', 'demo', 'demo']);
  await project.ok(['kill', ID]);
});

test('what runs speaks for a session though it was rewound, but its answer does not count', async () => {
  const project = createShellProject();
  await project.ended(['quick'], { newId: ID });
  const late = '{"type":"item.completed","item":{"id":"a","type":"agent_message","text":"late"}}';
  await project.ok(['inject', ID, `run echo '${late}'; until [ -e go ]; do sleep 0.01; done`]);
  await eventually('it has spoken', () =>
    project.show(ID).then(({ last_message }) => last_message === 'late'),
  );
  // zwarm itself winds nothing back that runs.
  const request = {
    ...JSON.parse(readFileSync(project.turnFile(ID, 1, 'request.json'), 'utf8')),
    kind: 'rewind',
    to: 1,
  };
  mkdirSync(dirname(project.turnFile(ID, 3, 'request.json')));
  writeFileSync(project.turnFile(ID, 3, 'request.json'), JSON.stringify(request));
  expect(await standing(project, ID)).toMatchObject({
    ...{ status: 'running', turn: 2, last_message: null, last_prompt: 'quick', undone: [2] },
  });
  expect(await project.$(`inject ${ID} more`)).toContain('is still running');
  await project.ok(['kill', ID]);
  expect(await standing(project, ID)).toMatchObject({ status: 'completed', turn: 1, last_message: 'done' });
});

test('a rewind mends nothing of which another session waits', async () => {
  const project = createShellProject();
  await project.ended(['quick'], { newId: ID });
  await project.$(`inject ${ID} --wait break`);
  await project.ok(['start', 'quick', '--after', ID], { newId: OTHER });
  for (const to of ['1', '0']) {
    await project.ok(['rewind', ID, '--to', to]);
    await project.$('queue run');
    expect(await project.show(OTHER)).toMatchObject({ pending: { reason: 'failed_dependency' } });
  }
  // A later message does.
  await project.ok(['inject', ID, '--wait', 'quick']);
  await project.$('queue run');
  expect(await project.$(`wait ${OTHER}`)).toBe(`${OTHER} completed\n`);
});

test('who waits for a turn is told how that ended, though it is rewound at that moment', async () => {
  const project = createShellProject();
  await project.ended(['quick'], { newId: ID });
  const file = (turn: number, name: string) => project.turnFile(ID, turn, name);
  const request = JSON.parse(readFileSync(file(1, 'request.json'), 'utf8'));
  const claim = (turn: number, more: object): void => {
    mkdirSync(dirname(file(turn, 'x')));
    writeFileSync(file(turn, 'request.json'), JSON.stringify({ ...request, ...more }));
  };
  claim(2, { claimer: ownIdentity() });
  let looks = 0;
  const now = (): number => {
    looks += 1;
    return Date.now();
  };
  const waited = managerOf(project, null, { now }).wait(ID as SessionId);
  // The first has seen the turn that is about to run.
  await eventually('it looks again', () => looks > 1);
  const exit = { v: 1, code: null, why: 'not_launched', detail: null, cancelled: false, uptime: null };
  writeFileSync(file(2, 'exit.json'), JSON.stringify({ ...exit, ended_at: null, events_bytes: null }));
  claim(3, { kind: 'rewind', to: 1 });
  expect(await waited).toBe('failed');
  expect(await project.$(`wait ${ID}`)).toBe(`${ID} completed\n`);
});
