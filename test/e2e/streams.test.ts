import { execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { plain } from '../helpers/display.ts';
import {
  createProject,
  createShellProject,
  eventually,
  type Project,
  runProgram,
  watchesFiles,
  ZWARM,
} from '../helpers/project.ts';
import { onTerminal } from '../helpers/pseudo-terminal.ts';

/** Runs a line of shell in which `zwarm` is ours. */
function shell({ directory: cwd, env }: Project, line: string): ReturnType<typeof runProgram> {
  const zwarm = `zwarm() { '${process.execPath}' '${ZWARM}' "$@"; }`;
  return runProgram('/bin/sh', ['-c', `${zwarm}\n${line}`], { cwd, env });
}

/** Starts the built zwarm; what it prints goes to `stdout`. */
function begin({ directory: cwd, env }: Project, stdout: number | 'pipe', ...args: string[]) {
  const child = spawn(process.execPath, [ZWARM, ...args], { cwd, env, stdio: ['ignore', stdout, 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** A session whose page is larger than any pipe. */
async function bigSession(project: Project): Promise<string> {
  const path = join(project.base, 'big.jsonl');
  const text = 'a line of a long answer\n'.repeat(50_000);
  const events = [
    { type: 'thread.started', thread_id: '01a1f880-c978-76c0-be58-213b143ff767' },
    { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } },
    { type: 'turn.completed', usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } },
  ];
  fs.writeFileSync(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  return project.ended(['x'], { env: { FAKE_AGENT_STREAM: path } });
}

/** A pipe that we hold open for reading and writing, so that nobody waits for the other end. */
function openPipe({ base }: Project): { path: string; fd: number } {
  const path = join(base, 'fifo');
  execFileSync('mkfifo', [path]);
  return { path, fd: fs.openSync(path, 'r+') };
}

test('a reader that has seen enough ends the command quietly', async () => {
  const project = createProject();
  const id = await bigSession(project);
  for (const command of ['ls --json | head -n 1', `show ${id} | head -n 1`, `show ${id} --json | true`]) {
    const ended = await shell(project, `zwarm ${command}`);
    expect.soft(ended, command).toMatchObject({ code: 0, stderr: '' });
    expect.soft(ended.stdout.split('\n').length, command).toBeLessThanOrEqual(2);
  }
  // Not only its pipeline ends with 0.
  const child = begin(project, 'pipe', 'show', id);
  child.stdout?.once('data', () => child.stdout?.destroy());
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
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

test.runIf(fs.existsSync('/dev/full'))('output that cannot be written is a failure', async () => {
  const project = createProject();
  await project.ended();
  for (const command of ['ls --json', 'show @last', '--version']) {
    const ended = await shell(project, `zwarm ${command} > /dev/full`);
    expect.soft(ended.code, command).toBe(1);
    expect.soft(ended.stderr, command).toMatch(/^zwarm: the output could not be written: .*no space left/);
  }
});

test('a pipe that does not wait, since others have made it so, gets every byte all the same', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  const events = project.turnFile(id, 1, 'events.jsonl');
  const { fd } = openPipe(project);
  const follower = begin(project, fd, 'logs', '-f', '--raw', id);
  await eventually('it follows', () => watchesFiles(follower.pid ?? 0));
  // From here on the pipe does not wait; for the follower neither, whose stdout it is.
  const pipe = new Socket({ fd, readable: true, writable: false });
  onTestFinished(() => void pipe.destroy());
  fs.appendFileSync(events, `${'x'.repeat(3_000_000)}\n`);
  const got: Buffer[] = [];
  pipe.on('data', (bytes) => got.push(bytes));
  await eventually('all of it came', () => Buffer.concat(got).length >= fs.statSync(events).size);
  expect(Buffer.concat(got).equals(fs.readFileSync(events))).toBe(true);
});

test.each(['--raw', '--json'])('Ctrl-C ends logs %s whose reader does not read', async (option) => {
  const project = createProject();
  const id = await bigSession(project);
  const { path, fd } = openPipe(project);
  // Another one, that tells when there is no room.
  const writer = fs.openSync(path, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
  const child = begin(project, fd, 'logs', option, id);
  await eventually('the pipe is full', () => {
    try {
      return fs.writeSync(writer, 'x') === 0;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EAGAIN';
    }
  });
  const ended = (): boolean => child.exitCode !== null || child.signalCode !== null;
  // The first asks it to end, and the second ends it.
  await eventually('it ends', () => ended() || (child.kill('SIGINT') && false));
  for (const one of [fd, writer]) fs.closeSync(one);
});

test('a real terminal of 40 columns gets a table that fits it', async () => {
  const project = createProject();
  await project.start(['--name', 'docs', 'a task that is much longer than such a terminal is wide']);
  const { code, shown } = onTerminal(project, ['ls'], { columns: 40 });
  expect(await code).toBe(0);
  const lines = plain(shown()).trimEnd();
  expect(lines).toMatch(/^ID +NAME.*TASK\n|^ID +STATUS +TASK\n/);
  expect(lines).toMatch(/…$/m);
  for (const row of lines.split('\n')) expect(row.length).toBeLessThanOrEqual(40);
});

const ODD = `-n "double" 'single' \`backtick\` $(touch pwn) \${HOME} \\ %s %n
--sandbox danger-full-access\r\n\ttab, ünïcödé 日本語 🎉 \u202e, \u001b[31mred, \u2028 and no newline at the end`;

test('a task arrives byte for byte, whatever it holds and however it is given', async () => {
  const project = createShellProject();
  const big = `${ODD}\n`.repeat(Math.ceil(300_000 / Buffer.byteLength(ODD)));
  fs.writeFileSync(join(project.directory, 'task.md'), big);
  /** In the record, and at the agent's stdin. */
  const arrives = async (argv: string[], input: string, prompt: string): Promise<void> => {
    const { id, turn } = JSON.parse(await project.ok([...argv, '--wait', '--json'], { input }));
    expect(fs.readFileSync(project.turnFile(id, turn, 'prompt.md'), 'utf8')).toBe(prompt);
    expect(project.runs().at(-1)?.stdin).toBe(prompt);
  };
  await arrives(['start', '--name=odd', '-'], ODD, ODD);
  expect((await project.show('odd')).task).toBe(ODD);
  await arrives(['start', '  white space around it \n\n'], '', '  white space around it \n\n');
  await arrives(['start'], `${ODD}\n\n`, `${ODD}\n\n`);
  await arrives(['start', '-F', '-'], '\ufeffwith a byte order mark', '\ufeffwith a byte order mark');
  await arrives(['start', '-F', 'task.md'], 'this is not read', big);
  await arrives(
    ['start', 'the argument wins over a pipe'],
    'this is not read',
    'the argument wins over a pipe',
  );
  await arrives(['inject', 'odd', `\n${ODD}`], '', `\n${ODD}`);
  await arrives(['inject', 'odd', '-'], big, big);
  await arrives(['inject', 'odd'], ODD, ODD);
  await arrives(['inject', 'odd', '-F', 'task.md'], '', big);
  // More than any message says.
  const prompt = 'ab '.repeat(3 << 19);
  await arrives(['start', '--name=long', '-'], prompt, prompt);
  expect((await project.list())[0]?.task).toHaveLength(500);
  const refused = await project.$('start -', { input: 'x'.repeat((10 << 20) + 1) });
  expect(refused).toMatch(/longer than 10 MiB[\s\S]*\[exit 2\]/);
  expect(project.runs()).toHaveLength(11);
  expect(fs.existsSync(join(project.directory, 'pwn'))).toBe(false);
});

test('without a task the editor opens on a terminal, and what it saves is the task', async () => {
  const project = createShellProject();
  const editor = join(project.base, 'my editor');
  fs.writeFileSync(
    editor,
    '#!/bin/sh\n[ -t 0 ] && [ -t 1 ] && printf "%s\\n" "$1" "written by hand" > "$2"\n',
  );
  fs.chmodSync(editor, 0o755);
  const env = { ...project.env, VISUAL: undefined, EDITOR: `'${editor}' --mode=x` };
  const command = `'${process.execPath}' '${ZWARM}' start --wait --json`;
  const typescript = join(project.base, 'typescript');
  const ended = await runProgram('script', ['-qec', command, typescript], { cwd: project.directory, env });
  expect(ended.code).toBe(0);
  expect(project.runs().map((run) => run.stdin)).toEqual(['--mode=x\nwritten by hand']);
});

test('ZWARM_FORCE_TTY gives a pipe what a terminal of so many columns would show', async () => {
  const project = createShellProject();
  await project.ended(['a task that is much longer than such a terminal is wide']);
  const piped = (verb: string, env: Record<string, string>) => project.asProcess([verb, '@last'], { env });
  const env = { ZWARM_FORCE_TTY: '40', PAGER: 'false' };
  const { stdout } = await project.asProcess(['ls'], { env });
  expect(stdout).toMatch(/^ID .*…\n/s);
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(40);
  const empty = await project.asProcess(['ls', '--status', 'lost'], { env });
  expect(empty).toEqual({ code: 0, signal: null, stdout: '', stderr: 'none of 1 matches\n' });
  const coloured = await project.asProcess(['ls'], { env: { ...env, FORCE_COLOR: '1' } });
  expect(coloured.stdout).toContain('\u001b[');
  expect(plain(coloured.stdout)).toBe(stdout);
  // Without a pager, however long: whoever made up the terminal sees to what fits.
  expect(await piped('show', env)).toMatchObject({ code: 0, stdout: expect.not.stringContaining('\u001b') });
  const said = [
    'zwarm: ZWARM_FORCE_TTY: "80.5" is not a number of columns from 20 to 1000',
    'hint: set ZWARM_FORCE_TTY=80, or unset it\n',
  ].join('\n');
  expect(await piped('show', { ZWARM_FORCE_TTY: '80.5' })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: said,
  });
  for (const width of ['wide', '19', '1001', '-80', ' 80', '080'])
    expect.soft(await piped('show', { ZWARM_FORCE_TTY: width }), width).toMatchObject({ code: 2 });
  // It is about a terminal that no agent has.
  await project.start(['run echo "<$ZWARM_FORCE_TTY>" > width'], { env });
  expect(await project.written('width')).toBe('<>');
});
