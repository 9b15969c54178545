import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { codex } from '../../../../src/agents/codex/index.ts';
import { demo } from '../../../../src/agents/demo/index.ts';
import { requireOutOfReach } from '../../../../src/manager/access/reach.ts';
import { configured, place } from '../../../helpers/config.ts';
import { copiedInstallation } from '../../../helpers/context.ts';

/** A project below one directory with its home, whose state directory a turn may reach or not. */
function createReach() {
  const { home, projectRoot: project } = configured();
  const base = join(home, '..');
  mkdirSync(join(base, 'tmp'));
  const state = join(base, 'volume/zwarm');
  const env = { HOME: home, TMPDIR: join(base, 'tmp') };
  return {
    base,
    home,
    project,
    /** The directory through which a turn would reach the state directory; null where it cannot. */
    async through(
      args: string[] = [],
      more: object = {},
      stateDir = state,
      below = '',
    ): Promise<string | null> {
      const working_dir = join(project, below);
      const context = {
        ...copiedInstallation(),
        cwd: working_dir,
        env: { ...env, ...more },
        uid: 0,
        stateDir,
      };
      const turn = { working_dir, sandbox: 'workspace-write', agent_args: args } as const;
      const asked = (
        agent: typeof codex,
        sandbox: typeof turn.sandbox | 'read-only' | 'danger-full-access',
      ) => requireOutOfReach(context, agent, { ...turn, sandbox }, false).then(() => null, String);
      // Whoever cannot write anything, or has no sandbox, is not refused for it.
      expect([
        await asked(codex, 'read-only'),
        await asked(codex, 'danger-full-access'),
        await asked(demo, 'workspace-write'),
      ]).toEqual([null, null, null]);
      const refused = await asked(codex, 'workspace-write');
      const [, through, unclear, inside] =
        / lies in (.+), which it may write$| what it may write by (.+)$|records: (.+, which it may write, lies in .+)$/.exec(
          refused ?? '',
        ) ?? [];
      return refused && (through ?? `? ${unclear ?? inside}`);
    },
  };
}

const roots = (...paths: string[]): string => `writable_roots = ${JSON.stringify(paths)}\n`;
const table = (...paths: string[]): string => `[sandbox_workspace_write]\n${roots(...paths)}`;

test('a turn reaches what lies in its directory and in those for temporary files', async () => {
  const { base, project, through } = createReach();
  const [volume, tmp] = [join(base, 'volume'), join(base, 'tmp')];
  expect(await through()).toBeNull();
  expect(await through([], {}, join(project, 'state'))).toBe(project);
  expect(await through([], {}, project)).toBe(project);
  expect(await through([], {}, `${project}-beside`)).toBeNull();
  expect(await through([], {}, '/tmp/zwarm-of-a-test')).toBe('/tmp');
  expect(await through([], {}, join(tmp, 'state'))).toBe(tmp);
  expect(await through([], { TMPDIR: volume })).toBe(volume);
  // Where somebody stands makes no difference.
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(base);
  for (const TMPDIR of ['', undefined]) expect(await through([], { TMPDIR }, join(volume, 'x'))).toBeNull();
});

test('a turn reaches what its configuration names, whichever file that is', async () => {
  const named = async (file: string, text: string, args: string[] = [], more: object = {}) => {
    const it = createReach();
    const volume = join(it.base, 'volume');
    const whole = text.replaceAll('VOLUME', volume);
    place(join(it.base, file), whole);
    const found = await it.through(
      args,
      Object.fromEntries(Object.entries(more).map(([name, path]) => [name, join(it.base, String(path))])),
    );
    return found?.replace(volume, 'VOLUME') ?? null;
  };
  const [user, wide, project] = [
    'home/.codex/config.toml',
    'home/.codex/wide.config.toml',
    'project/.codex/config.toml',
  ];
  for (const text of [table('VOLUME'), table('/nowhere', 'VOLUME'), table('VOLUME', '/nowhere')]) {
    expect(await named(user, text)).toBe('VOLUME');
    expect(await named(project, text)).toBe('VOLUME');
    expect(await named(wide, text, ['-p', 'wide'])).toBe('VOLUME');
  }
  expect(await named(user, `profile = "a"\n[profiles.a.sandbox_workspace_write]\n${roots('VOLUME')}`)).toBe(
    'VOLUME',
  );
  // A profile that is not chosen.
  expect(await named(wide, table('VOLUME'))).toBeNull();
  expect(await named(wide, table('VOLUME'), ['-p', 'narrow'])).toBeNull();
  expect(await named('c/config.toml', table('VOLUME'), [], { CODEX_HOME: 'c' })).toBe('VOLUME');
  expect(await named('c/wide.config.toml', table('VOLUME'), ['-pwide'], { CODEX_HOME: 'c' })).toBe('VOLUME');
  expect(await named(user, table('VOLUME'), [], { CODEX_HOME: 'c' })).toBeNull();
  expect(await named(user, table('VOLUME-beside'))).toBeNull();
  // So does what zwarm trusts in the state directory, but not the worktrees there, nor what else the user has there.
  expect(await named(user, table('VOLUME/zwarm/projects/one'))).toMatch(
    /projects\/one, which it may write, lies in .*volume\/zwarm\/projects$/,
  );
  expect(await named(user, table('VOLUME/zwarm/compiled'))).toMatch(/compiled, which it may write, lies in /);
  for (const other of ['trees/one', 'other', 'other/projects'])
    expect(await named(user, table(`VOLUME/zwarm/${other}`))).toBeNull();
});

