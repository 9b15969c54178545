import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { configureGlobal } from 'fast-check';
import { repositoryFile } from './project.ts';

/*
 * Generators for what an agent may print. FUZZ_SEED and FUZZ_RUNS choose another seed and more runs; without them a
 * test is the same each time.
 */

const number = (name: string, otherwise: number): number => Number(process.env[name] || otherwise);

const RUNS = number('FUZZ_RUNS', 80);
configureGlobal({ seed: number('FUZZ_SEED', 20_261_120), numRuns: RUNS });

export { fc };

/** For a property that is cheap or dear: so many times the usual number of runs. */
export function runs(times: number): { numRuns: number } {
  return { numRuns: Math.ceil(times * RUNS) };
}

/** Text of any code units: halves of surrogate pairs, controls, bidi, separators, emoji. */
export const anyText = fc.oneof(
  fc.string({ maxLength: 12 }),
  // By hand: the library's own unit for this takes a second to load.
  fc
    .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 8 })
    .map((codes) => String.fromCodePoint(...codes)),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    '',
    '__proto__',
    'constructor',
    'turn.completed',
    'a\u2028b\u2029c',
    '\ud83d',
    '\udc00\ud83d',
    '\u001b]52;c;eA==\u0007',
    '👩\u200d👩\u200d👧',
    'x'.repeat(3000),
    ' \n\t\r\n ',
    '{"type":"turn.completed"}',
    '\n{"type":"turn.completed"}\n',
  ),
);

const anyNumber = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(-1, 0.5, 2 ** 53, 1e300, Number.MAX_SAFE_INTEGER),
);

/** Any JSON value, with the keys that are traps. */
export const anyJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(fc.constantFrom(null, true, false), anyNumber, anyText),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(anyText, fc.constantFrom('type', 'msg', 'item', 'toString')), tie('value')), {
        maxLength: 4,
      })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value;

/** One of the values that belong there, or most anything else. */
function mostly<T>(...good: readonly T[]): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...good) }, { weight: 1, arbitrary: anyJson });
}

const words = fc.oneof({ weight: 4, arbitrary: anyText }, { weight: 1, arbitrary: anyJson });
const id = mostly('item_0', 'item_1', 'item_2');
const status = mostly('in_progress', 'completed', 'failed', 'declined', undefined);
const tokens = mostly(0, 1, 4711, null, undefined);

export const THREADS = [
  '01a1f880-c978-76c0-be58-213b143ff767',
  '01a1f881-ec1e-7f12-b7c6-f75110187463',
] as const;
/** What must never become an argument. */
export const FORGED_THREADS = [
  '--dangerously-bypass-approvals-and-sandbox',
  '-c',
  '../../x',
  '',
  '01A1F880-C978-76C0-BE58-213B143FF767',
  `${THREADS[1]}\n`,
  ` ${THREADS[1]}`,
  '-01a1f880-c978-76c0-be58-213b143ff76',
] as const;

const item = fc.oneof(
  fc.record({ id, type: fc.constant('agent_message'), text: words }),
  fc.record({ id, type: fc.constant('reasoning'), text: words }),
  fc.record({
    id,
    type: fc.constant('command_execution'),
    command: words,
    aggregated_output: words,
    exit_code: mostly(0, 1, null),
    status,
  }),
  fc.record({
    id,
    type: fc.constant('file_change'),
    changes: fc.oneof(fc.array(fc.record({ path: words, kind: mostly('add', 'update', 'delete') })), anyJson),
    status,
  }),
  fc.record({
    id,
    type: fc.constant('mcp_tool_call'),
    server: words,
    tool: words,
    arguments: anyJson,
    result: anyJson,
    error: mostly(null, { message: 'no' }),
    status,
  }),
  fc.record({
    id,
    type: fc.constant('collab_tool_call'),
    tool: words,
    prompt: words,
    agents_states: anyJson,
    status,
  }),
  fc.record({ id, type: fc.constant('web_search'), query: words, action: anyJson }),
  fc.record({
    id,
    type: fc.constant('todo_list'),
    items: fc.oneof(fc.array(fc.record({ text: words, completed: mostly(true, false) })), anyJson),
  }),
  fc.record({ id, type: fc.constant('error'), message: words }),
  fc.record({ id, type: words }),
);

