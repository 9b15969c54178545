import { execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  createProject,
  eventually,
  type Project,
  runProgram,
  SHELL_AGENT,
  watchesFiles,
  ZWARM,
} from '../helpers/project.ts';

/** Runs a line of shell in which `zwarm` is ours. */
function shell(project: Project, line: string): ReturnType<typeof runProgram> {
  const zwarm = `zwarm() { '${process.execPath}' '${ZWARM}' "$@"; }`;
  return runProgram('/bin/sh', ['-c', `${zwarm}\n${line}`], { cwd: project.directory, env: project.env });
}

/** A session whose page is larger than any pipe. */
async function bigSession(project: Project): Promise<string> {
  const path = join(project.base, 'big.jsonl');
  const thread = { type: 'thread.started', thread_id: '01a1f880-c978-76c0-be58-213b143ff767' };
  const text = 'a line of a long answer\n'.repeat(50_000);
  const message = { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } };
  const end = {
    type: 'turn.completed',
    usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 },
  };
  fs.writeFileSync(path, [thread, message, end].map((event) => `${JSON.stringify(event)}\n`).join(''));
  const { stdout } = await project.zwarm(['start', '--wait', '--json', 'x'], {
    env: { FAKE_AGENT_STREAM: path },
  });
  return JSON.parse(stdout).id;
}

test('a reader that has seen enough ends the command quietly', async () => {
  const project = createProject();
  const id = await bigSession(project);
  for (const line of [
    'zwarm ls | head -n 1',
    'zwarm ls --json | head -n 1',
    `zwarm show ${id} | head -n 1`,
    `zwarm show ${id} --json | head -n 1`,
    'zwarm --help | head -n 1',
    `zwarm show ${id} | true`,
    `zwarm wait ${id} | true`,
  ]) {
    const ended = await shell(project, line);
    expect.soft(ended, line).toMatchObject({ code: 0, stderr: '' });
    expect.soft(ended.stdout.split('\n').length, line).toBeLessThanOrEqual(2);
  }
});

test('the command itself ends with 0 when its reader goes away', async () => {
  const project = createProject();
  const id = await bigSession(project);
  const child = spawn(process.execPath, [ZWARM, 'show', id], {
    cwd: project.directory,
    env: project.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))).toBe(
    0,
  );
});

test('with stdin, stdout or stderr closed every command still does its work', async () => {
  const project = createProject();
  expect(await shell(project, 'zwarm start "task" >&-')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(await shell(project, 'zwarm start "task" <&- 2>&-')).toMatchObject({ code: 0, stderr: '' });
  expect(await shell(project, 'zwarm ls >&- 2>&-')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(await shell(project, 'zwarm show nosuch 2>&-')).toMatchObject({ code: 3, stdout: '' });
  expect(await shell(project, 'zwarm start <&-')).toMatchObject({ code: 2, stdout: '' });
  expect(await project.list()).toHaveLength(2);
});

test.runIf(fs.existsSync('/dev/full'))(
  'output that cannot be written is a failure that says so',
  async () => {
    const project = createProject();
    await project.ok(['start', '--wait', 'x']);
    for (const command of ['ls', 'ls --json', 'show @last', '--version', '--help']) {
      const ended = await shell(project, `zwarm ${command} > /dev/full`);
      expect.soft(ended.code, command).toBe(1);
      expect.soft(ended.stderr, command).toMatch(/^zwarm: the output could not be written: .*no space left/);
    }
  },
);

test('a pipe that does not wait, since others have made it so, gets every byte all the same', async () => {
  const project = createProject();
  project.env['ZWARM_CODEX_BIN'] = SHELL_AGENT;
  const id = await project.start(['hang']);
  const events = project.turnFile(id, 1, 'events.jsonl');
  const fifo = join(project.base, 'fifo');
  execFileSync('mkfifo', [fifo]);
  // For reading and writing, so that nobody waits for the other end.
  const fd = fs.openSync(fifo, 'r+');
  const follower = spawn(process.execPath, [ZWARM, 'logs', '-f', '--raw', id], {
    cwd: project.directory,
    env: project.env,
    stdio: ['ignore', fd, 'inherit'],
  });
  await eventually('it follows', () => watchesFiles(follower.pid ?? 0));
  // From here on the pipe does not wait; for the follower neither, whose stdout it is.
  const pipe = new Socket({ fd, readable: true, writable: false });
  fs.appendFileSync(events, `${'x'.repeat(3_000_000)}\n`);
  const got: Buffer[] = [];
  pipe.on('data', (bytes) => got.push(bytes));
  const printed = (): Buffer => Buffer.concat(got);
  await eventually('all of it came', () => printed().length >= fs.readFileSync(events).length);
  expect(printed().equals(fs.readFileSync(events))).toBe(true);
  follower.kill('SIGKILL');
  pipe.destroy();
});

test.each(['--raw', '--json'])('Ctrl-C ends logs %s whose reader does not read', async (option) => {
  const project = createProject();
  const id = await bigSession(project);
  const fifo = join(project.base, 'fifo');
  execFileSync('mkfifo', [fifo]);
  // For reading and writing, so that nobody waits for the other end; and one that tells when there is no room.
  const [both, writer] = [
    fs.openSync(fifo, 'r+'),
    fs.openSync(fifo, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK),
  ];
  const child = spawn(process.execPath, [ZWARM, 'logs', option, id], {
    cwd: project.directory,
    env: project.env,
    stdio: ['ignore', both, 'inherit'],
  });
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await eventually('the pipe is full', () => {
    try {
      return fs.writeSync(writer, 'x') === 0;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EAGAIN';
    }
  });
  // The first asks it to end, and the second ends it.
  await eventually('it ends', () => ended || (child.kill('SIGINT') && false));
  for (const fd of [both, writer]) fs.closeSync(fd);
});

test('a real terminal of 40 columns gets a table that fits it', async () => {
  const project = createProject();
  await project.ok([
    'start',
    '--wait',
    'a task that is much longer than such a terminal is wide',
    '--name',
    'docs',
  ]);
  const line = `stty cols 40; '${process.execPath}' '${ZWARM}' ls`;
  const ended = await runProgram('script', ['-qec', line, join(project.base, 'typescript')], {
    cwd: project.directory,
    env: { ...project.env, TERM: 'xterm' },
  });
  const lines = ended.stdout
    .replace(/\u001b\[[0-9;]*m/g, '')
    .trimEnd()
    .split('\r\n');
  expect(lines[0]).toMatch(/^ID +NAME.*TASK$|^ID +STATUS +TASK$/);
  expect(lines[1]).toMatch(/…$/);
  for (const row of lines) expect(row.length).toBeLessThanOrEqual(40);
});
