import { expect, test } from 'vitest';
import { codexConfinement } from '../../../../src/agents/codex/confinement.ts';

const { configurationFiles } = codexConfinement;
const words = (text: string): string[] => (text === '' ? [] : text.split(' '));
const SYSTEM = '/etc/codex/config.toml /etc/codex/managed_config.toml ';
const OF = (directory: string): string =>
  ['.git', '.codex/config.toml', '.codex/rules'].map((name) => ` ${directory}/${name}`).join('');
const REQUIREMENTS = ' /etc/codex/requirements.toml ';

test.each([
  ['', '', '/h/.codex/config.toml', '/h/.codex/.env'],
  ['/c', '', '/c/config.toml', '/c/.env'],
  // Every way to type a profile, and each of several.
  ...['-p wide', '-pwide', '-p=wide', '--profile wide', '--profile=wide', '-c x=1 -p wide'].map((typed) => [
    '',
    typed,
    '/h/.codex/config.toml /h/.codex/wide.config.toml',
    '/h/.codex/.env',
  ]),
  ['/c', '-p a -p b', '/c/config.toml /c/a.config.toml /c/b.config.toml', '/c/.env'],
])('with CODEX_HOME %j and %j, Codex is configured by %s', (named, typed, files = '', variables = '') => {
  const env = { HOME: '/h', CODEX_HOME: named };
  const all = words(SYSTEM + files + REQUIREMENTS + variables + OF('/p') + OF(''));
  expect(configurationFiles(env, '/p', words(typed ?? ''))).toEqual(all);
});

const USER = '/h/.codex/config.toml';
const inline = (roots: string): string => `sandbox_workspace_write.writable_roots=${roots}`;

/** What a turn in `/p` reaches: each path with where a relative one begins, then what is unclear. */
async function reachOf(args: readonly string[], texts: Readonly<Record<string, string | null>>, env = {}) {
  const turn = { env: { HOME: '/h', ...env }, directory: '/p', args };
  const { directories, unclear } = await codexConfinement.writable(turn, new Map(Object.entries(texts)));
  return [
    ...directories.map(({ path, base }) => `${path} in ${base}`),
    ...unclear.map((what) => `? ${what}`),
  ];
}

const ALWAYS = ['/tmp in /p', '/tmp in /p'];
const MEMORIES = '/h/.codex/memories in /p';

test.each<[string, string[], Record<string, string | null>, string[]]>([
  ['nothing', [], { [USER]: 'model = "x"', '/p/.codex/config.toml': '' }, []],
  ['each --add-dir', ['--add-dir', '/a', '--oss', '--add-dir=b'], {}, ['/a in /p', 'b in /p']],
  ['each root of a -c', ['-c', inline('["/a", "~/b"]')], {}, ['/a in /p', '~/b in /p']],
  [
    'each -c',
    [`--config=${inline('["/a"]')}`, `-c${inline("['b']")}`, '-c', 'x=1', '-c', 'model=o3'],
    {},
    ['/a in /p', 'b in /p'],
  ],
  ['a root of a table in a -c', ['-c', 'sandbox_workspace_write={writable_roots=["/a"]}'], {}, ['/a in /p']],
  [
    'a root of a -c whose name is not one of TOML',
    ['-c', `projects./x y.${inline('["/a"]')}`, '-c', 'a b.writable_roots=["/b"]'],
    {},
    ['/a in /p', '/b in /p'],
  ],
  [
    'each file, from where it lies',
    [],
    { [USER]: inline('["a"]'), '/p/.codex/config.toml': inline('["../b"]') },
    ['a in /h/.codex', '../b in /p/.codex'],
  ],
  [
    'a table of a file',
    [],
    { [USER]: '[sandbox_workspace_write]\nwritable_roots = [\n"/a", # one\n"/b"]' },
    ['/a in /h/.codex', '/b in /h/.codex'],
  ],
  [
    'each profile of a file',
    [],
    { [USER]: `[profiles.a]\n${inline('["/a"]')}\n[profiles.b]\n${inline('["/b"]')}` },
    ['/a in /h/.codex', '/b in /h/.codex'],
  ],
  [
    'what stands beside others in a file',
    [],
    { [USER]: 'writable_roots = ["/a"]\n[x]\nwritable_roots = ["/b"]' },
    ['/a in /h/.codex', '/b in /h/.codex'],
  ],
  [
    'a root whose name is spelled by escapes',
    [],
    { [USER]: '[sandbox_workspace_write]\n"writable\\u005froots" = ["/a"]' },
    ['/a in /h/.codex'],
  ],
  [
    'anywhere by what nobody can read',
    ['--add-dir', '/a', '-c', inline('[')],
    { [USER]: `${inline('["/b"]')}\nx = [`, '/p/.codex/config.toml': null },
    ['/a in /p', `? -c ${inline('[')}`, `? ${USER}`, '? /p/.codex/config.toml'],
  ],
  ['nothing by what names no root and cannot be read', ['-c', 'model=['], { [USER]: 'x = [' }, []],
  ['no root that is no text', [], { [USER]: inline('["/a", 1, ["/b"]]') }, ['/a in /h/.codex']],
  ['no root of what is no list', [], { [USER]: 'writable_roots = "/a"' }, []],
  [
    'temporary files where its own variables say',
    [],
    { '/h/.codex/.env': 'OPENAI_API_KEY=x\n export TMPDIR = "/a b"\nTMPDIR=/c\n#TMPDIR=/d\nXTMPDIR=/e' },
    ['/a b in /', '/c in /'],
  ],
  ...['TMPDIR=$HOME/x', 'TMPDIR="/a\\"b"', 'TMPDIR="/a" # b', 'HOME=/x'].map(
    (line) =>
      [`anywhere by ${line}`, [] as string[], { '/h/.codex/.env': line }, ['? /h/.codex/.env']] satisfies [
        string,
        string[],
        Record<string, string>,
        string[],
      ],
  ),
  [
    'anywhere where the system has it go by permission profiles',
    [],
    { '/etc/codex/requirements.toml': 'allowed_permission_profiles = ["x"]' },
    ['? allowed_permission_profiles in /etc/codex/requirements.toml'],
  ],
  ['nothing by other requirements', [], { '/etc/codex/requirements.toml': 'allowed_sandbox_modes = []' }, []],
])('Codex may write %s', async (_, args, texts, reach) => {
  const all = await reachOf(args, texts);
  expect(all).toContain(MEMORIES);
  expect(all.filter((one) => one !== MEMORIES)).toEqual([...ALWAYS, ...reach]);
});

