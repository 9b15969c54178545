import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { createProject, eventually, type Project, processesWith, ZWARM } from '../helpers/project.ts';

// Concurrent: the demo takes its time.

/** Starts the demo agent without its pauses. */
const demo = (project: Project, task: string, ...args: string[]): Promise<string> =>
  project.start(['-a', 'demo', ...args.map((arg) => `--agent-arg=${arg}`), '--', `${task} [[seconds=0]]`]);

const THREAD = '01a1f880-c978-76c0-be58-213b143ff767';

test.concurrent('the demo agent completes, fails, breaks off and ends as it is asked to', async ({
  expect,
  onTestFinished,
}) => {
  const project = createProject('project', onTestFinished);
  const ends: readonly [task: string, args: string[], end: object][] = [
    ['', [], { status: 'completed', exit_code: 0, error: null }],
    [
      '[[fail]]',
      [],
      { status: 'failed', exit_code: 1, error: { message: 'the demo agent was asked to fail' } },
    ],
    ['', ['--fail'], { status: 'failed', exit_code: 1 }],
    ['[[half-line]]', [], { status: 'failed', error: { code: 'no_result' }, last_message: null }],
    ['', ['--half-line', '--exit', '9'], { status: 'failed', exit_code: 9 }],
    ['[[exit=42]]', [], { status: 'failed', exit_code: 42, last_message: expect.stringMatching(/^Done/) }],
    // An unknown thread.
    [
      '',
      ['--resume', THREAD],
      { error: { message: expect.stringContaining(`cannot continue thread ${THREAD}`) } },
    ],
  ];
  const ids = await Promise.all(ends.map(([task, args]) => demo(project, `try it ${task}`, ...args)));
  await project.zwarm(['wait', ...ids]);
  for (const [i, [task, args, end]] of ends.entries())
    expect.soft(await project.show(ids[i] ?? ''), `${task} ${args}`).toMatchObject(end);
});

test.concurrent('the demo agent hangs until it is killed, and remembers its conversation', async ({
  expect,
  onTestFinished,
}) => {
  const project = createProject('project', onTestFinished);
  const [id, stubborn] = [await demo(project, 'first [[hang]]'), await demo(project, 'stay [[ignore-term]]')];
  for (const one of [id, stubborn])
    await eventually('it hangs', async () => /somebody stops me/.test(await project.$(`show ${one} --full`)));
  expect(await project.$(`kill ${stubborn} --grace 0.2`)).toBe(`${stubborn} killed\n`);
  expect(await project.show(stubborn)).toMatchObject({ status: 'killed', signal: 'SIGKILL' });
  expect(await project.$(`kill ${id}`)).toBe(`${id} killed\n`);
  const answer = await project.$(`inject ${id} --wait 'second [[seconds=0]]'`);
  expect(answer).toMatch(/^Done: second .*Before that you asked: first/);
  const { thread_id: thread, turns } = await project.show(id);
  expect(turns).toMatchObject([{ status: 'killed' }, { status: 'completed', how: 'native' }]);
  expect(thread).toMatch(/^[0-9a-f-]{36}$/);
});

test.concurrent('zwarm demo plays its story, ends with 0, and leaves no process and no file behind', async ({
  expect,
  onTestFinished,
}) => {
  const project = createProject('project', onTestFinished);
  const temporary = join(project.base, 'tmp');
  const played = await project.zwarm(['demo'], { env: { TMPDIR: temporary, ZWARM_CODEX_BIN: undefined } });
  expect(played).toMatchObject({ code: 0, stderr: '' });
  const typed = [...played.stdout.matchAll(/^\$ zwarm (\w+)/gm)].map(([, verb]) => verb);
  const story = ['start', 'ls', 'wait', 'inject', 'show', 'kill', 'clean'];
  expect(typed).toEqual(expect.arrayContaining(story));
  expect(played.stdout).toMatch(/completed[\s\S]*killed/);
  // The last turn that ended may still be settling.
  await eventually('no process is left', () => processesWith(`TMPDIR=${temporary}`).length === 0);
  for (const path of [temporary, project.directory, join(project.base, 'home')])
    expect(readdirSync(path)).toEqual([]);
});

test.concurrent('Ctrl-C at any moment of the demo ends its agents and leaves nothing behind', async ({
  expect,
  onTestFinished,
}) => {
  const project = createProject('project', onTestFinished);
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
