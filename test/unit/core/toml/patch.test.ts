import { expect, test } from 'vitest';
import { TextProblem } from '../../../../src/core/errors.ts';
import { parseToml, sameToml } from '../../../../src/core/toml/parse.ts';
import { patchToml } from '../../../../src/core/toml/patch.ts';
import { fc, runs } from '../../../helpers/fuzz.ts';

// One key.

const edit = (text: string, key: string, value: unknown): string => patchToml(text, [key], value);

test.each<[string, string, unknown, string]>([
  ['', 'max_depth', 2, 'max_depth = 2\n'],
  ['', 'allowed_dirs', ['/a b', '*'], 'allowed_dirs = [ "/a b", "*" ]\n'],
  ['', 'model', null, ''],
  ['# mine\n', 'model', 'm', '# mine\nmodel = "m"\n'],
  ['agent = "demo"', 'model', 'm', 'agent = "demo"\nmodel = "m"\n'],
  ['model = "a"\nagent = "demo"\n', 'model', 'b', 'model = "b"\nagent = "demo"\n'],
  ['# why\n  model  =  "a" # because\n\n', 'model', 'b', '# why\n  model = "b" # because\n\n'],
  ['"model" = \'a\'\n', 'model', 'b', 'model = "b"\n'],
  ['model = "a" # c\nagent = "x"\n', 'model', null, 'agent = "x"\n'],
  ['model = "a#b" # c#d\n', 'model', 'b', 'model = "b" # c#d\n'],
  ['"m\\u006fdel" = "a"\n', 'model', 'b', 'model = "b"\n'],
  ['model = """a\nmodel = "x"\n""" # c\n', 'model', 'b', 'model = "b" # c\n'],
  ['x = """\nmodel = "a"\n"""\nmodel = "a"\n', 'model', 'b', 'x = """\nmodel = "a"\n"""\nmodel = "b"\n'],
  ['x = [ # these\n  "/a", # one\n  # "/c",\n  "/b]#",\n] # end\n', 'x', ['/z'], 'x = [ "/z" ] # end\n'],
  ['max_depth = 1\r\nmodel = "m"\r\n', 'max_depth', 2, 'max_depth = 2\r\nmodel = "m"\r\n'],
  ['[later]\nmodel = "x"\n', 'model', 'b', 'model = "b"\n[later]\nmodel = "x"\n'],
  ['model = "a"\n[later]\nmodel = "a"\n', 'model', 'b', 'model = "b"\n[later]\nmodel = "a"\n'],
  ['[[later]]\nmodel = "x"\n', 'model', 'b', 'model = "b"\n[[later]]\nmodel = "x"\n'],
  [
    '',
    'allowed_dirs',
    Array(4).fill(`/${'x'.repeat(30)}`),
    `allowed_dirs = [\n${`  "/${'x'.repeat(30)}", "/${'x'.repeat(30)}",\n`.repeat(2)}]\n`,
  ],
  // What is wrong can be put right.
  ['max_depth = "two"\n', 'max_depth', 2, 'max_depth = 2\n'],
])('%j: %s becomes %j', (text, key, value, expected) => {
  expect(edit(text, key, value)).toBe(expected);
});

test('what cannot be changed alone is left as it is', () => {
  for (const value of ['b', null])
    expect(() => edit('[model]\na = 1\n', 'model', value)).toThrow(/cannot edit model/);
  expect(() => edit('model.a = 1\nmodel.b = 1\n', 'model', 'b')).toThrow(/cannot edit model/);
});

const values = fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 4 }), fc.nat(9), fc.boolean());
const change = fc.tuple(fc.constantFrom('agent', 'model', 'end_others'), fc.option(values));
const START =
  '# a comment\nx = [ # list\n 1,\n]\nsandbox = "read-only" # why\n\n[table]\nmodel = "not this"\n';