test('a turn reaches what a configuration above its directory names, also one behind a link', async () => {
  for (const above of ['project', 'project/a', 'project/a/b', '']) {
    const it = createReach();
    const volume = join(it.base, 'volume');
    mkdirSync(join(it.project, 'a/b'), { recursive: true });
    mkdirSync(join(it.base, 'project/.git'));
    place(join(it.base, 'elsewhere.toml'), table(volume));
    mkdirSync(join(it.base, above, '.codex'));
    symlinkSync(join(it.base, 'elsewhere.toml'), join(it.base, above, '.codex/config.toml'));
    expect(await it.through([], {}, undefined, 'a/b'), above).toBe(above === '' ? null : volume);
  }
});

test('a relative root begins at the file that names it', async () => {
  const it = createReach();
  const volume = join(it.base, 'volume');
  place(join(it.home, '.codex/config.toml'), table('../../volume'));
  expect(await it.through()).toBe(volume);
  place(join(it.home, '.codex/config.toml'), table('../volume'));
  expect(await it.through()).toBeNull();
});

test('a turn may reach anything by a configuration that cannot be read', async () => {
  const it = createReach();
  const path = join(it.project, '.codex/config.toml');
  mkdirSync(path, { recursive: true });
  expect(await it.through()).toBe(`? ${path}`);
  const fifo = createReach();
  const pipe = join(fifo.project, '.codex/config.toml');
  mkdirSync(join(fifo.project, '.codex'));
  execFileSync('mkfifo', [pipe]);
  expect(await fifo.through()).toBe(`? ${pipe}`);
  const large = createReach();
  place(
    join(large.home, '.codex/config.toml'),
    `${table(join(large.base, 'volume'))}#${' '.repeat(1 << 20)}`,
  );
  expect(await large.through()).toBe(`? ${join(large.home, '.codex/config.toml')}`);
  // A link that leads nowhere is no configuration.
  const none = createReach();
  mkdirSync(join(none.project, '.codex'));
  symlinkSync('nowhere', join(none.project, '.codex/config.toml'));
  expect(await none.through()).toBeNull();
});

test('a turn reaches what lies in the memories of Codex, and where its own variables put temporary files', async () => {
  const it = createReach();
  expect(await it.through([], {}, join(it.home, '.codex/memories/x'))).toBe(join(it.home, '.codex/memories'));
  place(join(it.home, '.codex/.env'), `TMPDIR=${join(it.base, 'volume')}\n`);
  expect(await it.through()).toBe(join(it.base, 'volume'));
});

test('a root is a path from the directory of the turn, below ~, or behind a link', async () => {
  const { base, home, through } = createReach();
  const volume = join(base, 'volume');
  symlinkSync(volume, join(base, 'link'));
  mkdirSync(volume);
  const added = (path: string, state?: string) =>
    through(['--add-dir', '/nowhere', '--add-dir', path], {}, state);
  for (const path of ['../volume', volume, '../link', '~/../volume'])
    expect(await added(path), path).toBe(volume);
  for (const path of ['volume', '~volume', '../volume/x', '']) expect(await added(path), path).toBeNull();
  for (const path of ['~', '~/']) expect(await added(path, join(home, 'state')), path).toBe(home);
  // Another user's home is not ours with a few letters more.
  expect(await added('~volume', `${home}volume/state`)).toBeNull();
  expect(await added('/')).toBe('/');
  // No path at all.
  place(join(home, '.codex/config.toml'), table('/a\\u0000b'));
  expect(await through(['-p', 'x'.repeat(300)])).toBeNull();
  // Below a file there is nothing to write.
  place(join(base, 'file'), '');
  expect(await added('../file/x')).toBeNull();
});