test('Codex may write in the directory for temporary files', async () => {
  expect(await reachOf([], {}, { TMPDIR: '/t' })).toEqual(['/tmp in /p', '/t in /p', MEMORIES]);
});

const ROOT = inline('["x"]');
const LAYERS = {
  '/a/.codex/config.toml': ROOT,
  '/a/b/.codex/config.toml': ROOT,
  '/a/b/c/.codex/config.toml': ROOT,
};

test.each<[string, Record<string, string | null>, string[], string[]]>([
  ['down from the root of the project', { '/a/b/.git': null }, [], ['/a/b', '/a/b/c']],
  ['down from the root of a worktree', { '/a/b/.git': 'gitdir: x', '/a/.git': null }, [], ['/a/b', '/a/b/c']],
  ['in the directory alone where there is no root', {}, [], ['/a/b/c']],
  [
    'everywhere above where the root is something else',
    { [USER]: 'project_root_markers = []' },
    [],
    ['/a', '/a/b', '/a/b/c'],
  ],
  ['everywhere above likewise', {}, ['-c', 'project_root_markers=[]'], ['/a', '/a/b', '/a/b/c']],
])('the configuration of a project counts %s', async (_, texts, args, where) => {
  const turn = { env: { HOME: '/h' }, directory: '/a/b/c', args };
  const all = new Map(Object.entries({ ...LAYERS, ...texts }));
  const { directories } = await codexConfinement.writable(turn, all);
  const bases = directories.flatMap(({ path, base }) => (path === 'x' ? base.replace('/.codex', '') : []));
  expect(bases.sort()).toEqual(where);
});

test('commands run outside of the sandbox by the rules of a project, unless these are ignored, and not by the user’s own', async () => {
  const texts = new Map([
    ['/p/.codex/rules', null],
    ['/h/.codex/rules', null],
  ]);
  const outside = async (args: string[], env = {}) =>
    (await codexConfinement.writable({ env: { HOME: '/h', ...env }, directory: '/p', args }, texts)).outside;
  expect((await outside([])).map(({ what }) => what)).toEqual(['commands that /p/.codex/rules allows']);
  expect(await outside(['--ignore-rules'])).toEqual([]);
  expect(await outside([], { CODEX_HOME: '/p/.codex' })).toEqual([]);
});

test('servers of tools run outside of the sandbox, and count where an agent can have named them', async () => {
  const names = '[mcp_servers.own]\ncommand = "x"\n';
  const outside = async (texts: Record<string, string | null>, env = {}) => {
    const turn = { env: { HOME: '/h', ...env }, directory: '/a/b/c', args: [] };
    const all = new Map(Object.entries({ '/a/.git': null, ...texts }));
    return (await codexConfinement.writable(turn, all)).outside.map(({ what }) =>
      what.replace('the servers of tools that ', ''),
    );
  };
  const [inner, above] = ['/a/b/c/.codex/config.toml', '/a/b/.codex/config.toml'];
  expect(await outside({ [inner]: names, [above]: names })).toEqual([`${inner} names`, `${above} names`]);
  // What looks like a root in another one counts where the user has trusted it.
  const nested = { '/a/b/.git': null, [above]: names };
  expect(await outside(nested)).toEqual([`${above} names`]);
  expect(
    await outside({ ...nested, '/h/.codex/config.toml': '[projects."/a/b"]\ntrust_level = "trusted"\n' }),
  ).toEqual([]);
  // The root's, and what lies above it, where no agent of the project writes; the user's own.
  expect(await outside({ '/a/.codex/config.toml': names, '/.codex/config.toml': names })).toEqual([]);
  expect(await outside({ [above]: names }, { CODEX_HOME: '/a/b/.codex' })).toEqual([]);
  expect(await outside({ [inner]: 'model = "mcp"\n[tools]\nweb_search = true\n' })).toEqual([]);
  for (const text of [
    'mcp_servers.own.command = "x"',
    '"mcp\\u005fservers" = {}',
    '"mcp\\x5fservers".own = {}',
  ])
    expect(await outside({ [inner]: text }), text).toEqual([expect.stringMatching(/ names$| may name$/)]);
  for (const text of [null, 'mcp_servers = ['])
    expect(await outside({ [inner]: text })).toEqual([`${inner} may name`]);
});
