import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import {
  createProject,
  createShellProject,
  eventually,
  type Project,
  processesNaming,
  processesWith,
  SHELL_AGENT,
  watchesFiles,
  ZWARM,
} from '../helpers/project.ts';

const LINUX = process.platform === 'linux';

/** The processes whose arguments or environment hold a text, as `ps` would show them to others and to us. */
function showing(text: string): string[] {
  return fs.readdirSync('/proc').flatMap((pid) =>
    ['cmdline', 'environ'].flatMap((part) => {
      try {
        const shown = fs.readFileSync(`/proc/${pid}/${part}`, 'utf8');
        return shown.includes(text) ? [`${part} of ${pid}: ${shown.replaceAll('\0', ' ')}`] : [];
      } catch {
        // No process, or gone by now.
        return [];
      }
    }),
  );
}

test.runIf(LINUX)('ps shows no prompt while a turn is launched and while its agent runs', async () => {
  const project = createShellProject();
  const agent = join(project.base, 'codex');
  const [asked, go] = [`${agent}.asked`, `${agent}.go`];
  const wait = `[ "$1" != --version ] || { : > ${asked}; until [ -e ${go} ]; do sleep 0.01; done; }`;
  fs.writeFileSync(agent, `#!/bin/sh\n${wait}\nexec '${SHELL_AGENT}' "$@"\n`, { mode: 0o755 });
  const secret = (name: string): string => `${name}-secret-of-${process.pid}`;
  const env = { ZWARM_CODEX_BIN: agent };
  const started = project.start(['-'], { env, input: `hang ${secret('first')}` });
  await eventually('the launch has begun', () => fs.existsSync(asked));
  expect(showing(secret('first'))).toEqual([]);
  fs.writeFileSync(go, '');
  const first = await started;

  const second = await project.ended([`quick ${secret('second')}`]);
  await project.ok(['inject', second, `hang ${secret('third')}`]);
  await eventually('both agents run', () => project.runs().length === 3);
  for (const name of ['first', 'second', 'third']) expect(showing(secret(name))).toEqual([]);
  const [one, , three] = project.runs();
  expect(processesWith(`ZWARM_SESSION_ID=${first}`)).toContain(one?.pid);
  expect(processesWith(`ZWARM_SESSION_ID=${second}`)).toContain(three?.pid);
  const read = (name: string) => fs.readFileSync(project.turnFile(second, 2, name), 'utf8');
  expect(read('launch.json')).not.toContain('-secret-of-');
  expect(read('prompt.md')).toContain('-secret-of-');
});

