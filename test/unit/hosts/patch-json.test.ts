import { expect, test } from 'vitest';
import { TextProblem } from '../../../src/core/errors.ts';
import { patchJson } from '../../../src/hosts/patch-json.ts';
import { anyJson, anyText, fc, runs } from '../../helpers/fuzz.ts';

const ENTRY = { command: 'zwarm', args: ['mcp'] };
const put = (text: string): string => patchJson(text, ['mcpServers', 'zwarm'], ENTRY);
const take = (text: string): string => patchJson(text, ['mcpServers', 'zwarm'], null);

const FRESH = `${JSON.stringify({ mcpServers: { zwarm: ENTRY } }, null, 2)}\n`;

const FOUR = `{
    "big": 12345678901234567890, "list": [1,2],
    "mcpServers": {
        "other": {"command": "}", "args": ["\\"", "\\\\"]}
    },
    "last": null
}`;
const OURS = JSON.stringify({ zwarm: ENTRY }, null, 4).slice(2, -2).replaceAll('\n', '\n    ');
const FOUR_WITH = FOUR.replace('"]}\n', `"]},\n    ${OURS}\n`);

/** Our server as it is written beside others, indented by two. */
const IN_LINE = JSON.stringify({ a: { zwarm: ENTRY } }, null, 2)
  .slice('{\n  "a": {'.length, -'}\n}'.length)
  .trim();

const ELSEWHERE = '  "a": {"mcpServers": {"zwarm": 1}},\n';
const ESCAPED = FRESH.replace('mcpServers', 'mcp\\u0053ervers');

test.each<[string, string, string]>([
  ['an empty file', '', FRESH],
  ['nothing but space', ' \n', FRESH],
  ['an empty object', '{}\n', FRESH],
  ['no servers yet', '{ }', FRESH.trimEnd()],
  ['no server yet', '{\n  "mcpServers": {}\n}\n', FRESH],
  ['another server, indented by four', FOUR, FOUR_WITH],
  ['DOS line ends', FOUR.replaceAll('\n', '\r\n'), FOUR_WITH.replaceAll('\n', '\r\n')],
  ['tabs', '{\n\t"mcpServers": {}\n}\n', FRESH.replaceAll('  ', '\t')],
  ['in one line', '{"mcpServers": { "a": {} }}', `{"mcpServers": { "a": {}, ${IN_LINE} }}`],
  ['in one line, a comma last', '{"mcpServers": {"a": {},}}', `{"mcpServers": {"a": {},${IN_LINE}}}`],
  [
    'a comment before the comma',
    '{"mcpServers": { "a": {} /* , */ , }}',
    `{"mcpServers": { "a": {} /* , */ , ${IN_LINE} }}`,
  ],
  [
    'a comment behind the last',
    '{"mcpServers": { "a": {} // ,\n }}',
    `{"mcpServers": { "a": {}, // ,\n    ${IN_LINE}\n }}`,
  ],
  [
    'a comment in line',
    '{"mcpServers": {"a": {} /* c */}}',
    `{"mcpServers": {"a": {}, /* c */\n    ${IN_LINE}}}`,
  ],
  ['our own of before', FRESH.replace('"zwarm",', '"/old/zwarm", "x": {"y": []},'), FRESH],
  ['the key elsewhere', `{\n${ELSEWHERE}  "mcpServers": {}\n}\n`, FRESH.replace('{\n', `{\n${ELSEWHERE}`)],
  ['the same key in escapes', ESCAPED.replace('"zwarm",', '"old",'), ESCAPED],
])('our server comes into a text: %s', (_name, text, expected) => {
  expect(put(text)).toBe(expected);
  expect(put(expected)).toBe(expected);
});

