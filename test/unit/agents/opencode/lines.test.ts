import { expect, test } from 'vitest';
import { createOpencodeParser } from '../../../../src/agents/opencode/translate.ts';
import { stepLine } from '../../../../src/core/conversation/steps.ts';
import { foldWhole } from '../../../helpers/fold.ts';

const ID = 'ses_e078e6c83ffeNsZi1k6VEjJRTu';
const line = (fields: object): string => JSON.stringify(fields);
const read = (text: string) => createOpencodeParser()({ seq: 7, text });

function fold(...lines: object[]) {
  const parse = createOpencodeParser();
  return foldWhole(
    lines.flatMap((fields, seq) => [...parse({ seq, text: line({ sessionID: ID, ...fields }) })]),
    true,
  );
}

const begun = { type: 'step_start', part: {} };
const said = (text: string, more: object = {}) => ({ type: 'text', part: { text, ...more } });
let parts = 0;
const part = (more: object) => {
  parts += 1;
  return { id: `prt_${parts}`, ...more };
};
const finished = (reason: string, output = 1, more: object = {}) => ({
  type: 'step_finish',
  part: part({
    ...{ reason, tokens: { input: 10, output, reasoning: 2, cache: { read: 3, write: 4 } }, cost: 0.5 },
    ...more,
  }),
});
const call = (tool: string, input: object, state: object = {}) => ({
  type: 'tool_use',
  part: part({ tool, callID: 'call_0', state: { status: 'completed', input, output: 'ok', ...state } }),
});
const failure = (name: string, data: object) => ({ type: 'error', error: { name, data } });

test.each([
  ...['{}', '{"type":"x"}', '{"type":5}', '{"type":"__proto__"}', '{"type":"constructor"}'],
  line({ type: 'session_idle', sessionID: '--help' }),
])('%s is unknown', (text) => {
  expect(read(text)).toEqual([{ seq: 7, type: 'unknown', raw: text }]);
});

test.each([
  ...['null', '5', '[]', '"error"', '{"type":"text"}', '{"type":"step_st'],
  line({ ...begun }),
  ...['--auto', '../../etc', 'ses_', `${ID}\n`, ` ${ID}`, `${ID}x`, ID.replace('N', '-')].map((sessionID) =>
    line({ ...begun, sessionID }),
  ),
  line({ type: 'text', sessionID: ID, part: { text: 5 } }),
  line({ type: 'error', sessionID: ID, error: 'boom' }),
  line({ type: 'tool_use', sessionID: ID, part: { id: 'p', tool: 'bash', state: { status: 'running' } } }),
])('%s is malformed', (text) => {
  expect(read(text)).toEqual([{ seq: 7, type: 'malformed', raw: text }]);
});

test('the first line names the thread, whatever it is', () => {
  expect(fold(failure('APIError', { message: 'no' })).threadId).toBe(ID);
  expect(read(line({ ...said(' \n'), sessionID: ID }))).toEqual([
    { seq: 7, type: 'thread_started', threadId: ID },
    { seq: 7, type: 'redundant' },
  ]);
});

test.each<[string, object[], object | null]>([
  ['a last step that stops is the end', [begun, finished('stop')], { kind: 'completed' }],
  ['for any reason that is none to go on', [begun, finished('other')], { kind: 'completed' }],
  ['one that called tools is not', [begun, finished('tool-calls')], { kind: 'begun' }],
  ['nor one without a reason', [begun, finished('unknown')], { kind: 'begun' }],
  ['who begins another step has not ended', [begun, finished('stop'), begun], { kind: 'begun' }],
  [
    'a cut answer is none',
    [begun, finished('length')],
    { kind: 'failed', message: 'the answer was cut off: the model reached its output limit' },
  ],
  ['an error counts', [begun, failure('APIError', { message: 'no' })], { kind: 'failed', message: 'no' }],
  [
    'unless it works again',
    [failure('ContextOverflowError', { message: 'full' }), begun, finished('stop')],
    { kind: 'completed' },
  ],
  [
    'tokens that are not as expected hide no end',
    [finished('stop', 1, { tokens: 5 })],
    { kind: 'completed' },
  ],
])('%s', (_, lines, terminal) => {
  expect(fold(...lines).terminal).toEqual(terminal);
});

test.each<[string, object, string]>([
  ['APIError', { message: 'Bad key', statusCode: 401 }, 'Bad key (status 401)'],
  ['APIError', { message: 'error 401', statusCode: 401 }, 'error 401'],
  ['UnknownError', { message: 'boom' }, 'boom'],
  ['ProviderAuthError', { message: 'no key' }, 'ProviderAuthError: no key'],
  ['MessageOutputLengthError', {}, 'MessageOutputLengthError'],
])('%s with %j', (name, data, message) => {
  expect(fold(failure(name, data)).terminal).toEqual({ kind: 'failed', message });
});

test('the tokens of all steps are added, cached ones and reasoning within', () => {
  const { tokens } = fold(begun, finished('tool-calls', 1), begun, finished('stop', 5));
  expect(tokens).toEqual({
    ...{ input: 34, cachedInput: 6, output: 10, reasoning: 4, costUsd: 1 },
    ...{ cumulative: false, partial: false },
  });
});

test('a cost of zero is none: opencode also tells it of a model without a price', () => {
  const free = { cost: 0 };
  expect(fold(begun, finished('stop', 1, free)).tokens).toMatchObject({ input: 17, costUsd: null });
  expect(fold(finished('tool-calls', 1, free), finished('stop')).tokens).toMatchObject({ costUsd: 0.5 });
});

