import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test as anyTest, expect } from 'vitest';
import type { Step } from '../../src/core/conversation/steps.ts';
import { conversationOf } from '../helpers/codex.ts';
import { isInstalled } from '../helpers/installed.ts';
import { call, createOpencodeProject, OPENCODE, OPENCODE_VERSION } from '../helpers/opencode.ts';
import { eventually, processesNaming } from '../helpers/project.ts';

const test = anyTest.runIf(isInstalled(OPENCODE)).concurrent;

const bash = (command: string): object => call('bash', { command, description: 'a command' });

test('a follow-up continues the conversation: the model gets all that came before; a fork does, too', async (t) => {
  const project = await createOpencodeProject(t.onTestFinished, {
    first: [bash('echo forty-two'), { message: 'it says forty-two' }],
    second: [{ message: 'still forty-two' }],
  });
  const id = await project.ended(['[[first]] what does it say?']);
  expect(await project.ok(['inject', id, '--wait', '[[second]] and now?'])).toBe('still forty-two');
  const before = [
    'user: [[first]] what does it say?',
    expect.stringMatching(/^call: .*echo forty-two/),
    expect.stringMatching(/^output: .*forty-two/),
    'assistant: it says forty-two',
  ];
  expect(await project.told()).toEqual([...before, 'user: [[second]] and now?']);
  const session = await project.show(id);
  expect(session).toMatchObject({ status: 'completed', agent: 'opencode', exit_code: 0 });
  expect(session.turns.map(({ how, answer }) => [how, answer])).toEqual([
    ['fresh', 'it says forty-two'],
    ['native', 'still forty-two'],
  ]);
  expect(session.token_usage?.total_tokens).toBeGreaterThan(0);
  const launch = JSON.parse(readFileSync(project.turnFile(id, 2, 'launch.json'), 'utf8'));
  expect(launch).toMatchObject({ agent_version: OPENCODE_VERSION, thread_id: session.thread_id });

  // No file of its own holds one thread alone, by which it could be told whether that has gone on since.
  const forked = JSON.parse(await project.ok(['fork', id, '--wait', '--json', 'go your way']));
  expect(forked).toMatchObject({ status: 'completed', forked_from: { id, turn: 2 } });
  expect((await project.show(forked.id)).turns[2]).toMatchObject({ how: 'replay' });
  expect((await project.told()).join('\n')).toMatch(
    /what does it say[\s\S]*forty-two[\s\S]*and now[\s\S]*go your way/,
  );
});

test('commands and written files are steps, with exit codes and diffs', async (t) => {
  const project = await createOpencodeProject(t.onTestFinished, {});
  const path = join(project.directory, 'notes.txt');
  const other = await createOpencodeProject(t.onTestFinished, {
    work: [
      bash('echo oops; exit 3'),
      call('write', { filePath: path, content: 'one\ntwo\n' }),
      call('edit', { filePath: path, oldString: 'two', newString: '2' }),
      { message: 'done' },
    ],
  });
  Object.assign(project.env, { OPENCODE_CONFIG: other.env['OPENCODE_CONFIG'] });
  const id = await project.ended(['[[work]]']);
  const steps: readonly Step[] = JSON.parse(await project.ok(['trajectory', id, '--json']));
  expect(steps.filter(({ type }) => type !== 'reasoning')).toMatchObject([
    { type: 'command', command: 'echo oops; exit 3', exit_code: 3, output: expect.stringContaining('oops') },
    { type: 'file_change', changes: [{ path }], status: 'completed' },
    { type: 'file_change', changes: [{ path, diff: expect.stringContaining('\n-two\n+2') }] },
    { type: 'message', content: 'done' },
  ]);
  expect(readFileSync(path, 'utf8')).toBe('one\n2\n');

  // In a directory that is gone nothing is run.
  renameSync(project.directory, `${project.directory}-moved`);
  const refused = await project.zwarm(['inject', id, 'x', '--project', project.base], { cwd: project.base });
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('directory is gone') });
  renameSync(`${project.directory}-moved`, project.directory);
});

test('without a login, and with an unknown model, it fails, and then the session goes on', async (t) => {
  const project = await createOpencodeProject(t.onTestFinished, {
    denied: [{ http: { status: 401, body: { error: { message: 'no such key' } } } }],
    back: [{ message: 'here again' }],
  });
  const { code, stdout } = await project.zwarm(['start', '--wait', '--json', '[[denied]] work']);
  const { id, status, error } = JSON.parse(stdout);
  expect({ code, status, error: error.code }).toEqual({ code: 1, status: 'failed', error: 'login_required' });
  expect(await project.ok(['inject', id, '--wait', '[[back]] and now?'])).toBe('here again');
  const unknown = await project.zwarm(['start', '-m', 'fake/nope', '--wait', '--json', 'x']);
  expect(JSON.parse(unknown.stdout)).toMatchObject({ status: 'failed' });
});

test('while the provider refuses it waits, says so, and can be killed', async (t) => {
  const project = await createOpencodeProject(t.onTestFinished, {
    // As often as it asks.
    limited: [
      {
        http: { status: 429, body: { error: { message: 'slow down' } }, headers: { 'retry-after': '1' } },
        times: 1000,
      },
    ],
  });
  const id = await project.start(['[[limited]] work']);
  await eventually('it was asked', async () => (await project.model.requests()).length > 1, 90);
  expect((await project.list())[0]).toMatchObject({ status: 'running' });
  expect(await project.$(`kill --grace 2s ${id}`)).toBe(`${id} killed\n`);
  expect(project.marked(id)).toEqual([]);
});

test('a stream that is cut is asked for again', async (t) => {
  const project = await createOpencodeProject(t.onTestFinished, {
    cut: [{ message: 'half an answer', cut: true }, { message: 'recovered' }],
  });
  const id = await project.ended(['[[cut]] work']);
  const session = await project.show(id);
  expect(session).toMatchObject({ status: 'completed', last_message: 'recovered' });
  expect(session.messages.map(({ content }) => content)).toEqual(['[[cut]] work', 'recovered']);
  const asked = (await project.model.requests()).filter(({ body }) => body.tools !== undefined);
  expect(asked.map(conversationOf)).toEqual([['user: [[cut]] work'], ['user: [[cut]] work']]);
});

test('kill during a command leaves no process, and the session goes on', async (t) => {
  const seconds = `300.${process.pid}${String(Math.random()).slice(2)}`;
  const project = await createOpencodeProject(t.onTestFinished, {
    long: [bash(`sleep ${seconds}`)],
    back: [{ message: 'I am back' }],
  });
  const id = await project.start(['[[long]] work']);
  await eventually('the command runs', () => processesNaming(seconds, 'cmdline').length > 0, 90);
  expect(await project.$(`kill --grace 2s ${id}`)).toBe(`${id} killed\n`);
  expect([processesNaming(seconds, 'cmdline'), project.marked(id)]).toEqual([[], []]);
  await project.settled(id);
  expect(await project.ok(['inject', id, '--wait', '[[back]] go on'])).toBe('I am back');
});
