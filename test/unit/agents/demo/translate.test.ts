import { expect, test } from 'vitest';
import { demo } from '../../../../src/agents/demo/index.ts';
import { createDemoParser } from '../../../../src/agents/demo/translate.ts';

const read = (text: string): readonly object[] => createDemoParser()({ seq: 3, text });

const THREAD = '01a1f880-c978-76c0-be58-213b143ff767';
const ran = { type: 'command', id: 'c', command: 'ls' };
const did = { demo: 'command', id: 'c', command: 'ls' };
const command = { ...ran, output: '', exitCode: 2, status: 'failed' };
const wrote = { type: 'file_change', id: 'w', changes: [{ path: '/a', kind: 'add' }], status: 'completed' };
const usage = { input: 5, cachedInput: 0, output: 2, reasoning: null, costUsd: null, of: 'process' };

test.each<[object, readonly object[]]>([
  [{ demo: 'thread', id: THREAD, model: 'm' }, [{ type: 'thread_started', threadId: THREAD }]],
  [{ demo: 'think', text: 'hm' }, [{ type: 'reasoning', text: 'hm' }]],
  [
    { ...did, output: null, exit_code: null },
    [{ ...command, output: null, exitCode: null, status: 'in_progress' }],
  ],
  [{ ...did, output: '', exit_code: 0 }, [{ ...command, exitCode: 0, status: 'completed' }]],
  [{ ...did, output: '', exit_code: 2 }, [command]],
  [{ demo: 'wrote', id: 'w', path: '/a' }, [wrote]],
  [
    { demo: 'wrote', id: 'w', path: '/a', kind: 'update' },
    [{ ...wrote, changes: [{ path: '/a', kind: 'update' }] }],
  ],
  [{ demo: 'say', text: 'hi', extra: 1 }, [{ type: 'message', text: 'hi' }]],
  [
    { demo: 'done', input_tokens: 5, output_tokens: 2 },
    [{ type: 'usage', usage }, { type: 'turn_completed' }],
  ],
  [{ demo: 'failed', message: 'no' }, [{ type: 'turn_failed', message: 'no' }]],
])('%j', (line, expected) => {
  expect(read(JSON.stringify(line))).toEqual(expected.map((event) => ({ seq: 3, ...event })));
});

test.each([
  ['half a line', '{"demo":"sa', 'malformed'],
  ['no object', 'null', 'malformed'],
  ['another kind', '{"demo":"dance"}', 'unknown'],
  ['__proto__', '{"demo":"__proto__"}', 'unknown'],
  ['a thread id that is an option', '{"demo":"thread","id":"--resume","model":null}', 'unknown'],
  ['tokens below zero', '{"demo":"done","input_tokens":-1,"output_tokens":0}', 'unknown'],
])('%s is kept', (_, text, type) => {
  expect(read(text)).toEqual([{ seq: 3, type, raw: text }]);
});

test('the arguments of the demo agent', () => {
  const request = {
    workingDir: '/w',
    sandbox: 'read-only',
    agentArgs: ['--hang'],
    schema: null,
    tools: null,
    newThreadId: 'n',
    confined: false,
  } as const;
  const argv = (model: string | null, threadId: string | null, forks = false): string =>
    demo.command({ ...request, model, threadId, forks }).args.join(' ');
  expect(argv(null, null)).toBe('--sandbox read-only --hang');
  expect(argv('m', 't')).toBe('--model m --sandbox read-only --hang --resume t');
  expect(argv(null, 't', true)).toBe('--sandbox read-only --hang --fork t');
});

test('its failure is explained by what it said last', () => {
  expect(demo.explain({ message: 'm', stderr: 'e\n' })).toMatchObject({ message: 'm', code: 'agent_failed' });
  expect(demo.explain({ message: null, stderr: 'one\ntwo\n' })).toMatchObject({ message: 'two' });
  expect(demo.explain({ message: null, stderr: '\n' })).toBeNull();
});
