import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, FAKE_AGENT, repositoryFile, withoutConfiner } from '../helpers/project.ts';

const CLAUDE = { FAKE_AGENT_STREAM: repositoryFile('fixtures/streams/claude-2.1.328/text.jsonl') };
const THREAD = '11111111-1111-4111-8111-111111111101';

/** A project with a Codex and a Claude Code that play a recorded turn each. */
function createMixed() {
  const project = createProject();
  project.env['ZWARM_CLAUDE_BIN'] = FAKE_AGENT;
  withoutConfiner(project);
  return project;
}

test('a conversation goes on with another agent, which is told what was before; the record and the page say so', async () => {
  const project = createMixed();
  const { $ } = project;
  const id = await project.ended(['first', '-m', 'gpt-x', '--agent-arg=-c', '--agent-arg=a=1']);
  await $(`inject ${id} -a claude --wait second`, { env: CLAUDE });
  const [, second] = project.runs();
  expect(second?.argv).toEqual(expect.arrayContaining(['-p', '--session-id']));
  // Neither the model nor the arguments of the other one.
  expect(second?.argv.join(' ')).not.toMatch(/gpt-x|a=1/);
  expect(second?.stdin).toMatch(/first[\s\S]*second/);
  const { turns, agent, model, thread_id } = await project.show(id);
  expect({ agent, model, thread_id }).toEqual({ agent: 'claude', model: null, thread_id: THREAD });
  expect(turns.map((turn) => `${turn.agent} ${turn.how} ${turn.replay_reason}`)).toEqual([
    'codex fresh null',
    'claude replay claude has not had this conversation; codex had it',
  ]);
  const page = await $(`show ${id}`);
  expect(page).toMatch(/turn 1 · codex · completed/);
  expect(page).toMatch(/turn 2 · completed · [\d.]+s · new thread, with a transcript/);
  expect(page).toContain('(a new thread, with the conversation so far: claude has not had this conversation');
  expect(await $(`trajectory ${id}`)).toMatch(/turn 1 · codex/);

  // It stays with that one, in its own thread; and the first one comes back with its own arguments.
  const history = join(project.base, 'home/.claude/projects/-p');
  mkdirSync(history, { recursive: true });
  writeFileSync(join(history, `${THREAD}.jsonl`), '');
  await $(`inject ${id} -m opus --wait third`, { env: CLAUDE });
  await $(`inject ${id} -a codex --wait fourth`);
  const [, , third, fourth] = project.runs();
  expect(third?.argv).toEqual(expect.arrayContaining(['--resume', THREAD, '--model', 'opus']));
  expect(third?.stdin).toBe('third');
  expect(fourth?.argv).toEqual(expect.arrayContaining(['exec', '-c', 'a=1']));
  expect(fourth?.stdin).toMatch(/first[\s\S]*second[\s\S]*third[\s\S]*fourth/);
});

test('so does a fork, which leaves its origin alone; without a message nobody is there to answer', async () => {
  const project = createMixed();
  const { $ } = project;
  const id = await project.ended(['first']);
  const forked = JSON.parse(await $(`fork ${id} -a claude_code --wait --json second`, { env: CLAUDE }));
  expect(forked).toMatchObject({ agent: 'claude', turn: 2, forked_from: { id, turn: 1 } });
  expect((await project.show(forked.id)).turns.map(({ agent, how }) => `${agent} ${how}`)).toEqual([
    'codex fresh',
    'claude replay',
  ]);
  expect((await project.show(id)).agent).toBe('codex');
  expect(await $(`fork ${id} -a claude`)).toBe(
    `zwarm: -a and -m say who answers a message, and there is none\nhint: give the first message: zwarm fork ${id} … "…"\n[exit 2]\n`,
  );
  expect(await $(`inject ${id} -a claud x`)).toContain('did you mean claude?');
  expect(await $(`inject ${id} -m --x x`)).toContain('[exit 2]');
});

test('what an orchestrator is needs an agent that can be one', async () => {
  const project = createMixed();
  const { stdout } = await project.zwarm(['orchestrate', '--wait', '-q', 'lead']);
  const id = stdout.trim();
  expect(await project.$(`inject ${id} -a claude x`)).toMatch(
    /claude cannot run other agents[\s\S]*\[exit 2\]/,
  );
});
