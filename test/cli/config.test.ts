import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

test('list says of every key its value and who says so, and what is said in vain', async () => {
  const project = createProject();
  place(userFile(project), 'max_depth = 2\nallowed_dirs = ["*"]\n');
  const text = 'sandbox = "read-only"\nmax_depth = 9\nagent = "demo"\nmodell = "x\\u001b[2J"\n';
  place(projectFile(project), text);
  const env = { ZWARM_MODEL: 'gpt-9', NO_COLOR: '1' };
  const { code, stdout, stderr } = await onScreen(project, ['config', 'list'], { env });
  expect(`${stdout}${stderr}exit ${code}`.replaceAll(project.base, '/base')).toMatchInlineSnapshot(`
    "agent		default
    model	gpt-9	ZWARM_MODEL
    sandbox	read-only	/base/project/zwarm.toml
    allowed_dirs	*	/base/home/.config/zwarm/config.toml
    max_depth	2	/base/home/.config/zwarm/config.toml
    max_sessions	8	default
    end_others	false	default
    wait_sec		default
    reachable_state	false	default
    /base/project/zwarm.toml: unknown key "modell": did you mean model?
    /base/project/zwarm.toml: agent = "demo" has no effect: an agent could have written that; see: zwarm config trust
    /base/project/zwarm.toml: max_depth = 9 has no effect: a project may narrow 2, never widen it
    exit 0"
  `);
  const table = (await onScreen(project, ['config', 'list'], { env, tty: true, columns: 60 })).stdout;
  expect(table).toMatch(/^KEY +VALUE +ORIGIN\nagent +default\nmodel +gpt-9 +ZWARM_MODEL\n/);
  expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
  const { entries, ignored, notices } = JSON.parse(await ok(project, ['list', '--json'], { env }));
  const origin = projectFile(project);
  expect(entries[3]).toEqual({ key: 'allowed_dirs', value: ['*'], origin: userFile(project) });
  expect(ignored[1]).toEqual({ key: 'max_depth', value: 9, origin, reason: expect.any(String) });
  expect(notices).toEqual([expect.stringContaining('modell')]);
});

test('a file that cannot be understood is refused; one counts for the project that the directory belongs to', async () => {
  const project = createProject();
  place(projectFile(project), 'max_depth = \n');
  const { code, stdout, stderr } = await onScreen(project, ['config', 'list', '--json']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'config',
    message: expect.stringContaining('line 1'),
  });
  place(projectFile(project), 'max_depth = 0');
  mkdirSync(project.store(), { recursive: true, mode: 0o700 });
  mkdirSync(join(project.directory, 'deep/er'), { recursive: true });
  expect(await ok(project, ['get', 'max_depth'], { cwd: join(project.directory, 'deep/er') })).toBe('0\n');
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

test('set creates the file for nobody else to read, and changes one line of it, through a link too', async () => {
  const project = createProject();
  const text = () => readFileSync(userFile(project), 'utf8');
  await ok(project, ['set', 'max_depth', '3']);
  expect(text()).toBe('max_depth = 3\n');
  for (const [path, mode] of [
    [userFile(project), 0o600],
    [join(userFile(project), '..'), 0o700],
  ] as const)
    expect(statSync(path).mode & 0o777).toBe(mode);
  const real = join(project.base, 'dotfiles');
  renameSync(userFile(project), real);
  symlinkSync(real, userFile(project));
  writeFileSync(real, '# mine\nmax_depth = "three" # three\n\nunknown = 1\n');
  expect((await onScreen(project, ['config', 'get', 'max_depth'])).code).toBe(2);
  await ok(project, ['set', 'max_depth', '0']);
  await ok(project, ['set', 'allowed_dirs', '~/b', '/c d']);
  await ok(project, ['set', 'end_others', 'true']);
  const kept = '# mine\nmax_depth = 0 # three\n\nunknown = 1\n';
  expect(text()).toBe(`${kept}allowed_dirs = [ "~/b", "/c d" ]\nend_others = true\n`);
  await ok(project, ['set', 'allowed_dirs', '--unset']);
  await ok(project, ['set', 'model', '--unset']);
  expect(text()).toBe(`${kept}end_others = true\n`);
  expect(lstatSync(userFile(project)).isSymbolicLink()).toBe(true);
  expect(await ok(project, ['get', 'max_depth'])).toBe('0\n');
});

test('what is refused says what to type, and changes nothing', async () => {
  const project = createProject();
  place(userFile(project), 'max_depth = 2\n');
  const before = snapshot(project.base);
  const see = /hint: see zwarm config set --help/;
  for (const [line, message, hint] of [
    ['set max_dpth 1', /unknown key "max_dpth"/, /did you mean max_depth/],
    ['get colour', /unknown key "colour"/, /choose one of: agent, /],
    ['set max_depth 10', /max_depth must be a whole number from 0 to 9, not 10/, see],
    ['set max_depth 1 2', /max_depth takes one value/, see],
    ['set max_depth', /no value was given/, see],
    ['set max_depth 1 --unset', /exclude each other/, see],
    ['set', /missing.*'key'/, see],
    ['lst', /unknown command 'lst'/, /list/],
    ['', /which command/, /zwarm config --help/],
  ] as const) {
    const { code, stdout, stderr } = await onScreen(project, [
      'config',
      ...(line === '' ? [] : line.split(' ')),
    ]);
    expect.soft({ code, stdout }, line).toEqual({ code: 2, stdout: '' });
    expect.soft(stderr, line).toMatch(message);
    expect.soft(stderr, line).toMatch(hint);
  }
  const homeless = await onScreen(project, ['config', 'set', 'model', 'm'], { env: { HOME: undefined } });
  expect(homeless).toMatchObject({ code: 2, stderr: expect.stringContaining('HOME') });
  expect(snapshot(project.base)).toEqual(before);
  place(userFile(project), 'max_depth 2\n');
  const broken = await onScreen(project, ['config', 'set', 'model', 'm']);
  expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('not valid TOML') });
  expect(readFileSync(userFile(project), 'utf8')).toBe('max_depth 2\n');
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

const TEXT = 'agent = "demo"\nmodel = "m"\n';

test('trust in the file of a project is asked for, holds until the file changes, and is kept out of the project', async () => {
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

test('trust needs a terminal or --yes, a file, and a choice in it', async () => {
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