test('whatever was set is what is read, and nothing else changes', () => {
  void fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
      let text = START;
      for (const [key, to] of changes) {
        const { [key]: _old, ...others } = parseToml(text);
        text = edit(text, key, to);
        expect(parseToml(text)).toEqual(to === null ? others : { ...others, [key]: to });
      }
      for (const line of START.split('\n')) expect(text.split('\n')).toContain(line);
    }),
  );
});

// A table.

const ENTRY = { command: 'zwarm', args: ['mcp'], required: true, limit: 20, env: { A: '1' } };
const LINES = `[mcp_servers.zwarm]
command = "zwarm"
args = [ "mcp" ]
required = true
limit = 20
env = { A = "1" }
`;
const TABLE = ['mcp_servers', 'zwarm'];
const put = (text: string): string => patchToml(text, TABLE, ENTRY);
const take = (text: string): string => patchToml(text, TABLE, null);

const OLD = `[mcp_servers.zwarm] # mine
command = "/old/zwarm"
args = [
  # all of them
  "mcp", "]",
]
`;

const SAME = `mcp_servers.zwarm = { command = 'zwarm', args = [ 'mcp', ], required = true, limit = 0x14, env.A = "1" }\n`;
const THEIRS = '[mcp_servers.zwarm.tools.end]\nmode = "prompt" # mine\n';

test.each([
  ['a file with keys alone', 'model = "m"\n'],
  ['a comment at the end', 'a = 1\n# [b]\n'],
  ['other servers', '[mcp_servers.b]\nc = 1\n'],
  ['other servers in line', '[mcp_servers]\nb = {c = 1}\n'],
  ['a name that only begins like ours', '[mcp_servers.zwarm2]\na = 1\n'],
  ['a comment like a header', '#[mcp_servers.zwarm]\n'],
  ['a string like a header', 'a = """\n[mcp_servers.zwarm]\n"""\n'],
  ['another string like a header', "a = '''\n[mcp_servers.zwarm]\n'''\n"],
  ['quotes at the end of a string', 'a = """b"""""\n'],
  ['an escaped quote', 'a = """\\"""\n[mcp_servers.zwarm]"""\n'],
  ['a list over lines', 'a = [\n  "[mcp_servers.zwarm]", # ]\n  [1],\n]\n'],
  ['a number beyond our own', 'a = 12345678901234567890\n'],
  ['a table below before the table', '[mcp_servers.zwarm.tools.end]\nmode = "prompt"\n'],
])('our table is added behind an empty line: %s', (_name, text) => {
  expect(put(text)).toBe(`${text}\n${LINES}`);
  expect(put(put(text))).toBe(put(text));
});

test.each<[string, string, string]>([
  ['an empty file', '', LINES],
  ['no final newline', 'model = "m"', `model = "m"\n\n${LINES}`],
  ['an empty line at the end', '[a]\nb = 1\n\n', `[a]\nb = 1\n\n${LINES}`],
  ['DOS line ends', 'a = 1\r\n[b]\r\n', `a = 1\r\n[b]\r\n\r\n${LINES.replaceAll('\n', '\r\n')}`],
  ['the table alone', OLD, LINES],
  ['the table after a quote more', `a = """b"""" # "[\n${OLD}`, `a = """b"""" # "[\n${LINES}`],
  ['the table at the beginning', `${OLD}# next\n[b]\n`, `${LINES}# next\n[b]\n`],
  ['the table in the middle', `a = 1\n${OLD}\n\n# next\n[[b]]\n`, `a = 1\n${LINES}\n\n# next\n[[b]]\n`],
  ['the table at the end', `[b]\n\n${OLD}`, `[b]\n\n${LINES}`],
  ['the table without a final newline', `[b]\n${OLD.trimEnd()}`, `[b]\n${LINES.trimEnd()}`],
  ['a header in other words', '[ "mcp_servers" . \'zwarm\' ]\na = 1\n[b]\n', `${LINES}[b]\n`],
  ['a header in escapes', '["mcp\\u005fservers".zwarm]\na = 1\n', LINES],
  ['a table below that is ours too', `${OLD}\n[mcp_servers.zwarm.env]\nA = "2"\n\n[b]\n`, `${LINES}\n[b]\n`],
  ["tables below that are the user's", `${OLD}${THEIRS}[b]\n`, `${LINES}${THEIRS}[b]\n`],
  ['the same in another form', SAME, SAME],
])('our table comes into a text: %s', (_name, text, expected) => {
  expect(put(text)).toBe(expected);
  expect(put(expected)).toBe(expected);
});

