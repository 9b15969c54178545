import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEMO_FILES } from '../../src/cli/demo/story.ts';
import { markOf } from '../../src/process/identity.ts';
import {
  createProject,
  eventually,
  type Project,
  processesNaming,
  processesWith,
  repositoryFile,
  runProgram,
  ZWARM,
} from '../helpers/project.ts';

test('a session is started, waited for, continued, shown, listed and removed', async () => {
  const project = createProject();
  let id = '';
  // As a user types it: with what is built.
  const transcript: string[] = [];
  const type = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await project.asProcess(args);
    id ||= stdout.trim();
    const ended = code === 0 ? '' : `[exit ${code}]\n`;
    transcript.push(`$ zwarm ${args.join(' ')}\n${stdout}${stderr}${ended}`.replaceAll(id, 'ID'));
    return stdout;
  };
  await type('start', 'say hello');
  await type('wait', id);
  await type('inject', id, '--wait', 'again');
  const { turns } = JSON.parse(await project.ok(['show', id, '--json']));
  expect(turns.map(({ status }: { status: string }) => status)).toEqual(['completed', 'completed']);
  expect(project.runs().map((run) => run.stdin)).toEqual(['say hello', 'again']);
  await type('ls', '-q');
  await type('logs', id, '-n', '1');
  await type('rm', id);
  await type('show', id);
  await type('ls');
  expect(transcript.join('')).toMatchInlineSnapshot(`
    "$ zwarm start say hello
    ID
    $ zwarm wait ID
    ID completed
    $ zwarm inject ID --wait again
    The project prints two lines.
    $ zwarm ls -q
    ID
    $ zwarm logs ID -n 1
    ── turn 2 ──────────────────────────────────────────────────────────────────────
      The project prints two lines.
    $ zwarm rm ID
    ID
    $ zwarm show ID
    zwarm: no session ID
    hint: see: zwarm ls --all
    [exit 3]
    $ zwarm ls
    "
  `);
});

test('an installation of which only a part is left says so', async () => {
  const { base } = createProject();
  for (const path of ['bin', 'package.json'])
    fs.cpSync(repositoryFile(path), join(base, path), { recursive: true });
  const options = { cwd: base, env: {} };
  const bare = await runProgram(process.execPath, [join(base, 'bin/zwarm.js'), 'ls'], options);
  expect(bare).toMatchObject({ code: 1, stdout: '' });
  expect(bare.stderr).toMatch(/^zwarm: cannot load itself: .*dist\/parts\.js.*\nhint: install it again\n$/);
  const json = await runProgram(process.execPath, [join(base, 'bin/zwarm.js'), 'ls', '--json'], options);
  expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'io', hint: 'install it again' } });
});

// Concurrent: the demo takes its time.

const demo = (project: Project, task: string, ...args: string[]): Promise<string> =>
  project.start(['-a', 'demo', ...args.map((arg) => `--agent-arg=${arg}`), '--', `${task} [[seconds=0]]`]);

const THREAD = '01a1f880-c978-76c0-be58-213b143ff767';

test.concurrent('the demo agent completes, fails, breaks off and ends as it is asked to', async (t) => {
  const project = createProject('project', t.onTestFinished);
  const ends: readonly [task: string, end: object, ...args: string[]][] = [
    ['', { status: 'completed', exit_code: 0, error: null }],
    ['[[fail]]', { exit_code: 1, error: { message: 'the demo agent was asked to fail' } }],
    ['', { exit_code: 1 }, '--fail'],
    ['[[half-line]]', { error: { code: 'no_result' }, last_message: null }],
    ['', { exit_code: 9 }, '--half-line', '--exit', '9'],
    ['[[exit=42]]', { exit_code: 42, last_message: expect.stringMatching(/^Done/) }],
    ['', { error: { message: expect.stringContaining(`continue thread ${THREAD}`) } }, '--resume', THREAD],
  ];
  const ids = await Promise.all(ends.map(([task, , ...args]) => demo(project, `try it ${task}`, ...args)));
  await project.zwarm(['wait', ...ids]);
  for (const [i, [task, end, ...args]] of ends.entries())
    t.expect
      .soft(await project.show(ids[i] ?? ''), `${task} ${args}`)
      .toMatchObject({ status: 'failed', ...end });
});

