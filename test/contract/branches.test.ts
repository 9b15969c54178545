import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findHistory } from '../../src/store/agent-history.ts';
import { CODEX_WRAPPER, type CodexProject, createCodexProject } from '../helpers/codex.ts';
import { eventually } from '../helpers/project.ts';

const usage = (input: number, cached: number, output: number) => ({ input, cached, output, reasoning: 0 });

const say = (project: CodexProject, id: string, words: string): Promise<string> =>
  project.ok(['inject', id, '--wait', words]);

const hows = async (project: CodexProject, id: string) =>
  (await project.show(id)).turns.map(({ how }) => how);

const ANSWERS = { steps: [{ message: 'did {{prompt}}', usage: usage(1000, 100, 10) }] };

test.concurrent('two forks and their parent go on by themselves, also when the parent is gone', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  const id = await project.ended(['one']);
  await say(project, id, 'two');
  const a = await project.ok(['fork', id, '-q']);
  const b = JSON.parse(await project.ok(['fork', id, '--wait', '--json', 'three in b'])).id;
  await say(project, a, 'three in a');
  const before = ['user: one', 'assistant: did one', 'user: two', 'assistant: did two'];
  expect(await project.told(a)).toEqual([...before, 'user: three in a']);
  await project.ok(['rm', id]);
  await say(project, b, 'four in b');
  const inB = ['user: three in b', 'assistant: did three in b', 'user: four in b'];
  expect((await project.told(b)).slice(4)).toEqual(inB);
  await say(project, a, 'four in a');
  expect(await hows(project, a)).toEqual(['fresh', 'native', 'native', 'native']);
  expect(await hows(project, b)).toEqual(['fresh', 'native', 'native', 'native']);
  const threads = await Promise.all([a, b].map(async (fork) => (await project.show(fork)).thread_id));
  expect(new Set(threads).size).toBe(2);
  // A fork is charged with what it has done itself.
  const { token_usage, turns } = await project.show(a);
  expect(turns.map((turn) => turn.token_usage?.total_tokens)).toEqual([1010, 1010, 1010, 1010]);
  expect(token_usage?.total_tokens).toBe(2020);
});

test.concurrent('a fork at an earlier turn, and a fork of a fork, know nothing of what came later', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  const id = await project.ended(['one']);
  await say(project, id, 'later secret');
  const fromOne = ['fork', id, '--turn', '1', '--wait', '--json', 'on from one'];
  const early = JSON.parse(await project.ok(fromOne)).id;
  expect(await hows(project, early)).toEqual(['fresh', 'replay']);
  expect(await project.told(early)).toEqual([
    expect.stringMatching(/the user>\none\n.*did one\n(?!.*secret).*\n\non from one$/s),
  ]);
  expect((await project.show(early)).token_usage?.total_tokens).toBe(1010);

  const fork = await project.ok(['fork', id, '-q']);
  await say(project, id, 'hidden word');
  const second = JSON.parse(await project.ok(['fork', fork, '--wait', '--json', 'on from two'])).id;
  expect(await hows(project, second)).toEqual(['fresh', 'native', 'replay']);
  const input = (await project.told(second)).join('\n');
  expect(input).toContain('later secret');
  expect(input).not.toContain('hidden word');
});

test.concurrent('the model is not told what was rewound, and a rewind is undone by another', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  const id = await project.ended(['one']);
  await say(project, id, 'a secret mistake');
  await project.ok(['rewind', id, '--to', '1']);
  await say(project, id, 'another way');
  const input = (await project.told(id)).join('\n');
  expect(input).not.toContain('mistake');
  expect(input).toContain('did one');
  await project.ok(['rewind', id, '--to', '2']);
  await say(project, id, 'as it was');
  const mistake = ['user: a secret mistake', 'assistant: did a secret mistake'];
  expect(await project.told(id)).toEqual(['user: one', 'assistant: did one', ...mistake, 'user: as it was']);
  expect(await hows(project, id)).toEqual(['fresh', 'native', null, 'replay', null, 'native']);
});