/** A shell in a terminal of its own, in which a script runs; what is written to its stdin is typed. */
function inTerminal(project: Project, script: string): { terminal: ChildProcess; pids(): number[] } {
  const mark = `IN_TERMINAL=${project.base}`;
  const zwarm = `'${process.execPath}' '${ZWARM}'`;
  const terminal = spawn('script', ['-qefc', `zwarm() { ${zwarm} "$@"; }; ${script}`, '/dev/null'], {
    cwd: project.directory,
    env: { ...project.env, SHELL: '/bin/sh', IN_TERMINAL: project.base },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  onTestFinished(() => void terminal.kill('SIGKILL'));
  return {
    terminal,
    // The agent inherits the mark, but is of a session.
    pids: () => {
      const agents = processesNaming('\0ZWARM_SESSION_ID=');
      return processesWith(mark).filter((pid) => !agents.includes(pid));
    },
  };
}

test.runIf(LINUX).each([
  ['the terminal is closed', 'start', `zwarm start --wait 'gate ../gate'`],
  [
    'Ctrl-C is typed',
    'wait',
    `trap : INT; zwarm start 'gate ../gate' && zwarm wait @last; echo $? > ../code`,
  ],
])('%s: what waited in it ends, the agent goes on to its end', async (what, verb, script) => {
  const project = createShellProject();
  const { terminal, pids } = inTerminal(project, script);
  await eventually('the agent runs', () => project.runs().length === 1);
  const [{ id } = { id: '' }] = await project.list();
  // `zwarm start` watches files, too, until the turn has begun.
  const waiting = () => processesNaming(`\0${verb}\0`, 'cmdline').filter((pid) => pids().includes(pid));
  await eventually('it waits', () => waiting().some((pid) => watchesFiles(pid)));
  if (what === 'Ctrl-C is typed') terminal.stdin?.write('\x03');
  else terminal.kill('SIGKILL');
  await eventually('nothing of the terminal is left', () => pids().length === 0);
  if (what === 'Ctrl-C is typed') expect(fs.readFileSync(join(project.base, 'code'), 'utf8')).toBe('130\n');
  expect(await project.show(id)).toMatchObject({ status: 'running', pid: expect.any(Number) });
  fs.writeFileSync(join(project.base, 'gate'), '');
  expect(await project.ok(['wait', id])).toBe(`${id} completed`);
  expect(await project.show(id)).toMatchObject({ exit_code: 0, last_message: 'done' });
});

test('stdin that stays open holds neither a command nor its agent', async () => {
  const project = createShellProject();
  const { directory: cwd, env } = project;
  const run = (...args: string[]): Promise<number | null> => {
    const stdio: StdioOptions = ['pipe', 'ignore', 'inherit'];
    const child = spawn(process.execPath, [ZWARM, ...args], { cwd, env, stdio });
    return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  };
  expect(await run('start', '--wait', 'quick')).toBe(0);
  expect(await run('inject', '@last', '--wait', 'run cat')).toBe(0);
  expect(await run('ls')).toBe(0);
  expect(project.runs().map(({ stdin }) => stdin)).toEqual(['quick', 'run cat']);
});

function privateKb(pid: number): number {
  const rollup = fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const kb = (field: string): number => Number(new RegExp(`^${field}: +(\\d+) kB$`, 'm').exec(rollup)?.[1]);
  return kb('Private_Clean') + kb('Private_Dirty');
}

test('a running session costs one shell of less than 0.3 MB besides its agent', async () => {
  const project = createProject();
  const ids = await Promise.all(
    [1, 2, 3].map((i) => project.start([`task ${i}`], { env: { FAKE_AGENT_HANG: '1' } })),
  );
  await eventually('the agents run', () => project.runs().length === 3);
  const agents = project.runs().map((run) => run.pid);
  for (const { id, pid } of await project.list()) {
    expect(ids).toContain(id);
    const ours = processesWith(`ZWARM_SESSION_ID=${id}`).filter((found) => !agents.includes(found));
    expect(ours).toEqual([pid]);
    expect(fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]).toBe('/bin/sh');
    expect(privateKb(pid ?? 0)).toBeLessThan(300);
  }
  // Nothing else of ours is left in the project: no daemon, no waiting launcher.
  expect(processesWith(`HOME=${project.env['HOME']}`)).toHaveLength(6);
});

test('limits cost a second shell and what it sleeps by, together less than 0.25 MB', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  await project.ok(['inject', id, '--interrupt', '-q', '--max-time', '1h', '--max-silence', '1h', 'hang']);
  await eventually('the agent runs', () => project.runs().length === 2);
  const { pid: runner } = await project.show(id);
  const agent = project.runs().at(-1)?.pid;
  // While it sleeps: it looks by other programs, which are gone at once; and one that just begins is larger.
  await eventually('it sleeps, and is small', () => {
    const ours = project.marked(id).filter((pid) => pid !== agent && pid !== runner);
    try {
      const programs = ours.map((pid) => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]);
      const kb = ours.map(privateKb).reduce((sum, one) => sum + one, 0);
      return programs.sort().join() === '/bin/sh,sleep' && kb < 250;
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^(ENOENT|ESRCH)$/) });
      return null;
    }
  });
});

const ANSWER = 'The project prints two lines.\n';

function gate(project: Project): { env: Record<string, string>; open(): void } {
  const path = join(project.base, 'gate');
  return { env: { FAKE_AGENT_GATE: path }, open: () => fs.writeFileSync(path, '') };
}

