import { expect, test } from 'vitest';
import { openSessions } from '../../src/index.ts';
import { onScreen } from '../helpers/context.ts';
import { columnsOf, DRIVES } from '../helpers/display.ts';
import { createProject, type Project, stream } from '../helpers/project.ts';

/** A session whose turns print these recorded streams. */
async function sessionOf(project: Project, ...names: readonly string[]): Promise<string> {
  const id = 'abcdefghjp';
  for (const [i, name] of names.entries()) {
    const argv = i === 0 ? ['start', '--wait', 'go'] : ['inject', id, '--wait', 'go on'];
    await onScreen(project, argv, { newId: id, env: { FAKE_AGENT_STREAM: stream(name) } });
  }
  return id;
}

test('a line for each step, numbered through all turns, with a rule before each turn', async () => {
  const project = createProject();
  const id = await sessionOf(
    project,
    'sigint-during-command',
    'shell-failed',
    'todo-list',
    'mcp',
    'file-change',
  );
  const shown = await onScreen(project, ['trajectory', id]);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  const rule = (words: string): string => `── ${words} ${'─'.repeat(76 - words.length)}`;
  expect(shown.stdout).toBe(
    [
      rule('turn 1 · failed'),
      ' 1 » Running a long command.',
      ' 2 $ echo started; sleep 301; echo finished [interrupted]',
      rule('turn 2 · completed'),
      ' 3 $ cat does-not-exist.txt [exit 1]',
      ' 4 $ echo to-stderr >&2; exit 3 [exit 3]',
      ' 5 » Both commands failed.',
      rule('turn 3 · completed'),
      ' 6 # plan: 2 of 2 done',
      ' 7 $ true',
      ' 8 » All steps done.',
      rule('turn 4 · completed'),
      ' 9 @ fake.echo',
      '10 @ fake.fail [failed]',
      '11 » Called the MCP server.',
      rule('turn 5 · completed'),
      '12 ± delete /workspace/README.md, update /workspace/app.py, add /workspace/hello.txt',
      '13 » Patched three files.',
      '',
    ].join('\n'),
  );

  const turn = await onScreen(project, ['trajectory', id, '--turn', '3']);
  expect(turn.stdout.split('\n')).toEqual([
    rule('turn 3 · completed'),
    '6 # plan: 2 of 2 done',
    '7 $ true',
    '8 » All steps done.',
    '',
  ]);
});

test('no line is wider than the terminal, whatever the agent said, and the end of a command is not cut off', async () => {
  const project = createProject();
  const id = await sessionOf(
    project,
    'sigint-during-command',
    'big-message',
    'reasoning',
    'odd-bytes',
    'shell-failed',
  );
  for (const columns of [30, 40, 80, 200]) {
    const { stdout } = await onScreen(project, ['trajectory', id], { tty: true, columns });
    const lines = stdout.trimEnd().split('\n');
    for (const line of lines) expect(columnsOf(line), line).toBeLessThanOrEqual(columns);
    for (const line of lines) expect(line.replace(/\x1b\[[0-9;]*m/g, '')).not.toMatch(DRIVES);
    if (columns >= 40) expect(stdout).toContain('[interrupted]');
  }
  // A pipe has no width; but a message of a megabyte is not for a list.
  const { stdout } = await onScreen(project, ['trajectory', id]);
  const longest = Math.max(...stdout.split('\n').map((line) => line.length));
  expect(longest).toBeGreaterThan(200);
  expect(longest).toBeLessThanOrEqual(500);
});

test('--full prints all of a step behind its number', async () => {
  const project = createProject();
  const id = await sessionOf(project, 'shell-failed');
  const { stdout } = await onScreen(project, ['trajectory', id, '--full']);
  expect(stdout).toContain("\n1  $ /bin/bash -lc 'cat does-not-exist.txt' [exit 1]\n");
  expect(stdout).toContain('\n     cat: does-not-exist.txt: No such file or directory\n');
  expect(stdout).toContain('\n3  Both commands failed.\n');
});

test('--json and the library give the same list, with the number of each step', async () => {
  const project = createProject();
  const id = await sessionOf(project, 'shell-failed', 'message');
  const all = JSON.parse((await onScreen(project, ['trajectory', id, '--json'])).stdout);
  const times = { started_at: null, ended_at: null };
  expect(all.slice(1)).toEqual([
    {
      type: 'command',
      turn: 1,
      step: 2,
      command: "/bin/bash -lc 'echo to-stderr >&2; exit 3'",
      output: 'to-stderr\n',
      exit_code: 3,
      status: 'failed',
      ...times,
    },
    { type: 'message', turn: 1, step: 3, role: 'assistant', content: 'Both commands failed.', ...times },
    {
      type: 'message',
      turn: 2,
      step: 4,
      role: 'assistant',
      content: 'The project prints two lines.',
      ...times,
    },
  ]);
  const second = JSON.parse((await onScreen(project, ['trajectory', id, '--json', '--turn', '2'])).stdout);
  expect(second).toEqual(all.slice(3));
  const sessions = openSessions({ cwd: project.directory, env: project.env });
  expect(await sessions.steps(id)).toEqual(all);
  expect(await sessions.steps(id, { turn: 2 })).toEqual(second);
  await expect(sessions.steps(id, { turn: 3 })).rejects.toMatchObject({ code: 'usage' });
  const followed = [];
  for await (const step of sessions.followSteps(sessions.resolve(id))) followed.push(step);
  expect(followed).toEqual(all);
});

test('a session that has done nothing yet is a heading, or an empty array', async () => {
  const project = createProject();
  await onScreen(project, ['start', 'stay'], {
    newId: 'abcdefghjp',
    env: { FAKE_AGENT_HANG: '1', FAKE_AGENT_STREAM: undefined },
  });
  expect((await onScreen(project, ['trajectory', '@last'])).stdout).toMatch(
    /^── turn 1 · (running|pending) ─+\n$/,
  );
  expect((await onScreen(project, ['trajectory', '@last', '--json'])).stdout).toBe('[]\n');
});
