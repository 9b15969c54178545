import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onScreen, type ScreenOptions } from '../helpers/context.ts';
import { DRIVES } from '../helpers/display.ts';
import { createPatient } from '../helpers/patient.ts';
import { createProject, type Project, stream, ZWARM } from '../helpers/project.ts';

const ID = 'steps2abcd';
const OTHER = 'steps2abce';

/** A session whose turns print these recorded streams. */
async function sessionOf(
  project: Project,
  names: readonly string[],
  { newId = ID, env = {} }: ScreenOptions = {},
): Promise<void> {
  for (const [i, name] of names.entries()) {
    const argv = i === 0 ? ['start', '--wait', 'go'] : ['inject', newId, '--wait', 'go on'];
    await onScreen(project, argv, { newId, env: { FAKE_AGENT_STREAM: stream(name), ...env } });
    await project.settled(newId, i + 1);
  }
}

const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const rule = (words: string): string => `── ${words} ${'─'.repeat(76 - words.length)}`;

test('the steps of an ended session, in order, each with its output, a rule before each turn', async () => {
  const project = createProject();
  await sessionOf(project, ['parallel', 'sigint-during-command', 'message']);
  for (const args of [[], ['-f']]) {
    const shown = await onScreen(project, ['logs', ID, ...args]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout.split('\n')).toEqual([
      rule('turn 1'),
      // The second one ended first.
      '  $ sleep 1.4; echo first [exit 0]',
      '    first',
      '  $ sleep 0.7; echo second [exit 0]',
      '    second',
      '  Both done.',
      rule('turn 2'),
      '  Running a long command.',
      '  $ echo started; sleep 301; echo finished [interrupted]',
      rule('turn 3'),
      '  The project prints two lines.',
      '',
    ]);
  }
});

test('--json prints a line for each step of the trajectory, with the id of its session', async () => {
  const project = createProject();
  const names = 'shell-failed todo-list stream-cut-recovers fail-late mcp sigint-during-command'.split(' ');
  await sessionOf(project, names);
  const steps: object[] = JSON.parse((await onScreen(project, ['trajectory', ID, '--json'])).stdout);
  const lines = jsonLines((await onScreen(project, ['logs', ID, '--json'])).stdout);
  const last = new Map(lines.map((line) => [`${line['turn']} ${line['step']}`, line]));
  expect([...last.values()]).toEqual(steps.map((step) => ({ id: ID, ...step })));
  expect(Object.keys(lines[0] ?? {})).toEqual(['id', ...Object.keys(steps[0] ?? {})]);
});

test('a retry that helped is no step, also where nothing was said afterwards', async () => {
  const project = createProject();
  const path = join(project.base, 'retry.jsonl');
  const retry = '{"type":"error","message":"Reconnecting... 1/5 (stream disconnected)"}\n';
  const end =
    '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}\n';
  const shown: string[] = [];
  for (const events of [retry + end, retry]) {
    writeFileSync(path, events);
    await onScreen(project, ['start', '--wait', 'go'], { env: { FAKE_AGENT_STREAM: path } });
    shown.push(await project.$('logs @last'));
  }
  expect(shown).toEqual(['', `${rule('turn 1')}\n  ! Reconnecting... 1/5 (stream disconnected)\n`]);
});

test('-n tells how many of the last steps, --turn which turn', async () => {
  const project = createProject();
  await sessionOf(project, ['shell-failed', 'todo-list', 'message']);
  const numbers = async (args: string) => {
    const { stdout } = await onScreen(project, ['logs', ID, '--json', ...args.split(' ')]);
    return jsonLines(stdout).map((line) => line['step']);
  };
  expect(await numbers('-n 3')).toEqual([5, 6, 7]);
  // The plan as it stands at last, once.
  expect(await numbers('-n 4')).toEqual([4, 5, 6, 7]);
  expect(await numbers('-n 0')).toEqual([]);
  expect(await numbers('-n 999999999')).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(await numbers('--turn 2 -n 1')).toEqual([6]);
  expect(await numbers('-f --turn 1 -n 2')).toEqual([2, 3]);
});

