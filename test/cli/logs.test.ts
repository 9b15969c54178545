import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { messageLine } from '../../bench/streams.js';
import { openSessions } from '../../src/index.ts';
import { onScreen, type ScreenOptions } from '../helpers/context.ts';
import { columnsOf, DRIVES, plain } from '../helpers/display.ts';
import { createPatient } from '../helpers/patient.ts';
import { createProject, type Project, stream, ZWARM } from '../helpers/project.ts';

const ID = 'steps2abcd';
const OTHER = 'steps2abce';

/** A session whose turns print these recorded streams. */
async function sessionOf(
  project: Project,
  names: string,
  { newId = ID, env = {} }: ScreenOptions = {},
): Promise<void> {
  for (const [i, name] of names.split(' ').entries()) {
    const argv = i === 0 ? ['start', '--wait', 'go'] : ['inject', newId, '--wait', 'go on'];
    await onScreen(project, argv, { newId, env: { FAKE_AGENT_STREAM: stream(name), ...env } });
    await project.settled(newId, i + 1);
  }
}

const jsonLines = (text: string): Record<string, unknown>[] =>
  (text.match(/.+/g) ?? []).map((line) => JSON.parse(line));

const rule = (words: string): string => `── ${words} ${'─'.repeat(76 - words.length)}`;

test('the steps of an ended session, in order, each with its output, a rule before each turn', async () => {
  const project = createProject();
  await sessionOf(project, 'parallel sigint-during-command message');
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
  await sessionOf(project, 'shell-failed todo-list message');
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
  await sessionOf(project, 'shell-failed');
  await sessionOf(project, 'message', { newId: OTHER });
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

test('-n prints the last steps, of which no more is read than that needs; --tail is the same', async () => {
  const project = createProject();
  await sessionOf(project, 'shell-failed message message');
  const events = project.turnFile(ID, 2, 'events.jsonl');
  const said = Array.from({ length: 20_000 }, (_, i) => messageLine(`item_${i}`, `${i} ${'x'.repeat(300)}`));
  writeFileSync(events, said.join(''));
  const exit = project.turnFile(ID, 2, 'exit.json');
  const record = JSON.parse(readFileSync(exit, 'utf8'));
  writeFileSync(exit, JSON.stringify({ ...record, events_bytes: statSync(events).size }));
  const last = async (...args: string[]): Promise<readonly string[]> => {
    const { stdout } = await onScreen(project, ['logs', ID, ...args]);
    return stdout
      .split('\n')
      .flatMap((line) => /^ {2}([\w$]+)|^── (turn \d)/.exec(line)?.slice(1) ?? [])
      .filter(Boolean);
  };
  expect(await last('-n', '3')).toEqual(['turn 2', '19998', '19999', 'turn 3', 'The']);
  expect(await last('--tail', '2', '--turn', '2')).toEqual(['turn 2', '19998', '19999']);
  expect(await last('-n', '20003')).toEqual(['turn 1', '$', 'Both', ...(await last()).slice(4)]);
  expect(await last('-n', '9', '--turn', '1')).toEqual((await last()).slice(0, 4));
  expect(await last('-n', '0')).toEqual([]);
  const bytesRead = (): number => Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  const before = bytesRead();
  await last('-n', '20');
  if (process.platform === 'linux') expect(bytesRead() - before).toBeLessThan(1_000_000);
});

test('--since leaves out turns that ended before, and of the turn that did not what the history dates before', async () => {
  const project = createProject();
  await sessionOf(project, 'shell-failed message');
  const logs = async (since: string, now: number) =>
    (await onScreen(project, ['logs', ID, '--since', since, '--full'], { now })).stdout;
  const turns = async (since: string, now: number) => (await logs(since, now)).match(/turn \d/g) ?? [];
  const later = Date.now() + 3_600_000;
  expect(await turns('10m', later)).toEqual([]);
  expect(await turns('2h', later)).toEqual(['turn 1', 'turn 2']);
  // The agent has dated the first command of turn 1, which took five seconds.
  const ended = Math.floor(statSync(project.turnFile(ID, 1, 'exit.json')).mtimeMs);
  utimesSync(project.turnFile(ID, 1, 'runner.stat'), ended / 1000 - 5, ended / 1000 - 5);
  const history = join(project.base, 'home', '.codex', 'sessions', '2026', '11', '20');
  mkdirSync(history, { recursive: true });
  const item = { type: 'CommandExecution', command: ['cat does-not-exist.txt'] };
  const dated = { type: 'item_completed', item, started_at_ms: ended - 4500, completed_at_ms: ended - 4000 };
  const thread = '01a1f880-cea6-70e2-88ad-3ea4105bd4a1';
  writeFileSync(join(history, `rollout-x-${thread}.jsonl`), `${JSON.stringify({ payload: dated })}\n`);
  expect(await logs('4s', ended + 1000)).toMatch(/^── turn 1 .*\n {2}\$ echo to-stderr/);
  expect(await logs('6s', ended + 1000)).toMatch(/^── turn 1 .*\n {2}\$ cat does-not-exist/);
});

test('--stderr prints what the agent said there, harmless; empty lines become one', async () => {
  const project = createProject();
  const said = 'one\n\n\n\u001b]52;c;eA==\u0007two \u202e\nlast';
  await sessionOf(project, 'message', { env: { FAKE_AGENT_STDERR: said } });
  const { stdout } = await onScreen(project, ['logs', '--stderr', ID]);
  expect(stdout).toBe('one\n\n\\x1b]52;c;eA==\\x07two \\u202e\nlast\n');
  expect(stdout).not.toMatch(DRIVES);
});

test('-f tells a person how the session stands now, but not behind what is no step', async () => {
  const project = createProject();
  await sessionOf(project, 'message');
  const hint = async (...args: string[]) =>
    (await onScreen(project, ['logs', ID, ...args], { tty: true })).stderr;
  expect(await hint('-f')).toBe(`${ID} completed\n`);
  expect([await hint(), await hint('-f', '--stderr')]).toEqual(['', '']);
});

test('--raw prints the very bytes of the turns, and nothing behind the recorded end', async () => {
  const project = createProject();
  await sessionOf(project, 'odd-bytes message', { env: { FAKE_AGENT_STDERR: 'a\u001bb\n\n' } });
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
  await sessionOf(project, 'message');
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
      `zwarm: ${ID} was started from inside a container or sandbox: whether it runs cannot be determined here\n` +
      'hint: follow it there\n',
  });
});

