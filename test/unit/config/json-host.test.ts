import { expect, test } from 'vitest';
import { Uneditable } from '../../../src/config/host-format.ts';
import { jsonFormat } from '../../../src/config/json-host.ts';
import { anyJson, anyText, fc, runs } from '../../helpers/fuzz.ts';

const ENTRY = { command: 'zwarm', args: ['mcp'] };
const put = (text: string): Promise<string> => jsonFormat.put(text, ENTRY);
const { take } = jsonFormat;

const FRESH = `{
  "mcpServers": {
    "zwarm": {
      "command": "zwarm",
      "args": [
        "mcp"
      ]
    }
  }
}
`;

const FOUR = `{
    "big": 12345678901234567890, "list": [1,2],
    "mcpServers": {
        "other": {"command": "}", "args": ["\\"", "\\\\"]}
    },
    "last": null
}`;
const FOUR_WITH = `{
    "big": 12345678901234567890, "list": [1,2],
    "mcpServers": {
        "other": {"command": "}", "args": ["\\"", "\\\\"]},
        "zwarm": {
            "command": "zwarm",
            "args": [
                "mcp"
            ]
        }
    },
    "last": null
}`;

test.each<[string, string, string]>([
  ['an empty file', '', FRESH],
  ['nothing but space', ' \n', FRESH],
  ['an empty object', '{}\n', FRESH],
  ['no servers yet', '{ }', FRESH.trimEnd()],
  ['no server yet', '{\n  "mcpServers": {}\n}\n', FRESH],
  ['another server, indented by four', FOUR, FOUR_WITH],
  ['DOS line ends', FOUR.replaceAll('\n', '\r\n'), FOUR_WITH.replaceAll('\n', '\r\n')],
  ['tabs', '{\n\t"mcpServers": {}\n}\n', FRESH.replaceAll('  ', '\t')],
  ['our own of before', FRESH.replace('"zwarm",', '"/old/zwarm", "x": {"y": []},'), FRESH],
  [
    'the same key elsewhere',
    '{\n  "a": {"mcpServers": {"zwarm": 1}},\n  "mcpServers": {}\n}\n',
    FRESH.replace('{\n', '{\n  "a": {"mcpServers": {"zwarm": 1}},\n'),
  ],
  [
    'the same key in escapes',
    FRESH.replace('mcpServers', 'mcp\\u0053ervers').replace('["mcp"]', '[]'),
    FRESH.replace('mcpServers', 'mcp\\u0053ervers'),
  ],
])('our server comes into a text: %s', async (_name, text, expected) => {
  expect(await put(text)).toBe(expected);
  expect(await put(expected)).toBe(expected);
});

test.each<[string, string, string]>([
  ['the only one', FRESH, '{\n  "mcpServers": {}\n}\n'],
  ['the last one', FOUR_WITH, FOUR],
  ['the first one', '{"mcpServers": {"zwarm": {}, "b": [1, {}]}}', '{"mcpServers": {"b": [1, {}]}}'],
  ['one in the middle', '{"mcpServers":{"a":1,"zwarm":{},"b":2}}', '{"mcpServers":{"a":1,"b":2}}'],
  ['none', FOUR, FOUR],
  ['no servers', '{"zwarm": 1}', '{"zwarm": 1}'],
  ['no text', '', ''],
])('our server is taken out of a text: %s', async (_name, text, expected) => {
  expect(await take(text)).toBe(expected);
});

test.each<[string, string, RegExp]>([
  ['a comment', '{\n  "a": 1,\n  // more\n  "b": 2\n}\n', /^line 3 is no valid JSON/],
  ['a comment at the beginning', '// settings\n{}\n', /^line 1 /],
  ['a comma too many', '{\n  "a": [\n    1,\n  ],\n}\n', /^line 4 /],
  ['a string over lines', '{\n  "a": "x\n"}', /^line 2 /],
  ['an end too early', '{\n  "a": {\n    "b": 1\n  }\n\n', /^line 4 /],
  ['two documents', '{\n}\n{}\n', /^line 3 /],
  ['a list', '[]\n', /holds no JSON object/],
  ['servers in a list', '{"mcpServers": []}', /mcpServers is no object/],
  ['no servers at all', '{"mcpServers": null}', /mcpServers is no object/],
  ['servers in a text', '{"mcpServers": "zwarm"}', /mcpServers is no object/],
])('a text that cannot be edited is refused: %s', async (_name, text, why) => {
  for (const edit of [put, take]) {
    const edited = edit(text);
    await expect(edited).rejects.toThrow(Uneditable);
    await expect(edited).rejects.toThrow(why);
  }
});

test('of two members of one name the last counts, and what would then count is no surprise', async () => {
  const text = '{"mcpServers": {"zwarm": 1}, "mcpServers": {"a": 1}}';
  expect(JSON.parse(await put(text)).mcpServers).toEqual({ a: 1, zwarm: ENTRY });
  const twice = '{"mcpServers": {"zwarm": 1, "zwarm": 2}}';
  expect(JSON.parse(await put(twice))).toEqual({ mcpServers: { zwarm: ENTRY } });
  await expect(take(twice)).rejects.toThrow(Uneditable);
});

const servers = fc.dictionary(fc.oneof(anyText, fc.constantFrom('zwarm', 'b')), anyJson, { maxKeys: 3 });
const layout = fc.constantFrom(0, 1, 2, '\t');

test('put and taken again, any document is what it was', async () => {
  const document = fc.tuple(fc.dictionary(anyText, anyJson, { maxKeys: 3 }), servers, layout, fc.boolean());
  await fc.assert(
    fc.asyncProperty(document, async ([rest, held, space, last]) => {
      const object = last ? { ...rest, mcpServers: held } : { mcpServers: held, ...rest };
      const text = JSON.stringify(object, null, space);
      const after = await put(text);
      expect(JSON.parse(after)).toEqual({
        ...JSON.parse(text),
        mcpServers: { ...JSON.parse(text).mcpServers, zwarm: ENTRY },
      });
      const taken = await take(after);
      expect(JSON.parse(taken).mcpServers).not.toHaveProperty('zwarm');
      if (!Object.hasOwn(held, 'zwarm')) expect(taken).toBe(text);
    }),
    runs(10),
  );
});
