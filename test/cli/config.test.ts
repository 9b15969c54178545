import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { place } from '../helpers/config.ts';
import { onScreen, type ScreenOptions } from '../helpers/context.ts';
import { createProject, eventually, type Project } from '../helpers/project.ts';
import { onTerminal } from '../helpers/pseudo-terminal.ts';
import { snapshot } from '../helpers/tree.ts';

const AN_AGENT = { ZWARM_SESSION_ID: 'cfgcfgcfg9' };

const userFile = (project: Project): string => join(project.base, 'home/.config/zwarm/config.toml');
const projectFile = (project: Project): string => join(project.directory, 'zwarm.toml');

/** `zwarm config …`, which must succeed; its stdout. */
async function ok(project: Project, argv: readonly string[], options?: ScreenOptions): Promise<string> {
  const { code, stdout, stderr } = await onScreen(project, ['config', ...argv], options);
  expect({ argv, code, stderr: code === 0 ? '' : stderr }).toEqual({ argv, code: 0, stderr: '' });
  return stdout;
}

describe('list', () => {
  test('says of every key its value and who says so, and what is said in vain', async () => {
    const project = createProject();
    place(userFile(project), 'max_depth = 2\nallowed_dirs = ["*"]\n');
    place(
      projectFile(project),
      'sandbox = "read-only"\nmax_depth = 9\nagent = "demo"\nmodell = "x\\u001b[2J"\n',
    );
    const env = { ZWARM_MODEL: 'gpt-9' };
    const { stdout, stderr, code } = await onScreen(project, ['config', 'list'], { env });
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.split('\t'))).toEqual([
      ['agent', '', 'default'],
      ['model', 'gpt-9', 'ZWARM_MODEL'],
      ['sandbox', 'read-only', projectFile(project)],
      ['allowed_dirs', '*', userFile(project)],
      ['max_depth', '2', userFile(project)],
      ['max_sessions', '8', 'default'],
      ['end_others', 'false', 'default'],
      ['wait_sec', '', 'default'],
      ['reachable_state', 'false', 'default'],
      [''],
    ]);
    expect(stderr.split('\n')).toEqual([
      `${projectFile(project)}: unknown key "modell": did you mean model?`,
      expect.stringMatching(/agent = "demo" has no effect: .*zwarm config trust$/),
      expect.stringMatching(/max_depth = 9 has no effect: a project may narrow 2, never widen it$/),
      '',
    ]);
    expect(JSON.parse(await ok(project, ['list', '--json'], { env }))).toEqual({
      entries: expect.arrayContaining([
        { key: 'agent', value: null, origin: 'default' },
        { key: 'allowed_dirs', value: ['*'], origin: userFile(project) },
        { key: 'model', value: 'gpt-9', origin: 'ZWARM_MODEL' },
      ]),
      ignored: [
        { key: 'agent', value: 'demo', origin: projectFile(project), reason: expect.any(String) },
        { key: 'max_depth', value: 9, origin: projectFile(project), reason: expect.any(String) },
      ],
      notices: [expect.stringContaining('modell')],
    });
  });

  test('is a table on a terminal, as wide as that', async () => {
    const project = createProject();
    const { stdout } = await onScreen(project, ['config', 'list'], {
      tty: true,
      columns: 60,
      env: { NO_COLOR: '1' },
    });
    expect(stdout).toMatch(/^KEY +VALUE +ORIGIN\n/);
    expect(stdout).toMatch(/^max_depth +1 +default$/m);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  test('tells of the project that the directory belongs to', async () => {
    const project = createProject();
    place(projectFile(project), 'max_depth = 0');
    mkdirSync(project.store(), { recursive: true, mode: 0o700 });
    mkdirSync(join(project.directory, 'deep/er'), { recursive: true });
    expect(await ok(project, ['get', 'max_depth'], { cwd: join(project.directory, 'deep/er') })).toBe('0\n');
  });

  test('refuses a file that cannot be understood', async () => {
    const project = createProject();
    place(projectFile(project), 'max_depth = \n');
    const { code, stdout, stderr } = await onScreen(project, ['config', 'list', '--json']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'config',
      message: expect.stringContaining('line 1'),
    });
  });
});

test('get prints the value alone', async () => {
  const project = createProject();
  mkdirSync(join(project.base, 'home/a'));
  place(userFile(project), 'allowed_dirs = ["~/a", "*"]\nend_others = true\n');
  expect(await ok(project, ['get', 'allowed_dirs'])).toBe(`${project.base}/home/a\n*\n`);
  expect(await ok(project, ['get', 'end_others'])).toBe('true\n');
  expect(await ok(project, ['get', 'model'])).toBe('');
  expect(JSON.parse(await ok(project, ['get', 'model', '--json']))).toEqual({
    key: 'model',
    value: null,
    origin: 'default',
  });
});