const codexEvent = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('thread.started'),
      thread_id: fc.oneof(
        { weight: 2, arbitrary: fc.constantFrom(...THREADS) },
        fc.constantFrom(...FORGED_THREADS),
        words,
      ),
    }),
  },
  fc.constant({ type: 'turn.started' }),
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constantFrom('item.started', 'item.updated', 'item.completed'), item }),
  },
  fc.record({
    type: fc.constant('turn.completed'),
    usage: fc.oneof(
      fc.record({
        input_tokens: tokens,
        cached_input_tokens: tokens,
        output_tokens: tokens,
        reasoning_output_tokens: tokens,
      }),
      mostly(null, undefined),
    ),
  }),
  fc.record({ type: fc.constant('turn.failed'), error: fc.oneof(fc.record({ message: words }), anyJson) }),
  fc.record({ type: fc.constant('error'), message: mostly('Reconnecting... 1/5', 'boom') }),
);

const legacyEvent = fc.record({
  id: mostly('0'),
  msg: fc.record(
    {
      type: fc.constantFrom(
        'task_started',
        'agent_message',
        'agent_reasoning',
        'exec_command_begin',
        'exec_command_end',
        'patch_apply_begin',
        'patch_apply_end',
        'plan_update',
        'web_search_end',
        'stream_error',
        'error',
        'token_count',
        'turn_diff',
      ),
      call_id: mostly('call_0', 'call_1'),
      message: words,
      text: words,
      command: fc.oneof(fc.array(words, { maxLength: 3 }), anyJson),
      exit_code: mostly(0, 1),
      aggregated_output: words,
      changes: anyJson,
      plan: fc.oneof(fc.array(fc.record({ step: words, status: words }), { maxLength: 3 }), anyJson),
      success: mostly(true, false),
    },
    { requiredKeys: ['type'] },
  ),
});

const demoEvent = fc.oneof(
  fc.record({
    demo: fc.constant('thread'),
    id: fc.constantFrom(...THREADS, ...FORGED_THREADS),
    model: mostly('m', null),
  }),
  fc.record({ demo: fc.constantFrom('think', 'say'), text: words }),
  fc.record({
    demo: fc.constant('command'),
    id,
    command: words,
    output: words,
    exit_code: mostly(0, 1, null),
  }),
  fc.record({ demo: fc.constant('wrote'), id, path: words }),
  fc.record({ demo: fc.constant('done'), input_tokens: tokens, output_tokens: tokens }),
  fc.record({ demo: fc.constant('failed'), message: words }),
);

/** The recorded streams of real agents, each with its name. */
export function recordedStreams(): readonly { readonly name: string; readonly bytes: Buffer }[] {
  return ['codex-0.169', 'codex-older'].flatMap((directory) =>
    readdirSync(repositoryFile(`fixtures/streams/${directory}`))
      .filter((file) => file.endsWith('.jsonl') && !file.endsWith('.rollout.jsonl'))
      .sort()
      .map((file) => ({
        name: `${directory}/${file}`,
        bytes: readFileSync(repositoryFile(`fixtures/streams/${directory}/${file}`)),
      })),
  );
}

const recordedLines = recordedStreams()
  .flatMap(({ bytes }) => bytes.toString().split('\n'))
  .filter((line) => line !== '' && line.length < 4000);

const nested = fc
  .tuple(fc.constantFrom(10, 400, 600, 20_000), fc.constantFrom('[', '{"a":'))
  .map(
    ([depth, open]) =>
      `{"type":"item.completed","item":{"id":"i","type":"web_search","action":${open.repeat(
        depth,
      )}1${(open === '[' ? ']' : '}').repeat(depth)}}}`,
  );

/** One line of a stream, without its newline: events good and bad of all agents, other JSON, and no JSON at all. */
export const anyLine: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 8, arbitrary: codexEvent.map((event) => JSON.stringify(event)) },
    { weight: 3, arbitrary: legacyEvent.map((event) => JSON.stringify(event)) },
    { weight: 3, arbitrary: demoEvent.map((event) => JSON.stringify(event)) },
    { weight: 3, arbitrary: fc.constantFrom(...recordedLines) },
    { weight: 2, arbitrary: anyJson.map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: anyText },
    { weight: 1, arbitrary: nested },
  )
  .map((line) => line.replaceAll('\n', ''));

/** Lines of one stream, empty ones among them. */
export const anyLines = fc.array(fc.oneof({ weight: 12, arbitrary: anyLine }, fc.constantFrom('', '\r')), {
  maxLength: 30,
  size: 'max',
});
