import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KEY_NAMES } from '../../../src/config/key-names.ts';
import { loadSettings } from '../../../src/config/load.ts';
import { configured, place } from '../../helpers/config.ts';

const refused = (message: RegExp): unknown =>
  expect.objectContaining({
    code: 'config',
    message: expect.stringMatching(message),
    hint: expect.any(String),
  });

function trust(file: string, text: string, home: string): void {
  const sha256 = (input: string): string => createHash('sha256').update(input).digest('hex');
  place(join(home, '.local/state/zwarm/trusted', sha256(file)), `${sha256(`${file}\0${text}`)}\n`);
}

test('a project that holds the home of the user allows nothing by itself', async () => {
  const { home, env } = configured();
  for (const projectRoot of [home, dirname(home), '/']) {
    expect((await loadSettings({ env, projectRoot })).policy.allowedDirs, projectRoot).toEqual([[]]);
  }
  const link = `${home}-link`;
  symlinkSync(home, link);
  const linked = await loadSettings({ env: { HOME: link }, projectRoot: home });
  expect(linked.policy.allowedDirs).toEqual([[]]);
});

const NARROW = { maxDepth: 1, maxSessions: 8, endOthers: false, unconfined: false, allowLand: false };

test('without any file everything has its default', async () => {
  const { env, projectRoot, load } = configured();
  const { entries, ignored, trust, settings } = await load();
  expect(settings).toEqual({
    agent: null,
    model: null,
    sandbox: 'workspace-write',
    waitSec: null,
    reachable: { reachable_state: false, reachable_installation: false },
    worktreeDir: null,
    filling: null,
    maxRunning: null,
    budgets: [],
    notify: null,
    policy: { ...NARROW, allowedDirs: [[projectRoot]], sandbox: 'workspace-write' },
    notices: [],
  });
  for (const given of [env, {}]) expect(await loadSettings({ env: given, projectRoot })).toEqual(settings);
  expect(entries.map(({ key, origin }) => [key, origin])).toEqual(KEY_NAMES.map((key) => [key, 'default']));
  expect({ ignored, trust }).toEqual({ ignored: [], trust: null });
});

test("the user's own file sets everything", async () => {
  const { home, user, load } = configured({
    user: `agent = "demo"\nmodel = "m-1"\nsandbox = "danger-full-access"\nallowed_dirs = ["~/a", "*"]
      max_depth = 3\nmax_sessions = 20\nend_others = true\nunconfined = true\nallow_land = true\nwait_sec = 50\nreachable_state = true\nreachable_installation = true\nmax_running = 7
      worktree_dir = "/w"\nnotify = ["~/tell", "a b"]\nnotify_events = ["lost"]\nquiet_hours = "22:00-07:00"`,
  });
  mkdirSync(join(home, 'a'));
  const wide = { maxDepth: 3, maxSessions: 20, endOthers: true, unconfined: true, allowLand: true };
  const { entries, settings } = await load();
  expect(settings).toEqual({
    agent: 'demo',
    model: 'm-1',
    sandbox: 'danger-full-access',
    waitSec: 50,
    reachable: { reachable_state: true, reachable_installation: true },
    worktreeDir: '/w',
    filling: null,
    maxRunning: 7,
    budgets: [],
    notify: { to: ['~/tell', 'a b'], events: ['lost'], quietHours: '22:00-07:00' },
    policy: { ...wide, allowedDirs: [[join(home, 'a'), '*']], sandbox: 'danger-full-access' },
    notices: [],
  });
  expect(new Set(entries.map(({ origin }) => origin))).toEqual(new Set([user]));
});

test('XDG_CONFIG_HOME names another directory for it, and the file may be a link', async () => {
  const { home, load } = configured({ user: 'model = "not-this"' });
  place(join(home, 'dotfiles', 'zwarm.toml'), 'model = "linked"');
  mkdirSync(join(home, 'xdg', 'zwarm'), { recursive: true });
  symlinkSync(join(home, 'dotfiles', 'zwarm.toml'), join(home, 'xdg', 'zwarm', 'config.toml'));
  expect((await load({ XDG_CONFIG_HOME: join(home, 'xdg') })).settings.model).toBe('linked');
  // A relative one counts as none.
  expect((await load({ XDG_CONFIG_HOME: 'xdg' })).settings.model).toBe('not-this');
});