test.concurrent('after a compaction the model is told the summary alone, until that is undone', async (t) => {
  const script = {
    steps: [{ message: 'did {{prompt}}', usage: usage(250_000, 0, 10) }],
    rules: [{ prompt: 'Write a summary', steps: [{ message: 'SUMMARY: all of it' }] }],
  };
  const project = await createCodexProject(t.onTestFinished, { script });
  const id = await project.ended(['one']);
  await say(project, id, 'two');
  expect(await project.ok(['compact', id, '--if-over', '0.99'])).toBe(id);
  expect((await project.show(id)).turn).toBe(2);
  expect(await project.ok(['compact', id, '--wait', '--if-over', '0.5'])).toBe('SUMMARY: all of it');
  await say(project, id, 'go on');
  const [input = '', ...more] = await project.told(id);
  expect(more).toEqual([]);
  expect(input).toMatch(/a summary of all that was before>\nSUMMARY: all of it\n[\s\S]*\n\ngo on$/);
  expect(input).not.toContain('did one');
  await project.ok(['rewind', id, '--to', '2']);
  await say(project, id, 'never summed up');
  const whole = (await project.told(id)).join('\n');
  expect(whole).toContain('did two');
  expect(whole).not.toContain('SUMMARY');
});

test.concurrent('interrupted in mid-answer, it goes on where it was', async (t) => {
  const script = {
    scenarios: { slow: [{ message: 'a long answer', latencyMs: 300_000 }] },
    steps: [{ message: 'did {{prompt}}' }],
  };
  const project = await createCodexProject(t.onTestFinished, { script });
  const id = await project.ended(['one']);
  await project.ok(['inject', id, '[[slow]] answer']);
  const { thread_id: thread } = await project.show(id);
  const asked = () => project.model.requestsOf(thread ?? '');
  await eventually('the model was asked', async () =>
    (await asked()).some(({ body }) => JSON.stringify(body.input).includes('[[slow]]')),
  );
  expect(await project.ok(['inject', id, '--interrupt', '--wait', 'go on'])).toBe('did go on');
  expect((await project.show(id)).turns.map(({ status, how }) => `${status} ${how}`)).toEqual([
    'completed fresh',
    'killed native',
    'completed native',
  ]);
  expect((await project.told(id)).slice(0, 2)).toEqual(['user: one', 'assistant: did one']);
  expect((await project.told(id)).at(-1)).toBe('user: go on');
});

test.concurrent('where the session file of Codex was deleted, it is told what was before, and that is said', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  const id = await project.ended(['one']);
  const { thread_id: thread } = await project.show(id);
  const file = findHistory(`${project.codexHome}/sessions`, [`*/*/*/rollout-*-${thread}.jsonl`]);
  rmSync(file?.path ?? '');
  expect(await say(project, id, 'still there?')).toMatch(/^did /);
  const [, turn] = (await project.show(id)).turns;
  expect(turn).toMatchObject({ how: 'replay', replay_reason: `codex no longer has its thread ${thread}` });
  const [input = ''] = await project.told(id);
  expect(input).toMatch(/the user>\none\n[\s\S]*you>\ndid one\n[\s\S]*\n\nstill there\?$/);
  await say(project, id, 'good');
  expect(await hows(project, id)).toEqual(['fresh', 'replay', 'native']);
});

test.concurrent('killed before it named its thread, it is told both messages, and goes on in that thread', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  // Codex as it is a few milliseconds after its start, for as long as this file is not there.
  const slow = `${project.base}/codex-that-waits`;
  const wait = `[ "$1" = --version ] || until [ -e ${slow}.go ]; do sleep 0.01; done`;
  writeFileSync(slow, `#!/bin/sh\n${wait}\nexec ${CODEX_WRAPPER} "$@"\n`, { mode: 0o755 });
  const id = await project.start(['use the new parser'], { env: { ZWARM_CODEX_BIN: slow } });
  await project.ok(['kill', id]);
  expect(await project.show(id)).toMatchObject({ status: 'killed', thread_id: null });
  await say(project, id, 'and keep the old one');
  const [input = '', ...more] = await project.told(id);
  expect(more).toEqual([]);
  expect(input).toMatch(/the user>\nuse the new parser\n[\s\S]*\n\nand keep the old one$/);
  expect((await project.show(id)).turns[1]).toMatchObject({
    how: 'replay',
    replay_reason: 'codex ended before it had named its conversation',
  });
  await say(project, id, 'good');
  expect(await hows(project, id)).toEqual(['fresh', 'replay', 'native']);
});