/** Without how long the turns took, and how they reached their agent. */
const untimed = (shown: string) =>
  shown.replace(/^── (turn \d+ · \w+) · [\d.]+s[^─]*─*$/gm, (_, words) => rule(words));

test('the trajectory has a line for each step, numbered through all turns, with a rule before each turn', async () => {
  const project = createProject();
  await sessionOf(project, 'sigint-during-command shell-failed todo-list mcp file-change');
  const shown = await onScreen(project, ['trajectory', ID]);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(untimed(shown.stdout).split('\n')).toEqual([
    rule('turn 1 · failed'),
    '  1 Running a long command.',
    '  2 $ echo started; sleep 301; echo finished [interrupted]',
    rule('turn 2 · completed'),
    '  3 $ cat does-not-exist.txt [exit 1]',
    '  4 $ echo to-stderr >&2; exit 3 [exit 3]',
    '  5 Both commands failed.',
    rule('turn 3 · completed'),
    '  6 plan: 1 of 2 done',
    '  6 plan: 2 of 2 done',
    '  7 $ true [exit 0]',
    '  8 All steps done.',
    rule('turn 4 · completed'),
    '  9 fake.echo {"text":"hi there"}',
    ' 10 fake.fail {"message":"boom"} [failed]',
    ' 11 Called the MCP server.',
    rule('turn 5 · completed'),
    ' 12 delete /workspace/README.md, update /workspace/app.py, add /workspace/hello.txt',
    ' 13 Patched three files.',
    '',
  ]);
  const { stdout } = await onScreen(project, ['trajectory', ID, '--turn', '3']);
  const turn = [
    rule('turn 3 · completed'),
    '  6 plan: 1 of 2 done',
    '  6 plan: 2 of 2 done',
    '  7 $ true [exit 0]',
    '  8 All steps done.',
    '',
  ];
  expect(untimed(stdout)).toBe(turn.join('\n'));
  const timed = await onScreen(project, ['trajectory', ID, '--turn', '2', '--time']);
  expect(timed.stdout).toMatch(
    /^── turn 2 · completed · [\d.]+s · \d{4}-\d\d-\d\d \d\d:\d\d · new thread ─+\n/,
  );
});