describe('of two files', () => {
  const ONLY_USER = /^only your own file decides this$/;
  const USER = `sandbox = "workspace-write"\nmax_depth = 2\nmax_sessions = 4\nend_others = true\nwait_sec = 60`;

  test.each<[project: string, settings: object]>([
    ['sandbox = "read-only"', { sandbox: 'read-only', policy: { sandbox: 'read-only' } }],
    ['max_depth = 1', { policy: { maxDepth: 1 } }],
    ['max_depth = 0', { policy: { maxDepth: 0 } }],
    ['max_sessions = 1', { policy: { maxSessions: 1 } }],
    ['end_others = false', { policy: { endOthers: false } }],
    ['wait_sec = 5', { waitSec: 5 }],
  ])('the project may narrow: %s', async (text, expected) => {
    const { project, load } = configured({ user: USER, project: text });
    const { settings, entries, ignored } = await load();
    expect(settings).toMatchObject(expected);
    expect(entries.filter(({ origin }) => origin === project)).toMatchObject([{ key: text.split(' ')[0] }]);
    expect(ignored).toEqual([]);
  });

  test.each<[project: string, user: string, reason?: RegExp]>([
    ['sandbox = "danger-full-access"', USER],
    ['max_depth = 3', USER],
    ['max_sessions = 5', USER],
    ['end_others = true', USER.replace('end_others = true', '')],
    ['wait_sec = 61', USER],
    ...['*', '/', '..', '~', '../home'].map((dir): [string, string] => [`allowed_dirs = ["${dir}"]`, USER]),
    ['sandbox = "danger-full-access"', ''],
    ['sandbox = "workspace-write"', 'sandbox = "read-only"'],
    ['max_depth = 2', ''],
    ['max_sessions = 9', ''],
    ['end_others = true', ''],
    ['allowed_dirs = ["*"]', 'allowed_dirs = []'],
    ['notify = ["/bin/evil"]', '', ONLY_USER],
    ['notify = "desktop"', 'notify = ["tell"]', ONLY_USER],
    ['notify_events = []', 'notify = ["tell"]', ONLY_USER],
    ['quiet_hours = "00:00-23:59"', 'notify = ["tell"]', ONLY_USER],
    ['reachable_state = true', '', ONLY_USER],
    ['reachable_state = true', 'reachable_state = false', ONLY_USER],
    ['reachable_state = false', 'reachable_state = true', ONLY_USER],
    ['reachable_installation = true', '', ONLY_USER],
  ])(
    'the project never decides, trusted or not: %s where the user has %j',
    async (text, user, why = /narrow/) => {
      const { project, home, load } = configured({ user });
      const without = await load();
      place(project, text);
      const { settings, entries, ignored } = await load();
      expect({ ...settings, notices: [] }).toEqual(without.settings);
      expect(entries).toEqual(without.entries);
      const [key] = text.split(' ');
      expect(ignored).toMatchObject([{ key, origin: project, reason: expect.stringMatching(why) }]);
      expect(settings.notices).toEqual([expect.stringMatching(`^${project}: ${key} = .* has no effect`)]);
      trust(project, text, home);
      expect({ ...(await load()).settings, notices: [] }).toEqual(without.settings);
    },
  );

  test('where the user gives no time to wait, the project may', async () => {
    const { load } = configured({ project: 'wait_sec = 5' });
    expect((await load()).settings.waitSec).toBe(5);
  });

  test('the project may say what holds anyhow', async () => {
    const { user, load } = configured({ user: USER, project: USER });
    const { ignored, entries } = await load();
    expect([ignored, entries.filter(({ origin }) => origin === user).length]).toEqual([[], 5]);
  });
});

const dirs = (entries: string): string => `allowed_dirs = [${entries}]`;

