import { expect, type TestContext, test } from 'vitest';
import { CLAUDE, createClaudeProject } from '../helpers/claude.ts';
import { CODEX_WRAPPER, createCodexProject } from '../helpers/codex.ts';
import { isInstalled } from '../helpers/installed.ts';
import { type Project, runProgram } from '../helpers/project.ts';

// Threads that the real agents held without zwarm.

/** Runs an agent's own program in the project, as its user would. */
async function runAgent({ directory, env }: Project, program: string | undefined, args: readonly string[]) {
  const ended = await runProgram(program ?? '', args, { cwd: directory, env, input: '' });
  expect({ args, ...ended }).toMatchObject({ code: 0 });
}

const listed = async (project: Project) => JSON.parse(await project.ok(['import', '--json']));

test('a thread of Codex becomes a session, and goes on in Codex’s own thread', async (t: TestContext) => {
  const project = await createCodexProject(t.onTestFinished, {
    script: {
      scenarios: {
        one: [{ message: 'I look', shell: 'echo seen' }, { message: 'it is forty-two' }],
        two: [{ message: 'still forty-two' }],
        three: [{ message: 'forty-two, as I said' }],
        four: [{ message: 'and no other' }],
        five: [{ message: 'for good' }],
      },
    },
  });
  const codex = (args: readonly string[]) => runAgent(project, CODEX_WRAPPER, args);
  await codex(['exec', '--json', '-s', 'workspace-write', '[[one]] what is it?']);
  const [thread] = await listed(project);
  expect(thread).toMatchObject({
    agent: 'codex',
    title: '[[one]] what is it?',
    working_dir: project.directory,
  });
  await codex(['exec', '--json', 'resume', thread.thread_id, '[[two]] and now?']);

  const { stdout: id } = await project.zwarm(['import', '-q', thread.thread_id]);
  const imported = await project.show(id.trim());
  expect(imported).toMatchObject({ agent: 'codex', status: 'completed', thread_id: thread.thread_id });
  expect(imported.messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
    'user: [[one]] what is it?',
    'assistant: I look',
    'assistant: it is forty-two',
    'user: [[two]] and now?',
    'assistant: still forty-two',
  ]);
  const steps = JSON.parse(await project.ok(['trajectory', imported.id, '--json']));
  expect(steps[1]).toMatchObject({ type: 'command', output: 'seen\n', exit_code: 0 });
  // The same thread is the same session, by whatever it is named.
  expect(JSON.parse(await project.ok(['import', '--newest', '--json']))).toMatchObject([
    { id: imported.id, is_new: false, turns: 2, how: 'native' },
  ]);

  expect(await project.ok(['inject', imported.id, '--wait', '[[three]] sure?'])).toBe('forty-two, as I said');
  expect((await project.told(imported.id)).filter((line) => !line.startsWith('output'))).toEqual([
    'user: [[one]] what is it?',
    'assistant: I look',
    'call: {"cmd":"echo seen"}',
    'assistant: it is forty-two',
    'user: [[two]] and now?',
    'assistant: still forty-two',
    'user: [[three]] sure?',
  ]);
  const { turns, token_usage: all } = await project.show(imported.id);
  expect(turns.map(({ kind, how }) => `${kind} ${how}`)).toEqual([
    'imported fresh',
    'imported native',
    'prompt native',
  ]);
  const counted = turns.map(({ token_usage: used }) => used?.total_tokens ?? Number.NaN);
  const asked = await project.model.requestsOf(thread.thread_id);
  // The stand-in counts a quarter of what it is sent, and 25 for each answer.
  const real = asked.map(({ body }) => Math.ceil(JSON.stringify(body.input).length / 4) + 25);
  expect(counted).toEqual([(real[0] ?? 0) + (real[1] ?? 0), real[2], real[3]]);
  expect(all?.total_tokens).toBe(counted.reduce((sum, one) => sum + one, 0));

  // It goes on without zwarm, behind a turn of zwarm's.
  await codex(['exec', '--json', 'resume', thread.thread_id, '[[four]] really?']);
  expect(JSON.parse(await project.ok(['import', '--newest', '--json']))).toMatchObject([
    { id: imported.id, is_new: false, added: 1, turns: 4, how: 'native', warnings: [] },
  ]);
  expect(await project.ok(['inject', imported.id, '--wait', '[[five]] well?'])).toBe('for good');
  const later = (await project.show(imported.id)).turns;
  expect(later.slice(3).map(({ kind, how, answer }) => `${kind} ${how} ${answer}`)).toEqual([
    'external native and no other',
    'prompt native for good',
  ]);
  const sent = (await project.model.requestsOf(thread.thread_id)).map(
    ({ body }) => Math.ceil(JSON.stringify(body.input).length / 4) + 25,
  );
  expect(later.slice(3).map(({ token_usage: used }) => used?.total_tokens)).toEqual(sent.slice(4));
});

test.runIf(isInstalled(CLAUDE))('a session of Claude Code likewise', async (t: TestContext) => {
  const steps = [
    { text: 'I look', tools: [['Bash', { command: 'echo seen' }]] },
    { text: 'it is forty-two' },
    { text: 'as I said' },
    { text: 'and no other' },
    { text: 'for good' },
  ] as const;
  const project = await createClaudeProject(t.onTestFinished, steps);
  await runAgent(project, project.env['ZWARM_CLAUDE_BIN'], ['-p', 'what is it?', '--allowedTools', 'Bash']);
  const [thread] = await listed(project);
  expect(thread).toMatchObject({ agent: 'claude', title: 'what is it?', working_dir: project.directory });
  const id = (await project.ok(['import', '-q', '--newest'])).trim();
  const imported = await project.show(id);
  expect(imported).toMatchObject({ status: 'completed', last_message: 'it is forty-two' });
  expect(imported.token_usage?.at_least).toBe(false);
  expect(await project.ok(['inject', id, '--wait', 'sure?'])).toBe('as I said');
  expect((await project.show(id)).turns.map(({ kind, how }) => `${kind} ${how}`)).toEqual([
    'imported fresh',
    'prompt native',
  ]);
  const told = project.model.told().join('\n');
  expect(told).toMatch(/user: what is it\?[\s\S]*echo seen[\s\S]*it is forty-two[\s\S]*user: sure\?$/);

  const resume = ['-p', 'really?', '--resume', thread.thread_id];
  await runAgent(project, project.env['ZWARM_CLAUDE_BIN'], resume);
  expect(JSON.parse(await project.ok(['import', '--newest', '--json']))).toMatchObject([
    { id, is_new: false, added: 1, turns: 3, how: 'native', warnings: [] },
  ]);
  expect(await project.ok(['inject', id, '--wait', 'well?'])).toBe('for good');
  expect((await project.show(id)).turns.map(({ kind, how, answer }) => `${kind} ${how} ${answer}`)).toEqual([
    'imported fresh it is forty-two',
    'prompt native as I said',
    'external native and no other',
    'prompt native for good',
  ]);
});
