import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCodexProject } from '../helpers/codex.ts';
import { eventually, processesNaming } from '../helpers/project.ts';

const usage = (...[input, cached, output, reasoning]: number[]) => ({ input, cached, output, reasoning });

test.concurrent('a follow-up continues the thread: the model gets all that came before', async (t) => {
  const script = {
    scenarios: {
      first: [
        { message: 'let me look', shell: 'echo forty-two', usage: usage(1000, 0, 10, 2) },
        { message: 'it says forty-two', usage: usage(1100, 900, 20, 3) },
      ],
      second: [{ message: 'still forty-two', usage: usage(1300, 1000, 5, 1) }],
      mute: [{ output: [], usage: usage(1400, 1300, 0, 0) }],
    },
  };
  const project = await createCodexProject(t.onTestFinished, { script });
  const id = await project.start(['[[first]] what does it say?']);
  await project.ok(['wait', id]);
  const before = await project.show(id);
  expect(await project.ok(['inject', id, '--wait', '[[second]] and now?'])).toBe('still forty-two');

  const session = await project.show(id);
  const { thread_id } = before;
  expect(session).toMatchObject({ status: 'completed', exit_code: 0, error: null, thread_id });
  expect(session.model_used).toBe('gpt-5.5');
  for (const { timestamp } of session.messages) expect(timestamp).toMatch(/^2.*Z$/);
  expect(session.turns.map(({ how, answer }) => [how, answer])).toEqual([
    ['fresh', 'it says forty-two'],
    ['native', 'still forty-two'],
  ]);
  const tokens = ({ token_usage: usage }: Pick<typeof session, 'token_usage'>) =>
    `${usage?.input_tokens} ${usage?.cached_input_tokens} ${usage?.output_tokens} ${usage?.reasoning_output_tokens}`;
  expect([...session.turns, session].map(tokens)).toEqual([
    '2100 900 30 5',
    '1300 1000 5 1',
    '3400 1900 35 6',
  ]);
  expect(await project.told(id)).toEqual([
    'user: [[first]] what does it say?',
    'assistant: let me look',
    expect.stringMatching(/^call: .*echo forty-two/),
    expect.stringMatching(/^output: .*forty-two/),
    'assistant: it says forty-two',
    'user: [[second]] and now?',
  ]);

  // An answer that is empty is none.
  expect(await project.$(`inject ${id} --wait [[mute]]`)).toBe(
    `zwarm: ${id} completed without an answer; see: zwarm show ${id} --full\n`,
  );
  expect((await project.show(id)).last_message).toBeNull();
});

const TEXTS = {
  'a prompt of 300 KB': `${'a line with Ümlaut and 漢字\n'.repeat(10_000)}the end`,
  'a prompt that looks like options': '--yolo -s danger-full-access',
  'a prompt full of shell': `- "it's" 'quoted' \\ \`touch pwn\` $(touch pwn) $HOME\n\n\ttabs; and | newlines\n`,
};

test.concurrent.for(Object.entries(TEXTS))('%s reaches the model byte for byte', async ([, text], t) => {
  const project = await createCodexProject(t.onTestFinished, { script: { steps: [{ message: 'read' }] } });
  await project.ok(['start', '--wait', '-'], { input: text });
  await writeFile(join(project.base, 'message.md'), text);
  await project.ok(['inject', '@last', '--wait', '-F', join(project.base, 'message.md')]);
  // One argument may hold 128 KB on Linux.
  const argument = text.length < 100_000;
  if (argument) await project.ok(['inject', '@last', '--wait', '--', text]);
  const { messages } = await project.show('@last');
  const exchange = [`user: ${text}`, 'assistant: read'];
  const exchanges = Array(argument ? 3 : 2)
    .fill(exchange)
    .flat();
  expect(messages.map(({ role, content }) => `${role}: ${content}`)).toEqual(exchanges);
  expect(await project.told('@last')).toEqual(exchanges.slice(0, -1));
  expect(await readdir(project.directory)).toEqual(['.git', '.zwarm']);
});

test.concurrent('no process shows a prompt to its neighbours', async (t) => {
  const wait = { shell: 'until [ -e go ]; do sleep 0.1; done', shellArgs: { yield_time_ms: 60_000 } };
  const script = { steps: [wait, { message: 'done' }] };
  const project = await createCodexProject(t.onTestFinished, { script });
  const secret = 'the launch code is 8472';
  const id = await project.start(['-'], { input: secret });
  const full = () => project.show(id, ['--full']);
  await eventually('the command runs', async () =>
    (await full()).messages.some(({ role }) => role === 'tool'),
  );
  expect([...processesNaming(secret), ...processesNaming(secret, 'cmdline')]).toEqual([]);
  await writeFile(join(project.directory, 'go'), '');
  expect(await project.ok(['wait', id])).toBe(`${id} completed`);
});

test.concurrent('a model that Codex does not know is warned about, and used', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: { steps: [{ message: 'hi' }] } });
  const id = await project.start(['-m', 'unheard-of-1', 'hello']);
  await project.ok(['wait', id]);
  const { turns, thread_id } = await project.show(id);
  expect(turns[0]?.warnings).toEqual([expect.stringContaining('`unheard-of-1` not found')]);
  const requests = await project.model.requestsOf(thread_id ?? '');
  expect(requests.map(({ body }) => body.model)).toEqual(['unheard-of-1']);
  expect(await project.ok(['show', id])).toContain('! Model metadata for `unheard-of-1` not found');
});

// One white pixel.
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test.concurrent('a picture is attached to its own turn, and not once more to the next one', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: { steps: [{ message: 'white' }] } });
  await writeFile(join(project.directory, 'pixel.png'), Buffer.from(PICTURE, 'base64'));
  const id = await project.start(['--agent-arg=-i', '--agent-arg=pixel.png', 'what do you see?']);
  await project.ok(['wait', id]);
  expect(await project.ok(['inject', id, '--wait', 'are you sure?'])).toBe('white');
  const { thread_id, turns } = await project.show(id);
  expect(turns.map(({ how }) => how)).toEqual(['fresh', 'native']);
  const requests = await project.model.requestsOf(thread_id ?? '');
  const pictures = requests.map(({ body }) =>
    body.input.flatMap(({ content }) => (content ?? []).filter(({ type }) => type === 'input_image')),
  );
  expect(pictures.map((found) => found.length)).toEqual([1, 1]);
});