test.each<[string, string]>([
  ['a table in line', 'mcp_servers = { a = { b = 1 } }\n'],
  ['our table in line', 'mcp_servers = { zwarm = { command = "x" } }\n'],
  ['our table in line of its own', '[mcp_servers]\nzwarm = { command = "x" }\n'],
  ['dotted keys', 'mcp_servers.zwarm.command = "x"\n'],
  ['dotted keys in the table', '[mcp_servers]\nzwarm.command = "x"\n'],
  ['something else of that name', 'mcp_servers = 1\n'],
  ['our table as a value', '[mcp_servers]\nzwarm = 1\n'],
  ['the same keys twice', '[mcp_servers.zwarm]\ntools.a.b = 1\n[mcp_servers.zwarm.tools.c]\nd = 1\n'],
])('what cannot be edited without a doubt is refused: %s', (name, text) => {
  expect(() => put(text)).toThrow(TextProblem);
  if (/^our table in line$|^dotted keys$/.test(name))
    expect(() => take(text)).toThrow(/cannot edit mcp_servers.zwarm/);
});

test('what is not TOML is refused with its line', () => {
  expect(() => put('a = 1\nb = \n[c]\n')).toThrow(/^line 2, column \d is not valid TOML: /);
  expect(() => take('a = 1\na = 2\n')).toThrow(/^line 2, column 1 is not valid TOML: /);
});

test('removal takes every table of ours, and what is between them stays', () => {
  const text = `a = 1\n\n${LINES}\n[b]\n\n[mcp_servers.zwarm.tools.end]\nmode = "prompt"\n\n# last\n`;
  expect(take(text)).toBe('a = 1\n\n[b]\n\n# last\n');
  expect(take('[mcp_servers.b]\n')).toBe('[mcp_servers.b]\n');
  expect(take('')).toBe('');
});

test('a long list is written over lines, and says the same', () => {
  const args = Array.from({ length: 40 }, (_, i) => `argument "${i}" \\`);
  const text = patchToml('', TABLE, { args });
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(110);
  expect(parseToml(text)).toEqual({ mcp_servers: { zwarm: { args } } });
  expect(take(`a = 1\n\n${text}[b]\n`)).toBe('a = 1\n\n[b]\n');
});

const name = fc.constantFrom('a', 'zwarm', 'mcp_servers', '"x y"', "'[z]'", '"\\u0061b"');
const anyValue = fc.constantFrom(
  ...['1', '"[mcp_servers.zwarm]"', "'\"'", '"""\n[mcp_servers.zwarm]\n\\""" # """', "'''\n[a]\n'''''"],
  ...['[ # [\n "]", [],\n]', '{ a = "}", b.c = [1] }', '1979-05-27T07:32:00Z', 'inf', '0.1e400'],
  '12345678901234567890',
);
const blank = fc.constantFrom('', '', '# [mcp_servers.zwarm]', '#"""', '  ');
const pair = fc.tuple(name, anyValue, blank).map(([key, text, comment]) => `${key} = ${text} ${comment}`);
const header = fc
  .tuple(fc.array(name, { minLength: 1, maxLength: 4 }), fc.boolean(), blank)
  .map(([path, list, comment]) => `${list ? `[[${path.join('.')}]]` : `[${path.join(' . ')}]`}${comment}`);
