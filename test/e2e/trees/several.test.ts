import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../../helpers/config.ts';
import { git } from '../../helpers/git.ts';
import { createShellProject } from '../../helpers/project.ts';
import { createRepository } from '../../helpers/repository.ts';

test('a task is given to several agents, each in a tree of its own, with one tag', async () => {
  const project = createRepository();
  const argv = ['start', '-W', '-a', 'codex', '-a', 'demo', '--count', '2', '--name', 'try', 'quick'];
  const { code, stdout } = await project.zwarm(argv);
  expect(code).toBe(0);
  const ids = stdout.trim().split('\n');
  const rows = await project.list();
  expect(rows.map(({ id }) => id).sort()).toEqual([...ids].sort());
  const [tag] = rows[0]?.tags ?? [];
  expect(tag).toMatch(/^batch-\w{10}$/);
  const told = rows.map(({ name, agent, tags, worktree }) => [
    name,
    agent,
    worktree?.branch,
    tags[0] === tag,
  ]);
  expect(told.sort()).toEqual([
    ['try-1', 'codex', 'zwarm/try-1', true],
    ['try-2', 'demo', 'zwarm/try-2', true],
    ['try-3', 'codex', 'zwarm/try-3', true],
    ['try-4', 'demo', 'zwarm/try-4', true],
  ]);
  await project.ok(['wait', '--tag', tag ?? '']);
});

test('tasks come from files, or as lines of JSON', async () => {
  const project = createRepository({ 'a.md': 'run echo a > out', 'b.md': 'run echo b > out' });
  git(project.directory, 'tag', 'v1');
  await project.ok(['start', '-W', '--tag', 'docs', '--each', 'a.md', 'b.md']);
  await project.zwarm(['wait', '--tag', 'docs']);
  const tasks = (await project.list(['--tag', 'docs'])).map(({ task }) => task);
  expect(tasks.sort()).toEqual(['run echo a > out', 'run echo b > out']);

  const lines = [
    { task: 'quick 1', name: 'one', base: 'v1' },
    { task: 'quick 2', agent: 'demo' },
  ];
  const input = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n\n`;
  const started = JSON.parse(
    await project.ok(['start', '-W', '--each', '-', '--json', '-a', 'codex'], { input }),
  );
  expect(started).toMatchObject([
    { name: 'one', agent: 'codex', task: 'quick 1', started: true },
    { name: null, agent: 'demo', task: 'quick 2', started: true },
  ]);
  await project.ok(['wait', '--tag', started[0].tags[0]]);
});

test('--dry-run prints places and commands, and does nothing', async () => {
  const project = createRepository();
  const head = git(project.directory, 'rev-parse', 'HEAD');
  const said = await project.$('start -W --count 2 --name x --dry-run task');
  const told = said
    .replaceAll(project.base, '/base')
    .replaceAll(head, 'HEAD')
    .replaceAll(/\S+fixtures\//g, 'fixtures/');
  expect(told).toMatchInlineSnapshot(`
    "/base/project.worktrees/x-1	zwarm/x-1	HEAD	fixtures/shell-agent exec --json -C /base/project.worktrees/x-1 -s workspace-write -c 'mcp_servers.zwarm={command="true",enabled=false}' -
    /base/project.worktrees/x-2	zwarm/x-2	HEAD	fixtures/shell-agent exec --json -C /base/project.worktrees/x-2 -s workspace-write -c 'mcp_servers.zwarm={command="true",enabled=false}' -
    "
  `);
  const [plan] = JSON.parse(await project.ok(['start', '--dry-run', '--json', '-s', 'read-only', 'task']));
  expect(plan).toMatchObject({ name: null, agent: 'codex', working_dir: project.directory, worktree: null });
  expect(plan.command).toContain('read-only');
  expect(existsSync(project.store())).toBe(false);
  expect(readdirSync(project.base)).not.toContain('project.worktrees');
});

test.each([
  ['--each none.md', '', /cannot read the task from .*none\.md\n/],
  ['--each a.md x', '', /cannot read the task from .*\/x\n/],
  ['--each a.md --count 2', '', /^zwarm: --each brings the tasks\n/],
  ['--each empty.md', '', /^zwarm: a task of empty\.md is empty\n/],
  ['--each -', '{"task":"x"}\n{"tsk":"x"}', /^zwarm: line 2 of stdin: .*\n/],
  ['--each -', '{"task":"x"}\nrun it', /^zwarm: line 2 of stdin: it is not valid JSON\n/],
  ['--each -', '{"task":"x","tag":"y"}', /^zwarm: line 1 of stdin: /],
  ['--each -', '{"task":"x","base":"HEAD"}', /^zwarm: "base" is of a tree of its own\n/],
  ['--each -', '', /^zwarm: there is no task\n/],
  [
    '--each -',
    '{"task":"x","name":"a"}\n{"task":"y","name":"a"}',
    /^zwarm: two of the sessions are named a\n/,
  ],
  // The second one cannot be: the first does not begin either.
  ['-W --each -', '{"task":"x"}\n{"task":"y","base":"no-such"}', /^zwarm: "no-such" is not a commit in /],
  ['-a codex -a nobody x', '', /nobody/],
  ['-W --count 2 --branch b x', '', /^zwarm: each tree needs a branch of its own\n/],
  ['--count 2 --key k x', '', /^zwarm: --key is of one session\n/],
  ['--count 2 --wait x', '', /^zwarm: --wait waits for one session\n/],
  ['--count 26 -a a -a b -a c -a d x', '', /^zwarm: 104 sessions are too many\n/],
  ['--count 51 x', '', /^zwarm: --count: "51" is not a whole number from 1 to 50\n/],
  ['--count 0 x', '', /^zwarm: --count: "0" is not a whole number from 1 to 50\n/],
])('start %s is refused, and nothing begins', async (line, input, said) => {
  const project = createRepository({ 'a.md': 'quick', 'empty.md': '\n' });
  const { code, stdout, stderr } = await project.zwarm(['start', ...line.split(' ')], { input });
  expect([code, stdout, stderr]).toEqual([expect.toBeOneOf([2, 4]), '', expect.stringMatching(said)]);
  expect(existsSync(project.store())).toBe(false);
});

test('one that cannot begin stops no other', async () => {
  const project = createShellProject();
  place(join(project.base, 'home/.config/zwarm/config.toml'), 'max_running = 2\n');
  const { code, stdout, stderr } = await project.zwarm(['start', '--count', '3', 'hang']);
  expect([code, stdout.trim().split('\n').length]).toEqual([4, 2]);
  expect(stderr).toContain('2 turns run in this project');
  expect(await project.list()).toHaveLength(2);
});

test('what waits for its turn has its tree already', async () => {
  const project = createRepository();
  place(join(project.base, 'home/.config/zwarm/config.toml'), 'max_running = 1\n');
  const first = await project.begin('hang');
  const ids = (await project.ok(['start', '-W', '--queue', '--count', '2', 'run pwd > here'])).split('\n');
  for (const id of ids) expect(await project.show(id)).toMatchObject({ status: 'pending' });
  await project.ok(['kill', first]);
  for (const id of ids) await project.zwarm(['wait', id]);
  for (const id of ids) {
    const { status, working_dir } = await project.show(id);
    expect([status, readdirSync(working_dir ?? '').includes('here')]).toEqual(['completed', true]);
  }
});