test('path says where the files are, and whether they are there', async () => {
  const project = createProject();
  place(projectFile(project), '');
  expect(await ok(project, ['path'])).toBe(
    `user\t${userFile(project)}\tnot there\nproject\t${projectFile(project)}\tthere\n`,
  );
  expect(JSON.parse(await ok(project, ['path', '--json'], { env: { XDG_CONFIG_HOME: '/x' } }))).toEqual({
    user: { path: '/x/zwarm/config.toml', exists: false },
    project: { path: projectFile(project), exists: true },
  });
});

describe('set', () => {
  test('creates the file for nobody else to read, and changes one line of it', async () => {
    const project = createProject();
    await ok(project, ['set', 'max_depth', '3']);
    expect(readFileSync(userFile(project), 'utf8')).toBe('max_depth = 3\n');
    expect(statSync(userFile(project)).mode & 0o777).toBe(0o600);
    expect(statSync(join(userFile(project), '..')).mode & 0o777).toBe(0o700);
    writeFileSync(userFile(project), '# mine\nmax_depth = "three" # three\n\nunknown = 1\n');
    expect((await onScreen(project, ['config', 'get', 'max_depth'])).code).toBe(2);
    await ok(project, ['set', 'max_depth', '0']);
    await ok(project, ['set', 'allowed_dirs', '~/b', '/c d']);
    await ok(project, ['set', 'end_others', 'true']);
    const text = '# mine\nmax_depth = 0 # three\n\nunknown = 1\n';
    expect(readFileSync(userFile(project), 'utf8')).toBe(
      `${text}allowed_dirs = [ "~/b", "/c d" ]\nend_others = true\n`,
    );
    await ok(project, ['set', 'allowed_dirs', '--unset']);
    await ok(project, ['set', 'model', '--unset']);
    expect(readFileSync(userFile(project), 'utf8')).toBe(`${text}end_others = true\n`);
    expect(await ok(project, ['get', 'max_depth'])).toBe('0\n');
  });

  test('writes through a link to where the file really is', async () => {
    const project = createProject();
    const real = join(project.base, 'dotfiles/zwarm.toml');
    place(real, 'model = "m"\n');
    mkdirSync(join(userFile(project), '..'), { recursive: true });
    symlinkSync(real, userFile(project));
    await ok(project, ['set', 'model', 'n']);
    expect(readFileSync(real, 'utf8')).toBe('model = "n"\n');
    expect(lstatSync(userFile(project)).isSymbolicLink()).toBe(true);
  });

  test.each<[string[], RegExp, RegExp]>([
    [['set', 'max_dpth', '1'], /unknown key "max_dpth"/, /did you mean max_depth/],
    [['get', 'max_dpth'], /unknown key "max_dpth"/, /did you mean max_depth/],
    [['set', 'colour', 'red'], /unknown key "colour"/, /choose one of: agent, /],
    [['set', 'max_depth', '10'], /max_depth must be a whole number from 0 to 9, not 10/, /config set --help/],
    [['set', 'max_depth', '1e0'], /, not "1e0"/, /config set --help/],
    [['set', 'max_depth', '1', '2'], /max_depth takes one value/, /config set --help/],
    [['set', 'max_depth'], /no value was given/, /config set --help/],
    [['set', 'max_depth', '1', '--unset'], /exclude each other/, /config set --help/],
    [['set', 'end_others', 'yes'], /true or false/, /config set --help/],
    [['set', 'allowed_dirs', 'src'], /absolute or below ~/, /config set --help/],
    [['set', 'model', ''], /model must be/, /config set --help/],
    [['set'], /missing.*'key'/, /zwarm config set --help/],
    [['lst'], /unknown command 'lst'/, /list/],
    [[], /which command/, /zwarm config --help/],
  ])('refuses %j, and changes nothing', async (argv, message, hint) => {
    const project = createProject();
    place(userFile(project), 'max_depth = 2\n');
    const before = snapshot(project.base);
    const { code, stdout, stderr } = await onScreen(project, ['config', ...argv]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(hint);
    expect(snapshot(project.base)).toEqual(before);
  });

  test('leaves a file alone that is not TOML, or not ours to write', async () => {
    const project = createProject();
    place(userFile(project), 'max_depth 2\n');
    const before = snapshot(project.base);
    const broken = await onScreen(project, ['config', 'set', 'model', 'm']);
    expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('not valid TOML') });
    const homeless = await onScreen(project, ['config', 'set', 'model', 'm'], { env: { HOME: undefined } });
    expect(homeless).toMatchObject({ code: 2, stderr: expect.stringContaining('HOME') });
    expect(snapshot(project.base)).toEqual(before);
  });
});

