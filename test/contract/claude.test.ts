import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test as anyTest, expect } from 'vitest';
import type { Step } from '../../src/core/conversation/steps.ts';
import type { ModelStep } from '../helpers/anthropic-model.ts';
import { CLAUDE, CLAUDE_VERSION, createClaudeProject } from '../helpers/claude.ts';
import { isInstalled } from '../helpers/installed.ts';
import { eventually, processesNaming } from '../helpers/project.ts';

const test = anyTest.runIf(isInstalled(CLAUDE)).concurrent;

const bash = (command: string, more: object = {}): ModelStep => ({ tools: [['Bash', { command, ...more }]] });

const stepsOf = async (project: { ok(args: readonly string[]): Promise<string> }, id: string) =>
  JSON.parse(await project.ok(['trajectory', id, '--json'])) as readonly Step[];

test('a follow-up continues the conversation: the model gets all that came before', async (t) => {
  const { model, ...project } = await createClaudeProject(t.onTestFinished, [
    { text: 'let me look', ...bash('echo forty-two') },
    { text: 'it says forty-two' },
    { text: 'still forty-two' },
  ]);
  const id = await project.ended(['-m', 'claude-sonnet-4-5', 'what does it say?']);
  expect(await project.ok(['inject', id, '--wait', 'and now?'])).toBe('still forty-two');
  expect(model.told()).toEqual([
    'user: what does it say?',
    'assistant: let me look',
    expect.stringMatching(/^call: Bash .*echo forty-two/),
    // With what Claude Code tells this model besides.
    expect.stringMatching(/^result: forty-two\b/),
    'assistant: it says forty-two',
    'user: and now?',
  ]);
  expect(model.requests.map((request) => request.model)).toEqual(Array(3).fill('claude-sonnet-4-5'));
  const session = await project.show(id);
  expect(session).toMatchObject({
    ...{ status: 'completed', agent: 'claude', exit_code: 0, error: null },
    // As it calls it itself.
    model_used: 'claude-sonnet-4-5',
    unconfined: expect.any(Boolean),
  });
  expect(session.turns.map(({ how, answer, token_usage: usage }) => [how, answer, usage])).toMatchObject([
    ['fresh', 'it says forty-two', { input_tokens: 2400, cached_input_tokens: 400, output_tokens: 60 }],
    ['native', 'still forty-two', { input_tokens: 1200, cached_input_tokens: 200, at_least: false }],
  ]);
  const launch = JSON.parse(readFileSync(project.turnFile(id, 2, 'launch.json'), 'utf8'));
  expect(launch).toMatchObject({ agent_version: CLAUDE_VERSION, thread_id: session.thread_id });
});

test('a fork knows what came before, and leaves its origin alone', async (t) => {
  const { model, ...project } = await createClaudeProject(t.onTestFinished, [
    { text: 'one' },
    { text: 'the fork speaks' },
    { text: 'two' },
  ]);
  const id = await project.ended(['first']);
  const origin = await project.show(id);
  const forked = JSON.parse(await project.ok(['fork', id, '--wait', '--json', 'go your way']));
  expect(forked).toMatchObject({ last_message: 'the fork speaks', forked_from: { id, turn: 1 } });
  expect((await project.show(forked.id)).turns[1]).toMatchObject({ how: 'native' });
  expect(forked.thread_id).not.toBe(origin.thread_id);
  const before = ['user: first', 'assistant: one'];
  expect(model.told()).toEqual([...before, 'user: go your way']);
  expect(await project.show(id)).toEqual(origin);
  expect(await project.ok(['inject', id, '--wait', 'second'])).toBe('two');
  expect(model.told()).toEqual([...before, 'user: second']);
});

test('a conversation that Claude Code has lost goes on by replay', async (t) => {
  const { model, ...project } = await createClaudeProject(t.onTestFinished, [
    { text: 'one' },
    { text: 'two' },
  ]);
  const id = await project.ended(['first']);
  const talks = join(project.claudeHome, 'projects');
  for (const name of readdirSync(talks)) rmSync(join(talks, name), { recursive: true });
  expect(await project.ok(['inject', id, '--wait', 'second'])).toBe('two');
  expect((await project.show(id)).turns[1]).toMatchObject({ how: 'replay' });
  expect(model.told().join('\n')).toMatch(/first[\s\S]*one[\s\S]*second/);
});