/** What is said of a turn that may also write these directories, where zwarm and codex are installed in `base`. */
async function saidOf(write: (base: string) => string[], more: object = {}): Promise<string | null> {
  const { home, user, projectRoot: working_dir } = configured();
  place(user, `notify = ["sh", ${JSON.stringify(join(home, 'told/tell.sh'))}]\n`);
  const base = join(home, '..');
  const codex_bin = join(base, 'codex/bin/codex');
  place(codex_bin, '#!/usr/bin/env helper\n');
  chmodSync(codex_bin, 0o755);
  place(join(base, 'codex/package.json'), '{ "name": "@openai/codex", "version": "1.2.3" }');
  for (const program of ['sys/zwarm', 'sys/git', 'sys/bwrap', 'sys/sh', 'path/helper']) {
    place(join(base, program), '');
    chmodSync(join(base, program), 0o755);
  }
  mkdirSync(join(home, '.codex/hooks'), { recursive: true });
  symlinkSync(join(base, 'dotfiles/hook'), join(home, '.codex/hooks/hook'));
  const { paths, ...installed } = copiedInstallation();
  const context = {
    ...installed,
    paths: { ...paths, cli: join(base, 'zwarm/bin/zwarm.js'), node: join(base, 'node/bin/node') },
    cwd: working_dir,
    env: { HOME: home, PATH: `${base}/before:${base}/sys:${base}/path`, ZWARM_CODEX_BIN: codex_bin, ...more },
    uid: 0,
    stateDir: join(base, 'state'),
  };
  const agent_args = write(base).flatMap((path) => ['--add-dir', path]);
  const turn = { working_dir, sandbox: 'workspace-write', agent_args } as const;
  const refused = await requireOutOfReach(context, codex, turn, false).then(() => null, String);
  return refused?.replace('ZwarmError: the agent could ', '').replaceAll(base, 'BASE') ?? null;
}

test.each<[string, string | null]>([
  ['zwarm/bin', "change zwarm's program: BASE/zwarm/bin lies in BASE/zwarm/bin, which it may write"],
  ['zwarm', "change zwarm's program: BASE/zwarm/bin lies in BASE/zwarm, which it may write"],
  [
    'zwarm/dist/x/y',
    "change zwarm's program: BASE/zwarm/dist/x/y, which it may write, lies in BASE/zwarm/dist",
  ],
  ['zwarm/docs', null],
  ['node', 'change the Node that runs zwarm: BASE/node/bin/node lies in BASE/node, which it may write'],
  ['node/lib', null],
  ['codex', 'change the program of codex: BASE/codex/bin/codex lies in BASE/codex, which it may write'],
  ['codex/vendor', 'change the program of codex: BASE/codex/vendor, which it may write, lies in BASE/codex'],
  ['path', 'change the program of codex: BASE/path/helper lies in BASE/path, which it may write'],
  ['before', 'change which program runs as zwarm: BASE/before/zwarm lies in BASE/before, which it may write'],
  [
    'dotfiles',
    'change the configuration of codex: BASE/home/.codex/hooks/hook leads to BASE/dotfiles/hook, which lies in BASE/dotfiles, which it may write',
  ],
  [
    'home/told',
    'change what `notify` runs: BASE/home/told/tell.sh lies in BASE/home/told, which it may write',
  ],
  [
    'home/.gitconfig',
    'change the configuration of git: BASE/home/.gitconfig lies in BASE/home/.gitconfig, which it may write',
  ],
  [
    'home/.config',
    'change the configuration of zwarm: BASE/home/.config/zwarm lies in BASE/home/.config, which it may write',
  ],
  [
    'home/.local/state/zwarm',
    'change the configuration of zwarm: BASE/home/.local/state/zwarm/trusted lies in BASE/home/.local/state/zwarm, which it may write',
  ],
  [
    'home/.codex/rules/own',
    'change the configuration of codex: BASE/home/.codex/rules/own, which it may write, lies in BASE/home/.codex/rules',
  ],
  ['home/.codex/sessions', null],
  // Nobody here has that agent.
  ['home/.claude', null],
  ['state/trees/mine', null],
  ['state/..', "write to zwarm's own records: BASE/state lies in BASE, which it may write"],
])('of a turn that may write %s it is said: %s', async (path, said) => {
  expect(await saidOf((base) => [join(base, path)])).toBe(said);
});

test('what Codex keeps its agents from in their directory is out of reach, unless a link leads to it', async () => {
  const { projectRoot } = configured();
  mkdirSync(join(projectRoot, '.codex'));
  symlinkSync('.codex', join(projectRoot, '.agents'));
  const said = (name: string) => saidOf(() => [projectRoot], { CODEX_HOME: join(projectRoot, name) });
  expect(await said('.codex')).toBeNull();
  expect(await said('.codex/deeper')).toBeNull();
  expect(await said('codex')).toContain('change the configuration of codex: ');
  expect(await said('.agents')).toContain('change the configuration of codex: ');
});
