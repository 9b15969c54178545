import { expect, test } from 'vitest';
import { codexConfinement } from '../../../../src/agents/codex/confinement.ts';

const { configurationFiles, writable } = codexConfinement;
const words = (text: string): string[] => (text === '' ? [] : text.split(' '));

test.each([
  ['', '', '/h/.codex/config.toml /p/.codex/config.toml'],
  ['/c', '', '/c/config.toml /p/.codex/config.toml'],
  // Every way to type a profile, and each of several.
  ...['-p wide', '-pwide', '-p=wide', '--profile wide', '--profile=wide', '-c x=1 -p wide'].map((typed) => [
    '',
    typed,
    '/h/.codex/config.toml /h/.codex/wide.config.toml /p/.codex/config.toml',
  ]),
  ['/c', '-p a -p b', '/c/config.toml /c/a.config.toml /c/b.config.toml /p/.codex/config.toml'],
])('with CODEX_HOME %j and %j, Codex is configured by %s', (named, typed, files = '') => {
  const env = { HOME: '/h', CODEX_HOME: named };
  expect(configurationFiles(env, '/p', words(typed ?? ''))).toEqual(words(files));
});

test('without any home, Codex is configured by the file of the project alone', () => {
  expect(configurationFiles({}, '/p', ['-p', 'wide'])).toEqual(['/p/.codex/config.toml']);
});

const inline = (roots: string): string => `sandbox_workspace_write.writable_roots=${roots}`;

test.each<[string, string[], string[], string[]]>([
  ['nothing', [], ['model = "x"', ''], []],
  ['each --add-dir', ['--add-dir', '/a', '--oss', '--add-dir=b'], [], ['/a', 'b']],
  ['each root of a -c', ['-c', inline('["/a", "~/b"]')], [], ['/a', '~/b']],
  ['each -c', [`--config=${inline('["/a"]')}`, `-c${inline("['b']")}`, '-c', 'x=1'], [], ['/a', 'b']],
  ['a root of a table in a -c', ['-c', 'sandbox_workspace_write={writable_roots=["/a"]}'], [], ['/a']],
  ['each file', [], [inline('["/a"]'), 'model = "x"', inline('["/b"]')], ['/a', '/b']],
  [
    'a table of a file',
    [],
    ['[sandbox_workspace_write]\nwritable_roots = [\n"/a", # one\n"/b"]'],
    ['/a', '/b'],
  ],
  [
    'each profile of a file',
    [],
    [`[profiles.a]\n${inline('["/a"]')}\n[profiles.b]\n${inline('["/b"]')}`],
    ['/a', '/b'],
  ],
  [
    'what stands beside others in a file',
    [],
    ['writable_roots = ["/a"]\n[x]\nwritable_roots = ["/b"]'],
    ['/a', '/b'],
  ],
  [
    'arguments and files',
    ['--add-dir', '/a', '-c', inline('["/b"]')],
    [inline('["/c"]')],
    ['/a', '/b', '/c'],
  ],
  [
    '--add-dir beside what cannot be read',
    ['--add-dir', '/a', '-c', inline('[')],
    [inline('["/b"]')],
    ['/a', '/b'],
  ],
  ['no root that is no text', [], [inline('["/a", 1, ["/b"]]')], ['/a']],
  ['no root of what is no list', [], ['writable_roots = "/a"'], []],
])('Codex may write %s', async (_, args, texts, paths) => {
  expect(await writable(args, texts)).toEqual(paths);
});