describe('allowed_dirs', () => {
  // The lists that must all allow a directory, each in brackets; `~` is the home and `.` the project.
  test.each<[sentence: string, user: string | null, project: string | null, lists: string]>([
    ['of a project are within what the user allows', null, '"src", "/etc", "nowhere"', '[.][./src]'],
    ['are real paths: a link in a project leads out of it', null, '"out"', '[.]'],
    ['of the user are real paths, and a missing one allows nothing', '"~/in", "/no/where"', null, '[.]'],
    ['within another one are left out', '"~/a", "~/a/b", "~/a/../a/out", "~/ab"', null, '[~/a ~/ab]'],
    ['within what a link leads to are left out', '"~/link", "~/a/out"', null, '[~/a]'],
    ['of a project within another one are left out', '"*"', '"src", "src/out"', '[*][./src]'],
    ['of a project that are all allowed narrow them', null, '"src"', '[.][./src]'],
    ['of a project of which none is allowed count as not given', null, '"/etc", "/usr"', '[.]'],
    ['may be the whole home', '"~"', null, '[~]'],
    ['that are an empty list allow nothing', '', null, '[]'],
    ['of a project that are an empty list allow nothing', null, '', '[.][]'],
  ])('%s', async (_sentence, user, project, lists) => {
    const { home, projectRoot, load } = configured({
      ...(user === null ? {} : { user: dirs(user) }),
      ...(project === null ? {} : { project: dirs(project) }),
    });
    for (const path of ['a/b', 'ab', 'else']) mkdirSync(join(home, path), { recursive: true });
    mkdirSync(join(projectRoot, 'src'));
    symlinkSync(projectRoot, join(home, 'in'));
    symlinkSync(join(home, 'a'), join(home, 'link'));
    symlinkSync(join(home, 'else'), join(home, 'a/out'));
    symlinkSync(home, join(projectRoot, 'out'));
    symlinkSync('/', join(projectRoot, 'src/out'));
    const { settings } = await load();
    const short = (path: string): string => path.replace(projectRoot, '.').replace(home, '~');
    const shown = settings.policy.allowedDirs.map((list) => `[${list.map(short).join(' ')}]`);
    expect(shown.join('')).toBe(lists);
  });

  test('that have no effect are named, with the reason', async () => {
    const { home, projectRoot, user, project, load } = configured({
      user: dirs('"~/repo", "~/repo/out", "~/repo/none"'),
      project: dirs(`"/etc", ${Array.from({ length: 7 }, (_, i) => `"none-${i}"`).join()}`),
    });
    mkdirSync(join(home, 'repo'));
    symlinkSync(projectRoot, join(home, 'repo/out'));
    const { notices, ignored } = await load();
    const around = 'it lies in "~/repo", where an agent can lead it anywhere';
    expect(notices).toEqual([
      `${user}: allowed_dirs: "~/repo/out" allows nothing: ${around}; name "${projectRoot}" itself`,
      `${user}: allowed_dirs: "~/repo/none" allows nothing: there is none`,
      ...[0, 1, 2, 3, 4].map((i) => `${project}: allowed_dirs: "none-${i}" allows nothing: there is none`),
      `${project}: allowed_dirs: 2 more allow nothing`,
    ]);
    expect(ignored).toMatchObject([{ key: 'allowed_dirs', value: ['/etc'] }]);
    const homeless = await load({ HOME: undefined, XDG_CONFIG_HOME: join(home, '.config') });
    expect(homeless.notices[0]).toBe(`${user}: allowed_dirs: "~/repo" allows nothing: HOME is not set`);
  });
});

test("a project's agent and model count once the user has trusted its file, until it changes", async () => {
  const text = 'agent = "demo"\nmodel = "m-2"\n';
  const { project, home, load } = configured({ user: 'model = "m-1"', project: text });
  const before = await load();
  expect(before.settings).toMatchObject({
    agent: null,
    model: 'm-1',
    notices: [
      expect.stringMatching(/agent = "demo" has no effect.*zwarm config trust/),
      expect.stringMatching(/model = "m-2" has no effect.*zwarm config trust/),
    ],
  });
  const values = { agent: 'demo', model: 'm-2' };
  expect(before.trust).toMatchObject({ file: project, trusted: false, values });
  trust(project, text, home);
  const { settings, entries, ignored } = await load();
  expect(settings).toMatchObject({ ...values, notices: [] });
  expect(entries.slice(0, 2).map(({ origin }) => origin)).toEqual([project, project]);
  expect(ignored).toEqual([]);
  writeFileSync(project, `${text}# or was it?\n`);
  expect((await load()).settings).toMatchObject({ agent: null, model: 'm-1' });
  // Trust belongs to a path: another project with the same text has none.
  const other = configured({ project: text });
  expect((await other.load({ XDG_STATE_HOME: join(home, '.local/state') })).settings.agent).toBeNull();
});

test('a variable goes before both files, unless it is empty, and leaves the policy alone', async () => {
  const { load } = configured({ user: 'model = "m-1"\nwait_sec = 5', project: 'sandbox = "read-only"' });
  const without = await load();
  const said = { agent: 'demo', model: 'm-3', sandbox: 'danger-full-access', waitSec: 70 };
  const names = ['ZWARM_AGENT', 'ZWARM_MODEL', 'ZWARM_SANDBOX', 'ZWARM_WAIT_SEC'];
  const env = Object.fromEntries(Object.values(said).map((value, i) => [names[i] ?? '', String(value)]));
  const { settings, entries } = await load(env);
  expect(settings).toEqual({ ...without.settings, ...said });
  expect(settings.policy.sandbox).toBe('read-only');
  expect(entries.filter(({ origin }) => origin in env)).toHaveLength(4);
  const empty = Object.fromEntries(names.map((name) => [name, '']));
  expect(await load(empty)).toEqual(without);
});

