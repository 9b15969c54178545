import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AGENTS } from '../../src/agents/registry.ts';
import {
  createProject,
  eventually,
  FAKE_AGENT,
  repositoryFile,
  withoutConfiner,
} from '../helpers/project.ts';

// What zwarm does with every agent that it can start: a stand-in plays the plain answer that was recorded of each.

const streams = repositoryFile('fixtures/streams');

/** The recorded stream of a plain answer of an agent, in its newest version. */
function plainAnswer(agent: string): string {
  const directories = readdirSync(streams).filter(
    (name) => name.startsWith(`${agent}-`) && !name.endsWith('older'),
  );
  const files = directories
    .sort()
    .flatMap((name) => ['text', 'message'].map((file) => `${streams}/${name}/${file}.jsonl`));
  return files.findLast(existsSync) ?? '';
}

const started = AGENTS.flatMap((agent) =>
  agent.program.kind === 'path' ? [[agent.name, agent, agent.program.variable] as const] : [],
);

describe.each(started)('%s', (name, agent, variable) => {
  function createWith() {
    const project = createProject();
    Object.assign(project.env, {
      [variable]: FAKE_AGENT,
      ZWARM_AGENT: name,
      FAKE_AGENT_STREAM: plainAnswer(name),
    });
    withoutConfiner(project);
    /** Puts a file where the agent keeps that thread, if it does so in files. */
    const keepThread = (thread: string): void => {
      const directory = agent.history?.directory(project.env);
      const [pattern] = agent.history?.patterns(thread) ?? [];
      if (directory == null || pattern === undefined) return;
      const path = join(directory, pattern.replaceAll('*', 'x'));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, '');
    };
    return { ...project, keepThread };
  }

  test('it starts, goes on in its own thread, and forks it', async () => {
    const project = createWith();
    const id = await project.ended(['first']);
    const {
      thread_id: thread,
      last_message: answer,
      token_usage: tokens,
      ...session
    } = await project.show(id);
    expect(session).toMatchObject({ status: 'completed', agent: name, exit_code: 0, error: null });
    expect(answer).toBeTruthy();
    expect(tokens?.total_tokens).toBeGreaterThan(0);
    project.keepThread(thread ?? '');
    await project.$(`inject ${id} --wait second`);
    const [first, second] = project.runs();
    expect(first?.argv).not.toContain(thread);
    expect(second?.argv).toContain(thread);
    expect([first?.stdin, second?.stdin]).toEqual(['first', 'second']);
    expect((await project.show(id)).turns.map(({ how }) => how)).toEqual(['fresh', 'native']);
    await project.$(`fork ${id} --wait third`);
    expect(project.runs()[2]?.argv.join(' ')).not.toBe(second?.argv.join(' '));
  });

  test('it is killed, and crashes, and says nothing that is not so', async () => {
    const project = createWith();
    const hanging = await project.ok(['start', 'x'], {
      env: { FAKE_AGENT_HANG: '1', FAKE_AGENT_STREAM: undefined },
    });
    await eventually('it runs', () => project.runs().length > 0);
    await project.ok(['kill', hanging]);
    expect(await project.show(hanging)).toMatchObject({
      status: 'killed',
      last_message: null,
      token_usage: null,
    });
    const crashed = await project.zwarm(['start', '--wait', '--json', 'x'], {
      env: { FAKE_AGENT_SIGNAL: 'SIGKILL', FAKE_AGENT_STREAM: undefined },
    });
    expect(JSON.parse(crashed.stdout)).toMatchObject({ status: 'failed', signal: 'SIGKILL', cost_usd: null });
    const silent = await project.zwarm(['start', '--wait', '--json', 'x'], {
      env: { FAKE_AGENT_STREAM: undefined },
    });
    expect(JSON.parse(silent.stdout)).toMatchObject({ status: 'failed', error: { code: 'no_result' } });
  });

  test('lines that nobody understands are kept and counted, and change nothing else', async () => {
    const project = createWith();
    const odd = join(project.base, 'odd.jsonl');
    writeFileSync(odd, `garbage\n{"type":"something.new"}\n${'x'.repeat(100_000)}\n[]\n`);
    const { stdout } = await project.zwarm(['start', '--wait', '--json', 'x'], {
      env: { FAKE_AGENT_STREAM: odd },
    });
    const { id, status } = JSON.parse(stdout);
    expect(status).toBe('failed');
    expect((await project.show(id)).turns[0]?.warnings).toEqual([
      expect.stringMatching(/3 lines .* could not be read/),
    ]);
  });
});

test('how a turn ended is the same to every verb, also where that is told by what was far before its last line', async () => {
  const project = createProject();
  const cut = readFileSync(join(streams, 'claude-2.1.328/subagent-ceiling.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const at = cut.findIndex((line) => line.includes('"subtype":"task_progress"'));
  const filler = Array(2000).fill(cut[at]);
  const far = join(project.base, 'far.jsonl');
  writeFileSync(far, `${[...cut.slice(0, at), ...filler, ...cut.slice(at)].join('\n')}\n`);
  Object.assign(project.env, { ZWARM_CLAUDE_BIN: FAKE_AGENT, ZWARM_AGENT: 'claude', FAKE_AGENT_STREAM: far });
  withoutConfiner(project);
  const { code, stdout } = await project.zwarm(['start', '--wait', '--json', 'x']);
  const { id, status } = JSON.parse(stdout);
  const waited = await project.zwarm(['wait', id]);
  const [row] = await project.list();
  expect([code, status, waited.code, row?.status]).toEqual([1, 'failed', 1, 'failed']);
});