test.concurrent('the demo agent hangs until it is killed, and remembers its conversation', async (t) => {
  const project = createProject('project', t.onTestFinished);
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

/** A directory that has these programs alone, for a PATH. */
function onlyPrograms(project: Project, ...names: string[]): string {
  const path = join(project.base, 'bin');
  fs.mkdirSync(path);
  const found = (name: string) => ['/bin', '/usr/bin'].map((at) => join(at, name)).find(fs.existsSync) ?? '';
  for (const name of names) fs.symlinkSync(found(name), join(path, name));
  return path;
}

test.concurrent('zwarm demo plays its story, ends with 0, and leaves no process and no file', async (t) => {
  const project = createProject('project', t.onTestFinished);
  const temporary = join(project.base, 'tmp');
  const ZWARM_DIR = join(project.base, 'home', 'volume');
  const played = await project.zwarm(['demo'], { env: { TMPDIR: temporary, ZWARM_DIR } });
  expect(played).toMatchObject({ code: 0, stderr: '' });
  const typed = [...played.stdout.matchAll(/^\$ (?:zwarm )?(\w+)/gm)].map(([, verb]) => verb);
  const story = 'start start start ls logs git show inject fork kill ls start';
  expect(typed.join(' ')).toBe(story);
  // The agents did what they say: a test that failed, the patch, the test that passes, and a question about all of it.
  expect(played.stdout).toMatch(/node cart\.test\.js \[exit 1]\n.*FAILED[\s\S]*cart\.test\.js \[exit 0]/);
  expect(played.stdout).toMatch(/^- .*sum \+= price \+ quantity;\n\+ .*sum \+= price \* quantity;$/m);
  expect(played.stdout).toContain('7 pears cost 210, and the test passes.');
  expect(played.stdout).toContain('One TODO, in line 10 of `cart.test.js`: an empty cart.');
  expect(played.stdout).toMatch(/\$ zwarm kill build\n\w+ killed\n/);
  expect(played.stdout).toMatch(/\$ zwarm start "[^"]+"\n$/);
  expect(played.stdout).not.toContain('npm ');
  // The last turn that ended may still be settling.
  await eventually('no process is left', () => processesWith(`TMPDIR=${temporary}`).length === 0);
  for (const path of [temporary, project.directory, join(project.base, 'home')])
    expect(fs.readdirSync(path)).toEqual([]);
});

test.concurrent('without git the demo has no patch, and without Codex it says how to get that', async (t) => {
  const project = createProject('project', t.onTestFinished);
  const path = onlyPrograms(project, 'sh', 'grep', 'tail', 'dirname', 'cat', 'rm', 'sleep');
  const env = { TMPDIR: join(project.base, 'tmp'), PATH: path, ZWARM_CODEX_BIN: undefined };
  // Where Codex, if it were there, would not run.
  const place = { cwd: '/', env: { ...env, npm_lifecycle_event: 'demo' } };
  const played = await project.asProcess(['demo'], place);
  expect(played).toMatchObject({ code: 0, stderr: '' });
  expect(played.stdout).not.toContain('$ git');
  const last = played.stdout.trim().split('\n').slice(-4);
  expect(last).toEqual([
    '$ npm install -g .',
    '$ npm i -g @openai/codex',
    '$ codex login',
    expect.stringMatching(/^\$ zwarm start "/),
  ]);
});

test.concurrent('the demo agent changes files in the project of the demo alone, and none in read-only', async (t) => {
  const project = createProject('project', t.onTestFinished);
  const { directory } = project;
  for (const [name, text] of Object.entries(DEMO_FILES)) fs.writeFileSync(join(directory, name), text);
  const cart = () => fs.readFileSync(join(directory, 'cart.js'), 'utf8');
  const mend = (sandbox: string, where: string | undefined): Promise<string> =>
    project.start(['-a', 'demo', '-s', sandbox, '--wait', 'Mend it [[seconds=0]]'], {
      env: { ZWARM_DEMO_PROJECT: where },
    });
  for (const elsewhere of [undefined, '', project.base])
    expect(await mend('workspace-write', elsewhere)).toMatch(/^Done: Mend it/);
  const change = /`sum \+= price \+ quantity;`\n- to `sum \+= price \* quantity;`/;
  const asked = await mend('read-only', directory);
  expect(asked).toMatch(/^I may not write here\./);
  expect(asked).toMatch(change);
  expect(cart()).toBe(DEMO_FILES['cart.js']);
  expect(await mend('workspace-write', directory)).toMatch(change);
  expect(cart()).toBe(DEMO_FILES['cart.js']?.replace('price + quantity', 'price * quantity'));
  expect(await mend('workspace-write', directory)).toBe('The test passes: there is nothing to mend.');
});

test.concurrent.for([
  // One agent runs, and the next command does not wait for anything.
  ['after a start', /^\w{10}\n/m],
  ['while a command waits', /\$ zwarm inject/],
] as const)('Ctrl-C %s of the demo ends its agents and leaves nothing behind', async ([, moment], t) => {
  const project = createProject('project', t.onTestFinished);
  const scratch = join(project.base, 'tmp');
  const child = spawn(process.execPath, [ZWARM, 'demo'], { env: { ...project.env, TMPDIR: scratch } });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let [shown, complaint] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaint += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text) => {
    shown += text;
    if (!child.killed && moment.test(shown)) child.kill('SIGINT');
  });
  // A busy machine may take longer to end an agent than kill waits, which kill then says.
  expect(await ended, complaint).toBe(130);
  expect(shown).not.toContain('zwarm kill');
  expect(complaint).not.toContain('still runs');
  await eventually('no agent is left', () => processesNaming(`ZWARM_STORE=${scratch}`).length === 0);
  expect(fs.readdirSync(scratch)).toEqual([]);
});

test.concurrent('the demo has no part in what its directory, its environment and its user lead to', async (t) => {
  const project = createProject('project', t.onTestFinished);
  const configuration = join(project.base, 'home/.config/zwarm');
  fs.mkdirSync(configuration, { recursive: true });
  fs.writeFileSync(join(configuration, 'config.toml'), 'sandbox = "read-only"\n');
  const ended = await project.start(['mine', '--wait', '--json']).then((text) => JSON.parse(text).id);
  const running = await project.start(['mine too'], { env: { FAKE_AGENT_HANG: '1' } });
  const { pid } = await eventually('the agent runs', () => project.runs()[1]);
  const ofAgent = { ZWARM_STORE: project.store(), ZWARM_MARK: markOf(pid) ?? '' };
  const env = { TMPDIR: project.directory, ZWARM_DIR: project.state, ...ofAgent };
  const demo = await project.zwarm(['demo'], { env });
  expect(demo).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('\n+++ b/cart.js\n') });
  expect(fs.readdirSync(join(project.state, 'projects'))).toHaveLength(1);
  const rows = await project.list();
  expect(Object.fromEntries(rows.map(({ id, status }) => [id, status]))).toEqual({
    [ended]: 'completed',
    [running]: 'running',
  });
});
