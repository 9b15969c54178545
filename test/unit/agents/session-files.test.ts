import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AGENTS } from '../../../src/agents/registry.ts';
import { foldEvents } from '../../../src/core/conversation/fold.ts';
import { type FileTurn, survey, turnsOfFile } from '../../../src/core/conversation/session-file.ts';
import { createStepList } from '../../../src/core/conversation/step-list.ts';
import { type Step, stepLine } from '../../../src/core/conversation/steps.ts';
import { stepsInOrder } from '../../../src/core/conversation/steps-in-order.ts';
import type { Line } from '../../../src/core/events.ts';
import { isoTime } from '../../../src/core/time.ts';
import { repositoryFile } from '../../helpers/project.ts';

const FILES = repositoryFile('fixtures/session-files');

const linesOf = (text: string): Line[] =>
  text.split('\n').flatMap((line, seq) => (line === '' ? [] : [{ seq, text: line }]));

async function readerOf(name: string) {
  const files = AGENTS.find((agent) => name.startsWith(agent.name))?.history?.files;
  if (!files) throw new Error(`nobody reads ${name}`);
  return files.loadReader();
}

/** What is told of each turn: the times, the message, the steps, how it ended and its tokens so far. */
async function told(name: string, text: string): Promise<string> {
  const newReader = await readerOf(name);
  const whole = survey(linesOf(text), newReader());
  const turns = Array.from(turnsOfFile(linesOf(text), newReader(), whole), (turn: FileTurn) => {
    const read = newReader();
    const events = [...turn.lines].flatMap((line, seq) => read({ seq, text: line }).events);
    const { endedMs, interrupted } = turn.end();
    const steps = [...stepsInOrder(createStepList(), events, true)].map(({ step }: { step: Step }) => step);
    const { terminal, tokens, malformed } = foldEvents(events);
    const took = (endedMs ?? 0) - (turn.startedMs ?? 0);
    return [
      `${isoTime(turn.startedMs ?? 0)} +${took} ms: ${turn.prompt?.trim()}`,
      ...steps.map((step) => `  ${stepLine(step, '/workspace')}`),
      `  ${interrupted ? 'interrupted' : terminal?.kind}, ${tokens?.input} in, ${tokens?.output} out, ${malformed} malformed`,
    ];
  });
  const { thread, model } = whole;
  return [`${thread?.id} ${thread?.directory} ${thread?.version} ${model}`, ...turns.flat()].join('\n');
}

test.each(readdirSync(FILES).filter((name) => name.endsWith('.jsonl')))('%s', async (name) => {
  const text = readFileSync(join(FILES, name), 'utf8');
  await expect(await told(name, text)).toMatchFileSnapshot(join(FILES, name.replace('.jsonl', '.txt')));
});

const THREAD = '11111111-2222-4333-8444-555555555555';
const about = {
  sessionId: THREAD,
  cwd: '/workspace',
  version: '2.1.328',
  timestamp: '2026-11-23T20:00:00.000Z',
};
const claudeLine = (uuid: string, parentUuid: string | null, line: object): string =>
  JSON.stringify({ uuid, parentUuid, ...about, ...line });
const asked = (content: unknown, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  ...more,
});
const said = (
  id: string,
  content: readonly object[],
  stop_reason: string | null = 'end_turn',
  more: object = {},
) => ({
  type: 'assistant',
  message: { id, content, stop_reason, usage: { input_tokens: 10, output_tokens: 1 } },
  ...more,
});
const words = (text: string): object => ({ type: 'text', text });

test('of a conversation with branches the last one counts; what the program says by itself is no message', async () => {
  const text = [
    claudeLine('a', null, asked('first')),
    claudeLine('b', 'a', said('m1', [words('rewound')])),
    claudeLine('c', 'b', asked('also rewound')),
    claudeLine('s', 'c', said('m9', [words('of a subagent')], 'end_turn', { isSidechain: true })),
    claudeLine('d', 'a', asked('<command-name>/model</command-name>')),
    claudeLine('e', 'd', asked('a caveat', { isMeta: true })),
    claudeLine('f', 'e', said('m2', [{ type: 'thinking', thinking: 'hm' }])),
    claudeLine('g', 'f', said('m2', [words('of two blocks')])),
    claudeLine('h', 'g', asked([words('second'), { type: 'image' }])),
    claudeLine(
      'i',
      'h',
      said('m3', [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }], 'tool_use'),
    ),
    claudeLine('j', 'i', asked('steered')),
    claudeLine('k', 'j', said('m4', [words('no credit')], null, { isApiErrorMessage: true })),
    claudeLine('l', 'k', asked('third')),
    claudeLine('m', 'l', asked([words('[Request interrupted by user]')])),
    '{"type":"summary","summary":"x"}',
    'not JSON',
  ].join('\n');
  expect(await told('claude', `${text}\n`)).toMatchInlineSnapshot(`
    "11111111-2222-4333-8444-555555555555 /workspace 2.1.328 null
    2026-11-23T20:00:00.000Z +0 ms: first
      hm
      of two blocks
      completed, 10 in, 1 out, 0 malformed
    2026-11-23T20:00:00.000Z +0 ms: second
      $ ls
      interrupted, 10 in, 1 out, 0 malformed
    2026-11-23T20:00:00.000Z +0 ms: steered
      no credit
      failed, undefined in, undefined out, 0 malformed
    2026-11-23T20:00:00.000Z +0 ms: third
      interrupted, undefined in, undefined out, 1 malformed"
  `);
});

test('a line that cannot be read makes no turn, and stays with the one that it stands in', async () => {
  const text = [
    'garbage',
    claudeLine('a', null, asked('do it')),
    claudeLine('b', 'a', said('m', [words('Done.')])),
    'more garbage',
  ].join('\n');
  expect((await told('claude', text)).split('\n').slice(1)).toEqual([
    '2026-11-23T20:00:00.000Z +0 ms: do it',
    '  Done.',
    '  completed, 10 in, 1 out, 2 malformed',
  ]);
  expect((await told('claude', 'garbage')).split('\n')).toHaveLength(1);
});