test('no line of it is wider than the terminal, whatever the agent said, and the end of a command is not cut off', async () => {
  const project = createProject();
  await sessionOf(project, 'sigint-during-command big-message reasoning odd-bytes shell-failed');
  for (const columns of [30, 40, 80, 200]) {
    const { stdout } = await onScreen(project, ['trajectory', ID], { tty: true, columns });
    const lines = stdout.trimEnd().split('\n');
    for (const line of lines) expect(columnsOf(line), line).toBeLessThanOrEqual(columns);
    expect(plain(stdout)).not.toMatch(DRIVES);
    if (columns >= 40) expect(stdout).toContain('[interrupted]');
  }
  // A pipe has no width; but a message of a megabyte is not for a list.
  const { stdout } = await onScreen(project, ['trajectory', ID]);
  const longest = Math.max(...stdout.split('\n').map((line) => line.length));
  expect(longest).toBeGreaterThan(200);
  expect(longest).toBeLessThanOrEqual(500);
});

test('--full prints all of a step behind its number; --json and the library give the same list, with the number of each step', async () => {
  const project = createProject();
  await sessionOf(project, 'shell-failed message');
  expect(await project.$(`trajectory ${ID} --full --turn 1`)).toMatch(
    /\n {2}1 {2}\$ .* \[exit 1\]\n {7}cat: .*\n\n {2}2 [\s\S]*\n {2}3 {2}Both commands failed\.\n$/,
  );
  const all = JSON.parse((await onScreen(project, ['trajectory', ID, '--json'])).stdout);
  const times = { undone: false, started_at: null, ended_at: null };
  const message = { type: 'message', role: 'assistant', ...times };
  const command = "/bin/bash -lc 'echo to-stderr >&2; exit 3'";
  const failed = { output: 'to-stderr\n', exit_code: 3, status: 'failed' };
  expect(all.slice(1)).toEqual([
    { type: 'command', turn: 1, step: 2, command, ...failed, ...times },
    { ...message, turn: 1, step: 3, content: 'Both commands failed.' },
    { ...message, turn: 2, step: 4, content: 'The project prints two lines.' },
  ]);
  const second = JSON.parse((await onScreen(project, ['trajectory', ID, '--json', '--turn', '2'])).stdout);
  expect(second).toEqual(all.slice(3));
  const sessions = openSessions({ cwd: project.directory, env: project.env });
  expect(await sessions.steps(ID)).toEqual(all);
  expect(await sessions.steps(ID, { turn: 2 })).toEqual(second);
  await expect(sessions.steps(ID, { turn: 3 })).rejects.toMatchObject({ code: 'usage' });
  const followed = [];
  for await (const step of sessions.followSteps(await sessions.resolve(ID))) followed.push(step);
  expect(followed).toEqual(all);
});

test('of a session that has done nothing yet it is a heading, or an empty array', async () => {
  const project = createProject();
  await onScreen(project, ['start', 'stay'], { env: { FAKE_AGENT_HANG: '1', FAKE_AGENT_STREAM: undefined } });
  expect(await project.$('trajectory @last')).toMatch(/^── turn 1 · (running · [\d.]+s|pending) ─+\n$/);
  expect(await project.$('trajectory @last --json')).toBe('[]\n');
});
