import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, eventually, type Project, processesWith, ZWARM } from '../helpers/project.ts';

/** Starts the demo agent without its pauses. */
const demo = (project: Project, task: string, ...args: string[]): Promise<string> =>
  project.start(['-a', 'demo', '--agent-arg=--seconds', '--agent-arg=0', ...args, '--', task]);

/** What is asked of the agent, by a word in the task or an argument, and how that ends. */
const BEHAVIOURS: readonly [how: string, args: string[], end: object][] = [
  ['', [], { status: 'completed', exit_code: 0, error: null }],
  [
    '[[fail]]',
    [],
    {
      status: 'failed',
      exit_code: 1,
      error: { message: 'the demo agent was asked to fail' },
      last_message: null,
    },
  ],
  ['', ['--agent-arg=--fail'], { status: 'failed', exit_code: 1 }],
  ['[[half-line]]', [], { status: 'failed', exit_code: 0, error: { code: 'no_result' }, last_message: null }],
  [
    '',
    ['--agent-arg=--half-line', '--agent-arg=--exit', '--agent-arg=9'],
    { status: 'failed', exit_code: 9 },
  ],
  ['[[exit=42]]', [], { status: 'failed', exit_code: 42, last_message: expect.stringMatching(/^Done/) }],
];

test('the demo agent completes, fails, breaks off and ends as it is asked to', async () => {
  const project = createProject();
  for (const [how, args, end] of BEHAVIOURS) {
    const id = await demo(project, `try it ${how}`, ...args);
    await project.zwarm(['wait', id]);
    expect.soft(await project.show(id), `${how} ${args.join(' ')}`).toMatchObject(end);
  }
});

test('the demo agent remembers its conversation, also after it was killed while it hung', async () => {
  const project = createProject();
  const id = await demo(project, 'first [[hang]]');
  await eventually('it hangs', async () =>
    /somebody stops me/.test(await project.ok(['show', id, '--full'])),
  );
  expect(await project.ok(['kill', id])).toBe(`${id} killed`);
  const answer = await project.ok(['inject', id, '--wait', 'second [[seconds=0]]']);
  expect(answer).toMatch(/^Done: second .*Before that you asked: first/);
  const { thread_id: thread, turns } = await project.show(id);
  expect(turns).toMatchObject([{ status: 'killed' }, { status: 'completed', how: 'native' }]);
  expect(thread).toMatch(/^[0-9a-f-]{36}$/);
});

test('the demo agent that ignores SIGTERM is killed after the grace period', async () => {
  const project = createProject();
  const id = await demo(project, 'stay [[ignore-term]]');
  await eventually('it hangs', async () =>
    /somebody stops me/.test(await project.ok(['show', id, '--full'])),
  );
  expect(await project.ok(['kill', id, '--grace', '0.2'])).toBe(`${id} killed`);
  expect(await project.show(id)).toMatchObject({ status: 'killed', signal: 'SIGKILL' });
});

test('a demo thread that is unknown fails with what the agent says of it', async () => {
  const project = createProject();
  const thread = '01a1f880-c978-76c0-be58-213b143ff767';
  const id = await demo(project, 'go on', '--agent-arg=--resume', `--agent-arg=${thread}`);
  await project.zwarm(['wait', id]);
  expect(await project.show(id)).toMatchObject({
    status: 'failed',
    exit_code: 1,
    error: { message: expect.stringContaining(`cannot continue thread ${thread}`) },
  });
});

test('zwarm demo plays its story, ends with 0, and leaves no process and no file behind', async () => {
  const project = createProject();
  const temporary = join(project.base, 'tmp');
  const played = await project.zwarm(['demo'], { env: { TMPDIR: temporary, ZWARM_CODEX_BIN: undefined } });
  expect(played).toMatchObject({ code: 0, stderr: '' });
  const typed = played.stdout.split('\n').filter((line) => line.startsWith('$ '));
  for (const verb of ['start', 'ls', 'wait', 'inject', 'show', 'kill', 'clean']) {
    expect(
      typed.some((line) => line.startsWith(`$ zwarm ${verb}`)),
      verb,
    ).toBe(true);
  }
  expect(played.stdout).toMatch(/completed/);
  expect(played.stdout).toMatch(/killed/);
  // The last turn that ended may still be settling.
  await eventually('no process is left', () => processesWith(`TMPDIR=${temporary}`).length === 0);
  expect(readdirSync(temporary)).toEqual([]);
  expect(readdirSync(project.directory)).toEqual([]);
  expect(readdirSync(join(project.base, 'home'))).toEqual([]);
});

test('Ctrl-C at any moment of the demo ends its agents and leaves nothing behind', async () => {
  const project = createProject();
  const scratch = join(project.base, 'tmp');
  const child = spawn(process.execPath, [ZWARM, 'demo'], { env: { ...project.env, TMPDIR: scratch } });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let [shown, complaint] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaint += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text) => {
    shown += text;
    // One agent runs, and the next command does not wait for anything.
    if (!child.killed && /^\w{10}\n/m.test(shown)) child.kill('SIGINT');
  });
  // A busy machine may take longer to end an agent than kill waits, which kill then says.
  expect(await ended, complaint).toBe(130);
  expect(shown).not.toContain('zwarm clean');
  await eventually('no agent is left', () => processesWith(`ZWARM_STORE=${scratch}`).length === 0);
  expect(readdirSync(scratch)).toEqual([]);
});