test('a message that is a command of Claude Code is none to its model; what it forgets then is told again', async (t) => {
  const { model, ...project } = await createClaudeProject(t.onTestFinished, [
    { text: 'one' },
    { text: 'two' },
  ]);
  const id = await project.ended(['first']);
  await project.ok(['inject', id, '--wait', '/clear']);
  expect(model.requests).toHaveLength(1);
  expect((await project.show(id)).turns[1]?.warnings).toEqual([expect.stringContaining('did not continue')]);
  expect(await project.ok(['inject', id, '--wait', 'second'])).toBe('two');
  expect(model.told().join('\n')).toMatch(/first[\s\S]*one[\s\S]*\/clear[\s\S]*\nsecond$/);
});

const TEXTS = {
  'a prompt of 300 KB that begins with a path': `/var/tmp is full\n${'a line with Ümlaut and 漢字\n'.repeat(10_000)}the end`,
  'a prompt that looks like options, full of shell': `--bare - "it's" 'quoted' \\ \`touch pwn\` $(touch pwn) $HOME; | and\n\n\ttabs \n`,
};

test.for(Object.entries(TEXTS))('%s reaches the model byte for byte', async ([, text], t) => {
  const { model, ...project } = await createClaudeProject(t.onTestFinished, [{ text: 'read' }]);
  const id = await project.ended(['-'], { input: text });
  writeFileSync(join(project.base, 'message'), text);
  await project.ok(['inject', id, '--wait', '-F', join(project.base, 'message')]);
  const exchange = [`user: ${text}`, 'assistant: read'];
  expect(model.told()).toEqual([...exchange, exchange[0]]);
  const { messages } = await project.show(id);
  expect(messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([...exchange, ...exchange]);
  expect(readdirSync(project.directory)).not.toContain('pwn');
});

test('no process shows a prompt to its neighbours', async (t) => {
  const project = await createClaudeProject(t.onTestFinished, [
    bash('until [ -e go ]; do sleep 0.1; done'),
    { text: 'done' },
  ]);
  const secret = 'the launch code is 8472';
  const id = await project.start(['-'], { input: secret });
  await eventually('the command runs', async () =>
    (await project.show(id, ['--full'])).messages.some(({ role }) => role === 'tool'),
  );
  expect([...processesNaming(secret), ...processesNaming(secret, 'cmdline')]).toEqual([]);
  writeFileSync(join(project.directory, 'go'), '');
  expect(await project.ok(['wait', id])).toBe(`${id} completed`);
});

test('commands, written and edited files are steps, with exit codes and diffs', async (t) => {
  const project = await createClaudeProject(t.onTestFinished, [
    { tools: [...(bash('true').tools ?? []), ...(bash('echo oops >&2; exit 3').tools ?? [])] },
    { tools: [['Write', { file_path: 'notes.txt', content: 'one\ntwo\n' }]] },
    { tools: [['Edit', { file_path: 'notes.txt', old_string: 'two', new_string: '2' }]] },
    bash('grep two notes.txt'),
    { text: 'done' },
  ]);
  const id = await project.ended(['work']);
  const path = expect.stringMatching(/notes\.txt$/);
  expect(await stepsOf(project, id)).toMatchObject([
    { type: 'command', command: 'true', exit_code: 0, status: 'completed', output: '' },
    { type: 'command', command: 'echo oops >&2; exit 3', exit_code: 3, status: 'failed', output: 'oops' },
    { type: 'file_change', changes: [{ path, kind: 'add', diff: '@@ -0,0 +1,2 @@\n+one\n+two' }] },
    { type: 'file_change', changes: [{ path, kind: 'update', diff: expect.stringContaining('\n-two\n+2') }] },
    // No failure to Claude Code.
    { type: 'command', exit_code: 1, status: 'completed', output: '' },
    { type: 'message', content: 'done' },
  ]);
  expect(readFileSync(join(project.directory, 'notes.txt'), 'utf8')).toBe('one\n2\n');
  const { messages } = await project.show(id, ['--full']);
  expect(messages.map(({ role }) => role)).toEqual(['user', ...Array(5).fill('tool'), 'assistant']);
});

test('work in the background belongs to the turn, which ends with what is said of it', async (t) => {
  const project = await createClaudeProject(t.onTestFinished, [
    bash('until [ -e go ]; do sleep 0.1; done; exit 4', { run_in_background: true }),
    { text: 'begun' },
    { text: 'it failed' },
  ]);
  const id = await project.start(['work']);
  await eventually('it says so', async () => (await project.show(id)).last_message === 'begun');
  expect((await project.show(id)).status).toBe('running');
  writeFileSync(join(project.directory, 'go'), '');
  expect(await project.ok(['wait', id, '--answer'])).toBe('it failed');
  expect(await stepsOf(project, id)).toMatchObject([
    { type: 'command', exit_code: 4, status: 'failed' },
    { type: 'message', content: 'begun' },
    { type: 'message', content: 'it failed' },
  ]);
});

test('what a subagent does is part of the turn and marked, and what it says is no answer', async (t) => {
  const task = { description: 'look', prompt: 'look into it', subagent_type: 'general-purpose' };
  const { model, ...project } = await createClaudeProject(t.onTestFinished, [
    { tools: [['Agent', task]] },
    { text: 'that was all' },
    { of: 'look into it', ...bash('echo below; exit 3') },
    { of: 'look into it', text: 'the subagent has looked' },
  ]);
  const id = await project.ended(['work']);
  const steps = await stepsOf(project, id);
  const call = expect.stringMatching(/^toolu_/);
  expect(steps.filter(({ subagent }) => subagent !== undefined)).toMatchObject([
    { type: 'command', command: 'echo below; exit 3', exit_code: 3, output: 'below', subagent: call },
    { type: 'message', content: 'the subagent has looked', subagent: call },
  ]);
  expect(steps.filter(({ subagent, type }) => subagent === undefined && type === 'tool_call')).toMatchObject([
    { name: 'Agent', status: 'completed', result: expect.stringContaining('the subagent has looked') },
  ]);
  const { status, last_message: answer, messages, token_usage: tokens } = await project.show(id);
  expect([status, answer]).toEqual(['completed', 'that was all']);
  expect(messages.map(({ content }) => content)).not.toContain('the subagent has looked');
  const asked = model.requests.length;
  expect(tokens).toMatchObject({ input_tokens: 1200 * asked, output_tokens: 30 * asked, at_least: false });
});

test('a turn that does not wait for its subagent any longer is no success', async (t) => {
  const task = { description: 'look', prompt: 'look into it', subagent_type: 'general-purpose' };
  const steps: ModelStep[] = [
    { tools: [['Agent', task]] },
    { text: 'it is at work' },
    { of: 'look into it', ...bash('tail -f /dev/null') },
  ];
  const project = await createClaudeProject(t.onTestFinished, steps);
  // Ten minutes, unless it is said.
  project.env['CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS'] = '1000';
  const { code, stdout } = await project.zwarm(['start', '--wait', '--json', 'work']);
  const { id, status, exit_code, last_message, error } = JSON.parse(stdout);
  expect({ code, status, exit_code, last_message }).toEqual({
    ...{ code: 1, status: 'failed', exit_code: 0, last_message: 'it is at work' },
  });
  expect(error.message).toBe('its work in the background was ended before it was done: look');
  expect((await stepsOf(project, id)).map((step) => 'status' in step && step.status)).toEqual(
    expect.arrayContaining(['interrupted']),
  );
  expect(project.marked(id)).toEqual([]);
});

test('a list of what is to be done is a plan, whichever tool the model has for it', async (t) => {
  const project = await createClaudeProject(t.onTestFinished, [
    { tools: [['TaskCreate', { subject: 'look', description: 'at it' }]] },
    { tools: [['TaskCreate', { subject: 'mend', description: 'it' }]] },
    { tools: [['TaskUpdate', { taskId: '1', status: 'completed' }]] },
    { text: 'half of it is done' },
    {
      tools: [
        ['TodoWrite', { todos: [{ content: 'look again', status: 'pending', activeForm: 'looking again' }] }],
      ],
    },
    { text: 'later' },
  ]);
  // This version has neither for every model, and the second one only without the first.
  project.env['CLAUDE_CODE_ENABLE_TODO_TOOLS'] = '1';
  const id = await project.ended(['plan it']);
  const items = [
    { text: 'look', completed: true },
    { text: 'mend', completed: false },
  ];
  expect(await stepsOf(project, id)).toMatchObject([
    { type: 'plan', items },
    { type: 'message', content: 'half of it is done' },
  ]);
  project.env['CLAUDE_CODE_ENABLE_TASKS'] = '0';
  await project.ok(['inject', id, '--wait', 'once more']);
  expect((await stepsOf(project, id)).filter(({ type }) => type === 'plan')).toMatchObject([
    { items },
    { items: [{ text: 'look again', completed: false }] },
  ]);
});

test.for<[string, ModelStep, string]>([
  ['401', { error: 401 }, 'login_required: Failed to authenticate. API Error: 401'],
  ['429', { error: 429 }, 'rate_limited, retryable: API Error: Request rejected (429)'],
  ['529', { error: 529 }, 'overloaded, retryable: API Error: '],
  ['a cut', { text: 'half an answer', cut: true }, 'connection, retryable: API Error: Connection dropped'],
])('%s every time is a failure with what to do, and then the session goes on', async ([, step, why], t) => {
  const steps = [step];
  const { model, ...project } = await createClaudeProject(t.onTestFinished, steps);
  const { code, stdout } = await project.zwarm(['start', '--wait', '--json', 'work']);
  const { id, status, error, exit_code, last_message } = JSON.parse(stdout);
  expect({ code, status, exit_code, last_message }).toEqual({
    ...{ code: 1, status: 'failed', exit_code: 1, last_message: null },
  });
  expect(`${error.code}${error.retryable ? ', retryable' : ''}: ${error.message}`).toContain(why);
  expect(error.hint).toContain(`then continue with: zwarm inject ${id} "…"`);
  await project.settled(id);
  steps.push({ text: 'here again' });
  expect(await project.ok(['inject', id, '--wait', 'and now?'])).toBe('here again');
  expect((await project.show(id)).turns[1]).toMatchObject({ how: 'native' });
  expect(model.told().map((line) => line.trim())).toEqual(['user: work', 'user: and now?']);
});

test('after a 429, and after a cut, it tries again', async (t) => {
  const steps = [{ error: 429 }, bash('true'), { text: 'half', cut: true }, { text: 'recovered' }];
  const { model, ...project } = await createClaudeProject(t.onTestFinished, steps);
  expect(await project.ok(['start', '--wait', 'work'])).toBe('recovered');
  expect(model.requests).toHaveLength(4);
});

/** A time that no other process waits for. */
const uniqueSeconds = (): string => `300.${process.pid}${String(Math.random()).slice(2)}`;

test.for(['90s', '0s'])(
  'kill --grace %s during a command leaves no process, and the session goes on',
  async (grace, t) => {
    const [waited, left] = [uniqueSeconds(), uniqueSeconds()];
    // The first is nobody's child any more when kill comes. Claude Code refuses a sleep that is a command of its own.
    const command = `(setsid nohup sleep ${left} > /dev/null 2>&1 &); tail -s ${waited} -f /dev/null`;
    const { model, ...project } = await createClaudeProject(t.onTestFinished, [
      { text: 'on it', ...bash(command) },
      { text: 'I am back' },
    ]);
    const id = await project.start(['work']);
    for (const seconds of [waited, left])
      await eventually('the command runs', () => processesNaming(seconds, 'cmdline').length > 0);
    expect(await project.$(`kill --grace ${grace} ${id}`)).toBe(`${id} killed\n`);
    expect([waited, left].flatMap((seconds) => processesNaming(seconds, 'cmdline'))).toEqual([]);
    expect(project.marked(id)).toEqual([]);
    const { thread_id, ...session } = await project.show(id);
    expect(session).toMatchObject({
      ...{ status: 'killed', error: null, last_message: 'on it' },
      token_usage: { at_least: true },
    });
    await project.settled(id);
    expect(await project.ok(['inject', id, '--wait', 'go on'])).toBe('I am back');
    expect(await project.show(id)).toMatchObject({ thread_id, turns: [{}, { how: 'native' }] });
    expect(model.told()[0]).toBe('user: work');
    expect(model.told().at(-1)).toBe('user: go on');
  },
);

test('what was asked is not lost where it is killed before its first word', async (t) => {
  const { model, ...project } = await createClaudeProject(t.onTestFinished, [{ text: 'here' }]);
  const id = await project.start(['work']);
  await project.ok(['kill', '--grace', '0s', id]);
  await project.settled(id);
  expect(await project.ok(['inject', id, '--wait', 'go on'])).toBe('here');
  expect(model.told().join('\n')).toMatch(/work[\s\S]*go on/);
});

test('in a directory that is gone nothing is run', async (t) => {
  const { model, ...project } = await createClaudeProject(t.onTestFinished, [{ text: 'here' }]);
  const work = join(project.directory, 'work');
  mkdirSync(work);
  const id = await project.ended(['-C', 'work', 'first']);
  renameSync(work, `${work}-moved`);
  expect(await project.$(`inject ${id} x`)).toMatch(/directory is gone[\s\S]*\[exit 4\]/);
  expect(model.requests).toHaveLength(1);
  expect(existsSync(project.turnFile(id, 2, 'request.json'))).toBe(false);
  renameSync(`${work}-moved`, work);
  expect(await project.ok(['inject', id, '--wait', 'again'])).toBe('here');
  expect(model.told()).toEqual(['user: first', 'assistant: here', 'user: again']);
});
