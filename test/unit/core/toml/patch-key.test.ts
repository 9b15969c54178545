import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseToml } from '../../../../src/core/toml/parse.ts';
import { patchToml } from '../../../../src/core/toml/patch.ts';

const edit = (text: string, key: string, value: unknown): string => patchToml(text, [key], value);

test.each<[string, string, unknown, string]>([
  ['', 'max_depth', 2, 'max_depth = 2\n'],
  ['', 'allowed_dirs', ['/a b', '*'], 'allowed_dirs = [ "/a b", "*" ]\n'],
  ['', 'end_others', true, 'end_others = true\n'],
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
  [
    '# dirs\nallowed_dirs = [ # these\n  "/a", # one\n  # "/c",\n  "/b]#",\n] # end\nmodel = "m"\n',
    'allowed_dirs',
    ['/z'],
    '# dirs\nallowed_dirs = [ "/z" ] # end\nmodel = "m"\n',
  ],
  ['max_depth = 1\r\nmodel = "m"\r\n', 'max_depth', 2, 'max_depth = 2\r\nmodel = "m"\r\n'],
  ['[later]\nmodel = "x"\n', 'model', 'b', 'model = "b"\n[later]\nmodel = "x"\n'],
  ['model = "a"\n[later]\nmodel = "a"\n', 'model', 'b', 'model = "b"\n[later]\nmodel = "a"\n'],
  // What is wrong can be put right.
  ['max_depth = "two"\n', 'max_depth', 2, 'max_depth = 2\n'],
])('%j: %s becomes %j', (text, key, value, expected) => {
  expect(edit(text, key, value)).toBe(expected);
});

test('what cannot be changed alone is left as it is', () => {
  for (const value of ['b', null])
    expect(() => edit('[model]\na = 1\n', 'model', value)).toThrow(/cannot edit model/);
  expect(() => edit('model.a = 1\nmodel.b = 1\n', 'model', 'b')).toThrow(/cannot edit model/);
  expect(() => edit('model = \n', 'model', 'b')).toThrow(/is not valid TOML/);
});

const values = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.string(), { maxLength: 4 }),
  fc.nat(9),
  fc.boolean(),
);
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