test.each([
  ['ZWARM_AGENT', '../codex', /ZWARM_AGENT: agent must be the name of an agent/],
  ['ZWARM_MODEL', '--evil', /ZWARM_MODEL: model must be/],
  ['ZWARM_SANDBOX', 'none', /ZWARM_SANDBOX: sandbox must be one of read-only, .*not "none"/],
  ['ZWARM_WAIT_SEC', '0', /ZWARM_WAIT_SEC: wait_sec must be .* from 1 to 86400, not 0/],
  ['ZWARM_WAIT_SEC', '1e3', /ZWARM_WAIT_SEC.*not "1e3"/],
])('a variable that has no such value is named: %s=%s', async (name, value, message) => {
  await expect(configured().load({ [name]: value })).rejects.toEqual(refused(message));
});

describe('a file that cannot be understood is refused, with its path', () => {
  test.each([
    ['model = gpt', /: line 1, column 9 is not valid TOML: /],
    ['\n\nmodel = "a"\nmodel = "b"', /: line 4, column \d is not valid TOML/],
    ['model = 1', /: model must be the name of a model.*, not 1$/],
    ['model = ["a"]', /: model must be .*not \["a"\]$/],
    ['model = "--evil"', /: model must be/],
    ['agent = ""', /: agent must be the name of an agent, such as "codex", not ""$/],
    ['agent = { x = 1 }', /: agent must be/],
    ['sandbox = "workspace"', /: sandbox must be one of read-only, workspace-write, danger-full-access/],
    ['max_depth = -1', /: max_depth must be a whole number from 0 to 9, not -1$/],
    ['max_depth = 10', /: max_depth must be/],
    ['max_depth = 1.5', /: max_depth must be/],
    ['max_depth = inf', /: max_depth must be/],
    ['max_sessions = 0', /: max_sessions must be a whole number from 1 to 1000/],
    ['end_others = "yes"', /: end_others must be true or false, not "yes"$/],
    ['wait_sec = 86401', /: wait_sec must be/],
    ['wait_sec = 1970-01-01', /: wait_sec must be/],
    ['allowed_dirs = "~"', /: allowed_dirs must be a list of directories/],
    ['allowed_dirs = [1]', /: allowed_dirs must be/],
    ['allowed_dirs = [""]', /: allowed_dirs must be/],
    ['allowed_dirs = ["a\\u0000b"]', /: allowed_dirs must be/],
    [`model = "${'x'.repeat(10_000)}"`, /: model must be [^\n]{1,160}$/],
  ])('%s', async (text, message) => {
    for (const which of ['user', 'project'] as const) {
      const { [which]: path, load } = configured({ [which]: text });
      await expect(load()).rejects.toEqual(refused(message));
      await expect(load()).rejects.toEqual(refused(new RegExp(`^${path}`)));
    }
  });

  test.each(['src', './src', '../x', '~other/x'])('a relative directory of the user: %s', async (entry) => {
    const { load } = configured({ user: dirs(`"${entry}"`) });
    await expect(load()).rejects.toEqual(refused(/allowed_dirs must be .* absolute or below ~/));
  });

  test.each(['user', 'project'] as const)(
    '%s: no text, too much of it, a FIFO, a directory',
    async (which) => {
      const { [which]: path, load } = configured({ [which]: '' });
      for (const [make, message] of [
        [() => writeFileSync(path, 'model = "f\u00fcr"', 'latin1'), /is not valid UTF-8/],
        [() => truncateSync(path, 64_001), /larger than 64 kB/],
        [() => execFileSync('mkfifo', [path]), /is not a regular file/],
        [() => mkdirSync(path), /is not a regular file/],
      ] as const) {
        if (message.source.includes('regular')) rmSync(path);
        make();
        await expect(load()).rejects.toEqual(refused(message));
      }
    },
  );

  test("a link in the place of the project's", async () => {
    const { user, project, load } = configured({ user: '' });
    symlinkSync(user, project);
    await expect(load()).rejects.toEqual(refused(/is a symbolic link/));
  });
});

test('unknown keys are named, the first five of them, with what was probably meant', async () => {
  const { project, user, load } = configured({
    user: 'max_deph = 2\n[sandbx]\nx = 1',
    project: Array.from({ length: 9 }, (_, i) => `"k${i}\\u001b" = 1`).join('\n'),
  });
  expect((await load()).settings.notices).toEqual([
    `${user}: unknown key "max_deph": did you mean max_depth?`,
    `${user}: unknown key "sandbx": did you mean sandbox?`,
    ...[0, 1, 2, 3, 4].map((i) => `${project}: unknown key "k${i}\\u001b"`),
    `${project}: 4 more unknown keys`,
  ]);
});

test.each(['__proto__', 'constructor', 'toString'])('%s is a key like any other', async (key) => {
  const { project, load } = configured();
  const without = await load();
  place(project, `${key} = 1`);
  const { settings } = await load();
  expect({ ...settings, notices: [] }).toEqual(without.settings);
  expect(settings.notices).toHaveLength(1);
});
