import { chownSync, copyFileSync, lchownSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { testAsRoot } from '../../helpers/as-root.ts';
import { installForAll } from '../../helpers/ordinary-project.ts';
import {
  createProject,
  type Ended,
  eventually,
  processesBelow,
  processesWith,
  repositoryFile,
  runProgram,
} from '../../helpers/project.ts';
import { createTurn, program } from '../../helpers/turn.ts';

// The limit of processes is one of a user, all of whose processes and threads count, zombies too. Root is not bound by
// it, so all of this runs as users of whom nothing else runs.
let users = 0;

function newUser(): number {
  users += 1;
  return 1_000_000 + 10 * process.pid + users;
}

function giveTo(user: number, path: string): void {
  chownSync(path, user, user);
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    lchownSync(join(path, name), user, user);
  }
}

/**
 * A project of such a user; `handOver` gives it to another one, of whom nothing runs. `zwarm` runs the built one, `node`
 * another program, where the user can have no more than `limit` processes and threads; null: no limit.
 */
function createBound() {
  const project = createProject();
  const installed = installForAll(project.base, 'fixtures/shell-agent');
  let user = 0;
  const handOver = (): void => {
    user = newUser();
    for (const path of [project.directory, join(project.base, 'home')]) giveTo(user, path);
  };
  handOver();
  const agent = join(installed, 'fixtures/shell-agent');
  const env = { ...project.env, ZWARM_CODEX_BIN: agent, FAKE_AGENT_LOG: undefined };
  const node = (limit: number | null, argv: readonly string[]): Promise<Ended> => {
    const bound = limit === null ? [] : ['prlimit', `--nproc=${limit}`];
    const [file = '', ...args] = [...bound, process.execPath, ...argv];
    return runProgram(file, args, { cwd: project.directory, env, uid: user });
  };
  const zwarm = (limit: number | null, words: string): Promise<Ended> =>
    node(limit, [join(installed, 'bin/zwarm.js'), ...words.split(' ')]);
  onTestFinished(async () => {
    await zwarm(null, 'kill --all --grace 1s');
  });
  return { project, handOver, node, zwarm };
}

/** The threads that Node itself needs to load a program and read files: with as many, nothing can be started. */
async function threadsOfNode({ project, node }: ReturnType<typeof createBound>): Promise<number> {
  const script = join(project.base, 'threads.cjs');
  writeFileSync(script, "console.log(require('node:fs').readdirSync('/proc/self/task').length)");
  const threads = Number((await node(null, [script])).stdout);
  expect(threads, 'threads of Node').toBeGreaterThan(0);
  return threads;
}

testAsRoot(
  'where no process can be started, start and inject say so, and their turns have failed',
  async () => {
    const bound = createBound();
    const { project, zwarm } = bound;
    const limit = await threadsOfNode(bound);
    const refused = await zwarm(limit, 'start quick');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    const id = /^zwarm: turn 1 of (\w{10}) was recorded but did not start: /.exec(refused.stderr)?.[1] ?? '';
    expect(refused.stderr).toMatch(/EAGAIN\nhint: no more processes: .*ulimit -u\n$/);
    const failed = JSON.parse((await zwarm(limit, `show ${id} --json`)).stdout);
    expect(failed).toMatchObject({
      status: 'failed',
      exit_code: null,
      error: { code: 'spawn_error', message: expect.stringContaining('EAGAIN'), retryable: true },
    });
    expect(failed.turns).toMatchObject([{ prompt: 'quick', started_at: null, answer: null }]);

    const done = (await zwarm(null, 'start --wait --json quick')).stdout;
    await eventually('nothing runs', () => processesBelow(project.base).length === 0);
    bound.handOver();
    const again = await zwarm(limit, `inject ${JSON.parse(done).id} quick`);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toMatch(
      /^zwarm: turn 2 of \w{10} was recorded but did not start: .*\nhint: no more/,
    );
    expect((await zwarm(null, `inject ${JSON.parse(done).id} --wait quick`)).stdout).toBe('done\n');
  },
);

testAsRoot('where no process can be started, a running agent is shown and killed all the same', async () => {
  const bound = createBound();
  const { zwarm } = bound;
  const threads = await threadsOfNode(bound);
  const id = (await zwarm(null, 'start hang')).stdout.trim();
  const living = (): number[] => processesWith(`ZWARM_SESSION_ID=${id}`);
  // The runner, and the agent that it waits for.
  await eventually('the agent runs', () => living().length === 2);
  const limit = threads + living().length;
  expect((await zwarm(limit, 'ls')).stdout).toContain(`${id}\trunning`);
  expect(await zwarm(limit, `kill ${id}`)).toMatchObject({ code: 0, stdout: `${id} killed\n` });
  expect((await zwarm(null, `show ${id}`)).stdout).toContain('killed');
});

testAsRoot('a runner that can start no agent records that nothing ran', async () => {
  const turn = createTurn();
  const agent = program(turn, 'echo ran');
  // All that it needs where that user can read it.
  const runner = join(turn.directory, 'runner.sh');
  copyFileSync(repositoryFile('bin/turn-runner.sh'), runner);
  const user = newUser();
  giveTo(user, join(turn.directory, '..'));
  const where = ['--umask', '0022', '--directory', turn.work, '--input', 'prompt.md'];
  const identity = '{"v":1,"host":"h","boot_id":"b","pid_ns":"n","uid":0';
  const argv = ['--nproc=1', '/bin/sh', runner, '--identity', identity, ...where, '--', agent];
  await runProgram('prlimit', argv, { cwd: turn.directory, env: { PATH: process.env['PATH'] }, uid: user });
  expect(turn.exit()).toMatchObject({ code: null, why: 'not_launched', cancelled: false });
  expect(turn.file('events.jsonl')).toBe('');
});