test('several sessions: each line says whose it is, and a bad one keeps nobody from the others', async () => {
  const project = createProject();
  await sessionOf(project, ['shell-failed']);
  await sessionOf(project, ['message'], { newId: OTHER });
  const shown = await onScreen(project, ['logs', ID, 'nosuch', OTHER]);
  expect(shown).toMatchObject({ code: 3, stderr: 'zwarm: no session nosuch\nhint: see: zwarm ls --all\n' });
  const lines = shown.stdout.split('\n').slice(0, -1);
  const others = lines.filter((line) => line.startsWith(`${OTHER}  `));
  expect(others).toEqual([`${OTHER}  ${rule('turn 1')}`, `${OTHER}    The project prints two lines.`]);
  const own = lines.filter((line) => !others.includes(line));
  expect(own.filter((line) => !line.startsWith(`${ID}  `))).toEqual([]);
  expect(own).toContain(`${ID}      to-stderr`);

  const json = await onScreen(project, ['logs', '--json', ID, 'nosuch', OTHER]);
  expect(json).toMatchObject({ code: 3, stderr: '' });
  expect(jsonLines(json.stdout).at(-1)).toEqual({
    id: 'nosuch',
    error: { code: 'not_found', message: 'no session nosuch', hint: 'see: zwarm ls --all' },
  });
});

test('--stderr prints what the agent said there, harmless; empty lines become one', async () => {
  const project = createProject();
  const said = 'one\n\n\n\u001b]52;c;eA==\u0007two \u202e\nlast';
  await sessionOf(project, ['message'], { env: { FAKE_AGENT_STDERR: said } });
  const { stdout } = await onScreen(project, ['logs', '--stderr', ID]);
  expect(stdout).toBe('one\n\n\\x1b]52;c;eA==\\x07two \\u202e\nlast\n');
  expect(stdout).not.toMatch(DRIVES);
});

test('--raw prints the very bytes of the turns, and nothing behind the recorded end', async () => {
  const project = createProject();
  await sessionOf(project, ['odd-bytes', 'message'], { env: { FAKE_AGENT_STDERR: 'a\u001bb\n\n' } });
  const raw = (...args: string[]): Buffer =>
    execFileSync(process.execPath, [ZWARM, 'logs', '--raw', ID, ...args], {
      cwd: project.directory,
      env: project.env,
    });
  const bytes = [1, 2].map((turn) => readFileSync(project.turnFile(ID, turn, 'events.jsonl')));
  expect(raw().equals(Buffer.concat(bytes))).toBe(true);
  writeFileSync(project.turnFile(ID, 2, 'events.jsonl'), 'said later\n', { flag: 'a' });
  expect(raw('--turn', '2', '-f').equals(bytes[1] ?? Buffer.alloc(0))).toBe(true);
  expect(raw('--stderr', '--turn', '1').toString()).toBe('a\u001bb\n\n');
});

test('a link in the place of the output is not followed', async () => {
  const project = createProject();
  await sessionOf(project, ['message']);
  const events = project.turnFile(ID, 1, 'events.jsonl');
  renameSync(events, join(project.base, 'elsewhere'));
  symlinkSync(join(project.base, 'elsewhere'), events);
  for (const args of [[], ['-f'], ['--raw']]) {
    const shown = await onScreen(project, ['logs', ID, ...args]);
    expect(shown).toMatchObject({ code: 4, stdout: '' });
    expect(shown.stderr).toMatch(/cannot be read.*\nhint: /);
  }
});

test('of a session on another host -f shows what is there, and says that it cannot tell whether it runs', async () => {
  const patient = createPatient();
  const turn = join(patient.session(ID), 'turns', '1');
  const request = JSON.parse(readFileSync(join(turn, 'request.json'), 'utf8'));
  request.claimer.pid_ns = 'pid:[1]';
  writeFileSync(join(turn, 'request.json'), JSON.stringify(request));
  writeFileSync(join(turn, 'events.jsonl'), readFileSync(stream('message')));
  const shown = await onScreen(patient, ['logs', ID]);
  expect(shown).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('prints two lines') });
  expect(await onScreen(patient, ['logs', '-f', ID])).toEqual({
    code: 4,
    stdout: shown.stdout,
    stderr:
      `zwarm: ${ID} was started from inside a container or sandbox: whether it runs cannot be told here\n` +
      'hint: follow it there\n',
  });
});