test('also where a step that had stopped was followed by others', () => {
  const { tokens } = fold(
    finished('tool-calls', 1),
    finished('stop', 1),
    finished('unknown', 1),
    finished('stop'),
  );
  expect(tokens).toMatchObject({ input: 68, output: 12, costUsd: 2, partial: false });
});

test('of a turn that was cut off there are at least those of its whole steps', () => {
  const { tokens } = fold(begun, finished('tool-calls', 1), begun, finished('tool-calls', 1), begun);
  expect(tokens).toMatchObject({ input: 34, output: 6, partial: true });
});

test('a thought of which nothing is told is none', () => {
  expect(fold({ type: 'reasoning', part: { text: '' } }).steps).toEqual([]);
});

test('what opencode says to its model is no message', () => {
  const { answer, messages } = fold(
    said('mine'),
    said('Continue if you can', { synthetic: true }),
    said('\n'),
  );
  expect({ answer, messages }).toEqual({ answer: 'mine', messages: ['mine'] });
});

const REJECTED = 'The user rejected permission to use this specific tool call.';
const DENIED =
  'The user has specified a rule which prevents you from using this specific tool call. Here […]';

test.each<[string, object, string]>([
  [
    'a command',
    call('bash', { command: 'ls' }, { metadata: { output: 'a\n', exit: 0 } }),
    '$ ls completed a',
  ],
  [
    'one that failed',
    call('bash', { command: 'ls' }, { metadata: { output: 'a', exit: 3 } }),
    '$ ls failed a',
  ],
  [
    'one that printed nothing',
    call('bash', { command: 'ls' }, { metadata: { output: '(no output)', exit: 0 } }),
    '$ ls completed',
  ],
  [
    'one that took too long',
    call('bash', { command: 'ls' }, { output: 'a\nterminated', metadata: { output: 'a', exit: null } }),
    '$ ls failed a\nterminated',
  ],
  [
    'one that was rejected',
    call('bash', { command: 'ls' }, { status: 'error', error: REJECTED, output: undefined }),
    `$ ls declined ${REJECTED}`,
  ],
  ['one without a command', call('bash', { cmd: 5 }), 'bash {"cmd":5} completed'],
  [
    'a new file',
    call('write', { filePath: '/a', content: 'x' }, { metadata: { exists: false } }),
    'add /a completed',
  ],
  [
    'another content',
    call('write', { filePath: '/a', content: '' }, { metadata: { exists: true } }),
    'update /a completed',
  ],
  [
    'a file that may not be written',
    call('write', { filePath: '/a', content: 'x' }, { status: 'error', error: DENIED }),
    'unknown /a declined',
  ],
  [
    'an edit that failed',
    call('edit', { filePath: '/a', oldString: 'x' }, { status: 'error' }),
    'update /a failed',
  ],
  [
    'a patch that failed',
    call('apply_patch', { patchText: 'x' }, { status: 'error' }),
    'apply_patch {"patchText":"x"} failed',
  ],
  [
    'a patch of a kind that is new',
    call('apply_patch', {}, { metadata: { files: [{ filePath: 'a', type: 'constructor', patch: '' }] } }),
    'unknown a completed',
  ],
  [
    'a tool that it may not use',
    call('invalid', { tool: 'edit', error: "Model tried to call unavailable tool 'edit'." }),
    'edit declined',
  ],
  [
    'a tool that is not there',
    call('invalid', { tool: 'x', error: "Model tried to call unavailable tool 'x'." }),
    'x failed',
  ],
  ['a tool with wrong arguments', call('invalid', { tool: 'edit', error: 'Expected string' }), 'edit failed'],
  ['a call that cannot be told', call('invalid', {}), 'invalid failed'],
  ['another tool', call('acme_search', { q: 'x' }), 'acme_search {"q":"x"} completed'],
  [
    'a plan',
    call('todowrite', {
      todos: [
        { content: 'a', status: 'completed' },
        { content: 'b', status: 'cancelled' },
        { content: 'c', status: 'pending' },
      ],
    }),
    'plan: 1 of 2 done',
  ],
  [
    'a plan that failed',
    call('todowrite', { todos: [] }, { status: 'error' }),
    'todowrite {"todos":[]} failed',
  ],
])('%s', (_, one, expected) => {
  const [step] = fold(one).steps;
  if (step === undefined) throw new Error('no step');
  const more = ['status' in step ? step.status : '', 'output' in step ? (step.output ?? '') : ''];
  expect([stepLine(step), ...more].join(' ').trim()).toBe(expected);
});

test('a diff has the lines under its heads and nothing else', () => {
  const patch =
    'Index: /a\n===\n--- /a\n+++ /a\n@@ -1,2 +1,2 @@\n a\n--- b\n+++ c\n\\ No newline at end of file\n';
  const { steps } = fold(
    call('edit', { filePath: '/a', oldString: '- b' }, { metadata: { filediff: { patch } } }),
  );
  expect(steps).toMatchObject([{ changes: [{ path: '/a', diff: '@@ -1,2 +1,2 @@\n a\n--- b\n+++ c' }] }]);
});

test('calls of which a provider gives all the same id are apart', () => {
  expect(fold(call('read', { filePath: '/a' }), call('read', { filePath: '/b' })).steps).toHaveLength(2);
});