test('an agent may look, and may neither set nor trust anything', async () => {
  const project = createProject();
  place(projectFile(project), 'agent = "demo"\n');
  const before = snapshot(project.base);
  for (const argv of [
    ['set', 'sandbox', 'danger-full-access'],
    ['set', 'sandbox', '--unset'],
    ['trust', '--yes'],
  ]) {
    const { code, stderr } = await onScreen(project, ['config', ...argv], { env: AN_AGENT });
    expect({ argv, code }).toEqual({ argv, code: 5 });
    expect(stderr).toMatch(/only the user may .* not orchestrator:cfgcfgcfg9/);
  }
  for (const argv of [['list'], ['get', 'agent'], ['path']]) await ok(project, argv, { env: AN_AGENT });
  expect(snapshot(project.base)).toEqual(before);
});

describe("trust in the project's file", () => {
  const TEXT = 'agent = "demo"\nmodel = "m"\n';

  test('is asked for, holds until the file changes, and is kept out of the project', async () => {
    const project = createProject();
    place(projectFile(project), TEXT);
    const no = await onScreen(project, ['config', 'trust'], { tty: true, answer: false });
    expect(no).toMatchObject({ code: 1, stdout: '' });
    expect(no.stderr).toMatch(
      /zwarm\.toml chooses.*\n {2}agent = "demo"\n {2}model = "m"\nTrust it as it is now\?\nnothing was changed\n$/,
    );
    expect(await ok(project, ['get', 'agent'])).toBe('');
    await ok(project, ['trust'], { tty: true, answer: true });
    expect(await ok(project, ['get', 'agent'])).toBe('demo\n');
    expect(await ok(project, ['get', 'model'])).toBe('m\n');
    const trusted = join(project.base, 'home/.local/state/zwarm/trusted');
    expect(Object.values(snapshot(trusted))).toEqual(['directory 700', expect.stringMatching(/^file 600/)]);
    // Nothing is asked a second time.
    await ok(project, ['trust'], { tty: true });
    writeFileSync(projectFile(project), TEXT.replace('demo', 'codex'));
    expect(await ok(project, ['get', 'agent'])).toBe('');
    expect(await ok(project, ['trust', '--yes'])).toBe(`${projectFile(project)}\n`);
    expect(await ok(project, ['get', 'agent'])).toBe('codex\n');
  });

  test('needs a terminal or --yes, a file, and a choice in it', async () => {
    const project = createProject();
    expect(await onScreen(project, ['config', 'trust', '--yes'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/there is no .*zwarm\.toml/),
    });
    place(projectFile(project), 'max_depth = 0\n');
    await ok(project, ['trust', '--yes']);
    expect(existsSync(join(project.base, 'home/.local'))).toBe(false);
    place(projectFile(project), TEXT);
    expect(await onScreen(project, ['config', 'trust'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/--yes/),
    });
  });
});

// On a terminal of the kernel's, as only Linux has them for script(1).
test.runIf(process.platform === 'linux').each([
  ['y\r', 0],
  [' YES \r', 0],
  ['n\r', 1],
  ['\r', 1],
  ['yesterday\r', 1],
  ['\u0003', 1],
  ['\u0004', 1],
])('the answer %j on a real terminal ends with %i', async (keys, code) => {
  const project = createProject();
  place(projectFile(project), 'agent = "demo"\n');
  const terminal = onTerminal(project, ['config', 'trust']);
  await eventually('it has asked', () => terminal.shown().includes('[y/N] '));
  terminal.type(keys);
  expect(await terminal.code).toBe(code);
  expect(await ok(project, ['get', 'agent'])).toBe(code === 0 ? 'demo\n' : '');
});

test('start tells whoever is there of a key that it does not know', async () => {
  const project = createProject();
  writeFileSync(join(project.directory, 'zwarm.toml'), 'max_dept = 0\n');
  const shown = await onScreen(project, ['start', '--wait', 'x'], { tty: true, env: { NO_COLOR: '1' } });
  expect(shown.stderr).toMatch(/zwarm\.toml.*max_dept.*max_depth/);
  const piped = await onScreen(project, ['start', '--wait', 'x']);
  expect(piped).toMatchObject({ code: 0, stderr: '' });
});