test('--wait prints the answer alone on stdout, and the exit code says how it ended', async () => {
  const project = createProject();
  const answered = { code: 0, stdout: ANSWER, stderr: '' };
  expect(await project.zwarm(['start', '--wait', 'hi'])).toEqual(answered);
  expect(await project.zwarm(['inject', '@last', '-w', 'hi'])).toEqual(answered);
  const env = { FAKE_AGENT_EXIT: '42' };
  expect(await project.$('start --wait hi', { env })).toMatch(
    /^The project prints two lines\.\nzwarm: \w{10} failed\n.*exit code 42\nhint: its answer is kept; see: zwarm show \w{10}\n\[exit 1\]\n$/,
  );
  const json = await project.zwarm(['inject', '@last', '--wait', '--json', 'hi'], { env });
  expect(json).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(json.stdout)).toMatchObject({ status: 'failed', exit_code: 42, turn: 2 });
  const silent = await project.$('start --wait hi', { env: { FAKE_AGENT_STREAM: undefined } });
  expect(silent).toMatch(/^zwarm: .*\n.*without a result/);
});

test('--timeout ends the waiting with 124, and the agent runs on', async () => {
  const project = createProject();
  const { env, open } = gate(project);
  const started = await project.$('start --wait --timeout 0.2s hi', { env });
  expect(started).toMatch(
    /^zwarm: (\w{10}) still runs; wait for it with: zwarm wait \1 --answer\n\[exit 124\]\n$/,
  );
  const [{ id } = { id: '' }] = await project.list(['--status', 'running']);
  expect(await project.$(`wait ${id} --timeout 0.2`)).toBe(`zwarm: ${id} still runs\n[exit 124]\n`);
  for (const line of ['start --wait hi', `wait ${id}`]) {
    const json = await project.zwarm([...line.split(' '), '--timeout', '0', '--json'], { env });
    expect(json.code).toBe(124);
    expect([JSON.parse(json.stdout)].flat()).toMatchObject([{ status: 'running', turn: 1 }]);
  }
  open();
  expect(await project.$(`wait ${id}`)).toBe(`${id} completed\n`);
});

test('wait reports each end; with --json in the order of the arguments, errors in their place', async () => {
  const project = createProject();
  const { env, open } = gate(project);
  const [slow, fast] = [await project.start(['slow'], { env }), await project.start(['fast'])];
  const bad = await project.start(['bad'], { env: { FAKE_AGENT_EXIT: '1', FAKE_AGENT_STREAM: undefined } });
  expect(await project.$(`wait --any ${slow} ${fast}`)).toBe(`${fast} completed\n`);
  expect(await project.$(`wait -q ${fast} ${bad}`)).toMatch(new RegExp(`${bad}[\\s\\S]*\\[exit 1\\]`));
  const ids = [slow, 'nosuch', fast, bad];
  const [all, json] = [project.zwarm(['wait', ...ids]), project.zwarm(['wait', ...ids, '--json'])];
  open();
  expect(await all).toMatchObject({
    code: 3,
    stderr: 'zwarm: no session nosuch\nhint: see: zwarm ls --all\n',
  });
  const ends = [`${slow} completed`, `${fast} completed`, `${bad} failed`];
  expect((await all).stdout.trim().split('\n').sort()).toEqual(ends.sort());
  expect(await json).toMatchObject({ code: 3, stderr: '' });
  expect(JSON.parse((await json).stdout)).toMatchObject([
    { id: slow, status: 'completed' },
    { id: 'nosuch', error: { code: 'not_found' } },
    { id: fast, status: 'completed' },
    { id: bad, status: 'failed', exit_code: 1 },
  ]);
});

test.each(['start --wait hi', 'wait @last'])(
  'Ctrl-C ends %s with 130, and the agent runs on',
  async (line) => {
    const project = createProject();
    const { env, open } = gate(project);
    if (line === 'wait @last') await project.start(['hi'], { env });
    const child = spawn(process.execPath, [ZWARM, ...line.split(' ')], {
      cwd: project.directory,
      env: { ...project.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
    await eventually('the agent runs', () => project.runs().length === 1);
    await eventually('it waits', () => watchesFiles(child.pid ?? 0));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(await text(child.stdout)).toBe('');
    expect((await project.list()).map((row) => row.status)).toEqual(['running']);
    open();
    expect(await project.ok(['wait', '@last'])).toMatch(/ completed$/);
  },
);
