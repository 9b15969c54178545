import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  createProject,
  createShellProject,
  eventually,
  type Project,
  processesWith,
  SHELL_AGENT,
  watchesFiles,
  ZWARM,
} from '../helpers/project.ts';

const LINUX = process.platform === 'linux';

/** The processes whose arguments or environment hold a text, as `ps` would show them to others and to us. */
function showing(text: string): string[] {
  return readdirSync('/proc').flatMap((pid) =>
    ['cmdline', 'environ'].flatMap((part) => {
      try {
        const shown = readFileSync(`/proc/${pid}/${part}`, 'utf8');
        return shown.includes(text) ? [`${part} of ${pid}: ${shown.replaceAll('\0', ' ')}`] : [];
      } catch {
        // No process, or gone by now.
        return [];
      }
    }),
  );
}

test.runIf(LINUX)(
  'ps shows no prompt: not while a turn is launched, and not while its agent runs',
  async () => {
    const project = createShellProject();
    const agent = join(project.base, 'codex');
    const [asked, go] = [`${agent}.asked`, `${agent}.go`];
    const wait = `[ "$1" != --version ] || { : > ${asked}; until [ -e ${go} ]; do sleep 0.01; done; }`;
    writeFileSync(agent, `#!/bin/sh\n${wait}\nexec '${SHELL_AGENT}' "$@"\n`, { mode: 0o755 });
    const secret = (name: string): string => `${name}-secret-of-${process.pid}`;
    const env = { ZWARM_CODEX_BIN: agent };
    const started = project.start(['-'], { env, input: `hang ${secret('first')}` });
    await eventually('the launch has begun', () => existsSync(asked));
    expect(showing(secret('first'))).toEqual([]);
    writeFileSync(go, '');
    const first = await started;

    const second = await project.ended([`quick ${secret('second')}`]);
    await project.ok(['inject', second, `hang ${secret('third')}`]);
    await eventually('both agents run', () => project.runs().length === 3);
    for (const name of ['first', 'second', 'third']) expect(showing(secret(name))).toEqual([]);
    const [one, , three] = project.runs();
    expect(processesWith(`ZWARM_SESSION_ID=${first}`)).toContain(one?.pid);
    expect(processesWith(`ZWARM_SESSION_ID=${second}`)).toContain(three?.pid);
    const read = (name: string) => readFileSync(project.turnFile(second, 2, name), 'utf8');
    expect(read('launch.json')).not.toContain('-secret-of-');
    expect(read('prompt.md')).toContain('-secret-of-');
  },
);

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
      const agents = processesWith('ZWARM_SESSION_ID=');
      return processesWith(mark).filter((pid) => !agents.includes(pid));
    },
  };
}

test.runIf(LINUX).each([
  ['the terminal is closed', `zwarm start --wait 'gate ../gate'`],
  ['Ctrl-C is typed', `trap : INT; zwarm start 'gate ../gate' && zwarm wait @last; echo $? > ../code`],
])('%s: what waited in it ends, the agent goes on to its end', async (what, script) => {
  const project = createShellProject();
  const { terminal, pids } = inTerminal(project, script);
  await eventually('the agent runs', () => project.runs().length === 1);
  const [{ id } = { id: '' }] = await project.list();
  await eventually('it waits', () => pids().some(watchesFiles));
  if (what === 'Ctrl-C is typed') terminal.stdin?.write('\x03');
  else terminal.kill('SIGKILL');
  await eventually('nothing of the terminal is left', () => pids().length === 0);
  if (what === 'Ctrl-C is typed') expect(readFileSync(join(project.base, 'code'), 'utf8')).toBe('130\n');
  expect(await project.show(id)).toMatchObject({ status: 'running', pid: expect.any(Number) });
  writeFileSync(join(project.base, 'gate'), '');
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

/** kB of a process that it shares with nobody. */
function privateKb(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
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
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0]).toBe('/bin/sh');
    expect(privateKb(pid ?? 0)).toBeLessThan(300);
  }
  // Nothing else of ours is left in the project: no daemon, no waiting launcher.
  expect(processesWith(`HOME=${project.env['HOME']}`)).toHaveLength(6);
});
