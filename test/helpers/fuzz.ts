import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { repositoryFile } from './project.ts';

// Generators for what an agent may print. FUZZ_SEED and FUZZ_RUNS choose another seed and more runs; without them a
// test is the same each time. With CI set, as in `.ci/run`, the largest ones have a tenth of their runs.

const number = (name: string, otherwise: number): number => Number(process.env[name] || otherwise);

const RUNS = number('FUZZ_RUNS', 80);
fc.configureGlobal({ seed: number('FUZZ_SEED', 20_261_120), numRuns: RUNS });

export { fc };

/** Of a smaller one each run is needed: what the last of them notice, no other test does. */
const LARGE = 5;
const PART_OF_LARGE = process.env['CI'] && !process.env['FUZZ_RUNS'] ? 10 : 1;

/** For a property that is cheap or dear: so many times the usual number of runs. */
export function runs(times: number): { numRuns: number } {
  return { numRuns: Math.ceil((times * RUNS) / (times < LARGE ? 1 : PART_OF_LARGE)) };
}

const upTo = (max: number) => fc.array(fc.integer({ min: 0, max }), { maxLength: 8 });

/** Text of any code units: halves of surrogate pairs, controls, bidi, separators, emoji. */
export const anyText = fc.oneof(
  fc.string({ maxLength: 12 }),
  // By hand: the library's own unit for this takes a second to load.
  upTo(0x10ffff).map((codes) => String.fromCodePoint(...codes)),
  upTo(0xffff).map((units) => String.fromCharCode(...units)),
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
const FORGED_THREADS = [
  '--dangerously-bypass-approvals-and-sandbox',
  '-c',
  '../../x',
  '',
  '01A1F880-C978-76C0-BE58-213B143FF767',
  `${THREADS[1]}\n`,
  ` ${THREADS[1]}`,
  '-01a1f880-c978-76c0-be58-213b143ff76',
] as const;

/** A record of a type, with these fields. */
const typed = (type: string, fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record({ type: fc.constant(type), ...fields });
/** A list of such things, or anything else. */
const listOf = (thing: fc.Arbitrary<unknown>) => fc.oneof(fc.array(thing, { maxLength: 3 }), anyJson);

const item = fc.oneof(
  typed('agent_message', { id, text: words }),
  typed('reasoning', { id, text: words }),
  typed('command_execution', {
    id,
    command: words,
    aggregated_output: words,
    exit_code: mostly(0, 1, null),
    status,
  }),
  typed('file_change', {
    id,
    changes: listOf(fc.record({ path: words, kind: mostly('add', 'update', 'delete') })),
    status,
  }),
  typed('mcp_tool_call', {
    ...{ id, server: words, tool: words, arguments: anyJson, result: anyJson, status },
    error: mostly(null, { message: 'no' }),
  }),
  typed('collab_tool_call', { id, tool: words, prompt: words, agents_states: anyJson, status }),
  typed('web_search', { id, query: words, action: anyJson }),
  typed('todo_list', { id, items: listOf(fc.record({ text: words, completed: mostly(true, false) })) }),
  typed('error', { id, message: words }),
  fc.record({ id, type: words }),
);

const threadId = fc.constantFrom(...THREADS);
const counts = { input_tokens: tokens, cached_input_tokens: tokens, output_tokens: tokens };
const codexEvent = fc.oneof(
  {
    weight: 2,
    arbitrary: typed('thread.started', {
      thread_id: fc.oneof({ weight: 2, arbitrary: threadId }, fc.constantFrom(...FORGED_THREADS), words),
    }),
  },
  fc.constant({ type: 'turn.started' }),
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constantFrom('item.started', 'item.updated', 'item.completed'), item }),
  },
  typed('turn.completed', {
    usage: fc.oneof(fc.record({ ...counts, reasoning_output_tokens: tokens }), mostly(null, undefined)),
  }),
  typed('turn.failed', { error: fc.oneof(fc.record({ message: words }), anyJson) }),
  typed('error', { message: mostly('Reconnecting... 1/5', 'boom') }),
);

const LEGACY = `task_started agent_message agent_reasoning exec_command_begin exec_command_end patch_apply_begin
  patch_apply_end plan_update web_search_end stream_error error token_count turn_diff`;
const legacyEvent = fc.record({
  id: mostly('0'),
  msg: fc.record(
    {
      type: fc.constantFrom(...LEGACY.split(/\s+/)),
      call_id: mostly('call_0', 'call_1'),
      message: words,
      text: words,
      command: listOf(words),
      exit_code: mostly(0, 1),
      aggregated_output: words,
      changes: anyJson,
      plan: listOf(fc.record({ step: words, status: words })),
      success: mostly(true, false),
    },
    { requiredKeys: ['type'] },
  ),
});

/** An event of the demo agent. */
const ofDemo = (demo: string, fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record({ demo: fc.constant(demo), ...fields });
const demoEvent = fc.oneof(
  ofDemo('thread', { id: fc.constantFrom(...THREADS, ...FORGED_THREADS), model: mostly('m', null) }),
  fc.record({ demo: fc.constantFrom('think', 'say'), text: words }),
  ofDemo('command', { id, command: words, output: words, exit_code: mostly(0, 1, null) }),
  ofDemo('wrote', { id, path: words }),
  ofDemo('done', { input_tokens: tokens, output_tokens: tokens }),
  ofDemo('failed', { message: words }),
);

/** The recorded streams of real agents, each with its name: those of Codex, or of another one. */
export function recordedStreams(
  agent = 'codex-',
): readonly { readonly name: string; readonly bytes: Buffer }[] {
  const versions = readdirSync(repositoryFile('fixtures/streams')).filter((name) => name.startsWith(agent));
  return versions.sort().flatMap((version) => {
    const directory = repositoryFile(`fixtures/streams/${version}`);
    const files = readdirSync(directory).filter((file) => /(?<!\.rollout)\.jsonl$/.test(file));
    return files.sort().map((file) => ({
      name: `${version}/${file}`,
      bytes: readFileSync(`${directory}/${file}`),
    }));
  });
}

const recordedLines = recordedStreams('')
  .flatMap(({ bytes }) => bytes.toString().split('\n'))
  .filter((line) => line !== '' && line.length < 4000);

const nested = fc
  .tuple(fc.constantFrom(10, 400, 600, 20_000), fc.constantFrom(['[', ']'], ['{"a":', '}']))
  .map(([depth, [open = '', close = '']]) => {
    const action = `${open.repeat(depth)}1${close.repeat(depth)}`;
    return `{"type":"item.completed","item":{"id":"i","type":"web_search","action":${action}}}`;
  });

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