test.each<[string, string, string]>([
  ['the only one', FRESH, '{\n  "mcpServers": {}\n}\n'],
  ['the last one', FOUR_WITH, FOUR],
  ['the first one', '{"mcpServers": {"zwarm": {}, "b": [1, {}]}}', '{"mcpServers": {"b": [1, {}]}}'],
  ['one in the middle', '{"mcpServers":{"a":1,"zwarm":{},"b":2}}', '{"mcpServers":{"a":1,"b":2}}'],
  ['none', FOUR, FOUR],
  ['no servers', '{"zwarm": 1}', '{"zwarm": 1}'],
  ['no text', '', ''],
])('our server is taken out of a text: %s', (_name, text, expected) => {
  expect(take(text)).toBe(expected);
});

test.each<[string, string, RegExp]>([
  ['a comma too few', '{\n  "a": 1\n  "b": 2\n}\n', /^line 3 is not valid JSON/],
  ['a comma too many', '{\n  "a": [\n    1,,\n  ]\n}\n', /^line 3 /],
  ['a string over lines', '{\n  "a": "x\n"}', /^line 2 /],
  ['an end too early', '{\n  "a": {\n    "b": 1\n  }\n\n', /^line 4 /],
  ['a byte order mark', '\ufeff{}', /^it begins with a byte order mark/],
  ['two documents', '{\n}\n{}\n', /^line 3 /],
  ['a list', '[]\n', /does not hold a JSON object/],
  ['servers in a list', '{"mcpServers": []}', /mcpServers is not an object/],
  ['no servers at all', '{"mcpServers": null}', /mcpServers is not an object/],
  // Hosts read one or the other.
  ['a member twice', '{"mcpServers": {"zwarm": 1, "zwarm": 2}}', /./],
])('a text that cannot be edited is refused: %s', (_name, text, why) => {
  for (const edit of [put, take]) {
    expect(() => edit(text)).toThrow(TextProblem);
    expect(() => edit(text)).toThrow(why);
  }
  expect(() => put('{"mcpServers": {"zwarm": 1}, "mcpServers": {"a": 1}}')).toThrow(TextProblem);
});

const COMMENTED = `{
  // All of it is mine.
  "mcpServers": {
    // the first
    "mine": {"command": "mine"}, // good
    /* not "zwarm": {} */
  },
}
`;

test('comments and trailing commas stay where they are', () => {
  const after = put(COMMENTED);
  for (const line of COMMENTED.split('\n')) expect(after.split('\n')).toContain(line);
  expect(after).toContain('not "zwarm": {} */\n    "zwarm": {\n');
  expect(take(after)).toBe(COMMENTED.replace('"mine"}, // good', '"mine"} // good'));
  const unended = '{"mcpServers": {"mine": {} // good\n}}';
  expect(take(put(unended))).toBe(unended);
  const around = '{"mcpServers": { // all\n  "zwarm": {}, // ours\n  // next\n  "b": {}}}';
  expect(take(around)).toBe('{"mcpServers": { // all\n  // ours\n  // next\n  "b": {}}}');
});

const servers = fc.dictionary(fc.oneof(anyText, fc.constantFrom('zwarm', 'b')), anyJson, { maxKeys: 3 });
const layout = fc.constantFrom(0, 1, 2, '\t');

test('put and taken again, any document is what it was', () => {
  const document = fc.tuple(fc.dictionary(anyText, anyJson, { maxKeys: 3 }), servers, layout, fc.boolean());
  void fc.assert(
    fc.property(document, ([rest, held, space, last]) => {
      const object = last ? { ...rest, mcpServers: held } : { mcpServers: held, ...rest };
      const text = JSON.stringify(object, null, space);
      const after = put(text);
      const before = JSON.parse(text);
      const mcpServers = { ...before.mcpServers, zwarm: ENTRY };
      expect(JSON.parse(after)).toEqual({ ...before, mcpServers });
      const taken = take(after);
      expect(JSON.parse(taken).mcpServers).not.toHaveProperty('zwarm');
      if (!Object.hasOwn(held, 'zwarm')) expect(taken).toBe(text);
    }),
    runs(10),
  );
});
