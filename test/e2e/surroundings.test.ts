import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  eventually,
  type Project,
  processesWith,
  SHELL_AGENT,
  watchesFiles,
  ZWARM,
} from '../helpers/project.ts';
import { createShellProject } from '../helpers/shell-project.ts';

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

/** Waits until one of some processes waits for a session, ready for Ctrl-C. */
async function waiting(pids: () => number[]): Promise<void> {
  await eventually('it waits', () => pids().some(watchesFiles));
}

/** A gate at which an agent waits, and the session that waits there. */
async function gated(project: Project): Promise<{ id: string; open(): void }> {
  await eventually('the agent runs', () => project.runs().length === 1);
  const [{ id } = { id: '' }] = await project.list();
  return { id, open: () => writeFileSync(join(project.base, 'gate'), '') };
}

test.runIf(LINUX)('the terminal is closed: what ran in it ends, the agent goes on to its end', async () => {
  const project = createShellProject();
  const { terminal, pids } = inTerminal(project, `zwarm start --wait 'gate ../gate'`);
  const { id, open } = await gated(project);
  await waiting(pids);
  terminal.kill('SIGKILL');
  await eventually('nothing of the terminal is left', () => pids().length === 0);
  expect(await project.show(id)).toMatchObject({ status: 'running', pid: expect.any(Number) });
  open();
  expect(await project.ok(['wait', id])).toBe(`${id} completed`);
  expect(await project.show(id)).toMatchObject({ exit_code: 0, last_message: 'done' });
});

test.runIf(LINUX)(
  'Ctrl-C in the shell that has started an agent ends the waiting, not the agent',
  async () => {
    const project = createShellProject();
    const { terminal, pids } = inTerminal(
      project,
      `trap : INT; zwarm start 'gate ../gate' && zwarm wait @last; echo $? > ../code`,
    );
    const { id, open } = await gated(project);
    await waiting(pids);
    terminal.stdin?.write('\x03');
    await eventually('the shell has ended', () => pids().length === 0);
    expect(readFileSync(join(project.base, 'code'), 'utf8')).toBe('130\n');
    expect(await project.show(id)).toMatchObject({ status: 'running', pid: expect.any(Number) });
    open();
    expect(await project.ok(['wait', id])).toBe(`${id} completed`);
  },
);

test('stdin that stays open holds neither a command nor its agent', async () => {
  const project = createShellProject();
  const { directory: cwd, env } = project;
  const run = (...args: string[]): Promise<number | null> => {
    const child = spawn(process.execPath, [ZWARM, ...args], {
      cwd,
      env,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  };
  expect(await run('start', '--wait', 'quick')).toBe(0);
  expect(await run('inject', '@last', '--wait', 'run cat')).toBe(0);
  expect(await run('ls')).toBe(0);
  expect(project.runs().map(({ stdin }) => stdin)).toEqual(['quick', 'run cat']);
});