const ours = fc.constantFrom(
  ...['[mcp_servers.zwarm]', '[mcp_servers.zwarm.env]', '[mcp_servers . "zwarm".tools.a]'],
);
const anyLine = fc.oneof({ arbitrary: pair, weight: 3 }, { arbitrary: header, weight: 2 }, ours, blank);
const document = fc
  .tuple(fc.array(anyLine, { maxLength: 12 }), fc.boolean(), fc.boolean())
  .map(([lines, dos, ended]) => lines.join(dos ? '\r\n' : '\n') + (ended ? (dos ? '\r\n' : '\n') : ''));

/** What something comes to, or null where the text is no TOML or cannot be edited. */
function unlessProblem<T>(act: () => T): T | null {
  try {
    return act();
  } catch (error) {
    if (error instanceof TextProblem) return null;
    throw error;
  }
}
const read = (text: string) => unlessProblem(() => parseToml(text));

const withoutEndOfLine = (text: string): string => text.replace(/[\r\n]+$/, '');

test('put and taken again, any document is what it was, but for the line ends at its end', () => {
  let edited = 0;
  void fc.assert(
    fc.property(document, (text) => {
      const old = read(text);
      const there = old?.['mcp_servers'];
      const isNew = typeof there !== 'object' || there === null || !('zwarm' in there);
      const after = unlessProblem(() => put(text));
      // Nothing is in the way where no server is spoken of.
      if (old !== null && there === undefined) expect(after).not.toBeNull();
      if (after === null || old === null) return;
      edited += 1;
      expect(read(after)).toHaveProperty('mcp_servers.zwarm.command', 'zwarm');
      expect(put(after)).toBe(after);
      const taken = take(after);
      expect(read(taken)?.['mcp_servers'] ?? {}).not.toHaveProperty('zwarm');
      if (!isNew) return;
      expect(after.startsWith(text)).toBe(true);
      expect(withoutEndOfLine(taken)).toBe(withoutEndOfLine(text));
      expect(Math.abs(taken.length - text.length)).toBeLessThanOrEqual(2);
    }),
    runs(20),
  );
  expect(edited).toBeGreaterThan(runs(20).numRuns / 16);
});

test.each<[unknown, unknown, boolean]>([
  [1, 1, true],
  [1, 2, false],
  [Number.NaN, Number.NaN, true],
  [new Date(1), new Date(1), true],
  [new Date(1), new Date(2), false],
  [new Date(1), '1970-01-01T00:00:00.001Z', false],
  ['x', new Date(1), false],
  [[1, [2]], [1, [2]], true],
  [[1], [1, 2], false],
  [[1, 2], [1], false],
  [[], {}, false],
  [{ a: 1, b: { c: 2 } }, { b: { c: 2 }, a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 1, b: 2 }, { a: 1 }, false],
  [{ toString: 1 }, { a: 1 }, false],
  [{}, null, false],
])('whether %j and %j are the same', (a, b, same) => {
  expect(sameToml(a, b)).toBe(same);
});

test('a name that every object has is no key of a table', () => {
  for (const name of ['constructor', 'toString']) {
    expect(patchToml('[a]\nx = 1\n', ['a', name], null)).toBe('[a]\nx = 1\n');
    expect(patchToml('a = 1\n', [name], null)).toBe('a = 1\n');
  }
});

test('an empty line goes with a table only where two would be left', () => {
  const [a, x, y] = ['a = 1\n', '[s.x]\nb = 1\n', '[y]\n'];
  for (const [before, after] of [
    [`${a}${x}\n${y}`, `${a}\n${y}`],
    [`${a}\n${x}\n${y}`, `${a}\n${y}`],
    [`${a}\n${x}${y}`, `${a}\n${y}`],
    [`${a}\n${x}`, a],
    [`${a}${x}`, a],
  ] as const)
    expect(patchToml(before, ['s', 'x'], null)).toBe(after);
});
