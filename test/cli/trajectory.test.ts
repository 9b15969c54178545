import { expect, test } from 'vitest';
import { openSessions } from '../../src/index.ts';
import { onScreen } from '../helpers/context.ts';
import { columnsOf, DRIVES } from '../helpers/display.ts';
import { createProject, type Project, stream } from '../helpers/project.ts';

/** A session whose turns print these recorded streams. */
async function sessionOf(project: Project, names: string): Promise<string> {
  const id = 'abcdefghjp';
  for (const [i, name] of names.split(' ').entries()) {
    const argv = i === 0 ? ['start', '--wait', 'go'] : ['inject', id, '--wait', 'go on'];
    await onScreen(project, argv, { newId: id, env: { FAKE_AGENT_STREAM: stream(name) } });
  }
  return id;
}

test('a line for each step, numbered through all turns, with a rule before each turn', async () => {
  const project = createProject();
  const id = await sessionOf(project, 'sigint-during-command shell-failed todo-list mcp file-change');
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
  const { stdout } = await onScreen(project, ['trajectory', id, '--turn', '3']);
  const turn = [rule('turn 3 · completed'), '6 # plan: 2 of 2 done', '7 $ true', '8 » All steps done.', ''];
  expect(stdout).toBe(turn.join('\n'));
});

test('no line is wider than the terminal, whatever the agent said, and the end of a command is not cut off', async () => {
  const project = createProject();
  const id = await sessionOf(project, 'sigint-during-command big-message reasoning odd-bytes shell-failed');
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

test('--full prints all of a step behind its number; --json and the library give the same list, with the number of each step', async () => {
  const project = createProject();
  const id = await sessionOf(project, 'shell-failed message');
  const full = await onScreen(project, ['trajectory', id, '--full', '--turn', '1']);
  expect(full.stdout).toMatch(
    /\n1 {2}\$ .* \[exit 1\]\n {5}cat: .*\n\n2 [\s\S]*\n3 {2}Both commands failed\.\n$/,
  );
  const all = JSON.parse((await onScreen(project, ['trajectory', id, '--json'])).stdout);
  const times = { started_at: null, ended_at: null };
  const message = { type: 'message', role: 'assistant', ...times };
  const command = "/bin/bash -lc 'echo to-stderr >&2; exit 3'";
  const failed = { output: 'to-stderr\n', exit_code: 3, status: 'failed' };
  expect(all.slice(1)).toEqual([
    { type: 'command', turn: 1, step: 2, command, ...failed, ...times },
    { ...message, turn: 1, step: 3, content: 'Both commands failed.' },
    { ...message, turn: 2, step: 4, content: 'The project prints two lines.' },
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
  await onScreen(project, ['start', 'stay'], { env: { FAKE_AGENT_HANG: '1', FAKE_AGENT_STREAM: undefined } });
  expect((await onScreen(project, ['trajectory', '@last'])).stdout).toMatch(
    /^── turn 1 · (running|pending) ─+\n$/,
  );
  expect((await onScreen(project, ['trajectory', '@last', '--json'])).stdout).toBe('[]\n');
});
