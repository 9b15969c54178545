import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../helpers/config.ts';
import type { ScreenOptions } from '../helpers/context.ts';
import { createProject, eventually, type Project } from '../helpers/project.ts';
import { onTerminal } from '../helpers/pseudo-terminal.ts';
import { notPrivate, snapshot } from '../helpers/tree.ts';

const AN_AGENT = { ZWARM_SESSION_ID: 'cfgcfgcfg9' };
const CHOICE = 'agent = "demo"\nmodel = "m"\n';

const userFile = (project: Project): string => join(project.base, 'home/.config/zwarm/config.toml');
const projectFile = (project: Project): string => join(project.directory, 'zwarm.toml');

/** What several `zwarm config …` print, one after the other. */
async function shown(project: Project, lines: string, options: ScreenOptions = {}): Promise<string> {
  const said: string[] = [];
  for (const line of lines.split('\n')) {
    const text = await project.$(`config ${line}`, { ...options, env: { NO_COLOR: '1', ...options.env } });
    said.push(`$ ${line}\n${text.replaceAll(project.base, '/base')}`);
  }
  return said.join('').trimEnd();
}

test('list says of every key its value and who says so, and what is said in vain', async () => {
  const project = createProject();
  mkdirSync(join(project.base, 'home/a'));
  place(userFile(project), 'max_depth = 2\nallowed_dirs = ["~/a", "*"]\nend_others = true\n');
  const text = 'sandbox = "read-only"\nmax_depth = 9\nagent = "demo"\nmodell = "x\\u001b[2J"\n';
  place(projectFile(project), text);
  const env = { ZWARM_MODEL: 'gpt-9' };
  const lines = 'list\nget allowed_dirs\nget agent\npath';
  expect(await shown(project, lines, { env })).toMatchInlineSnapshot(`
    "$ list
    agent		default
    model	gpt-9	ZWARM_MODEL
    sandbox	read-only	/base/project/zwarm.toml
    allowed_dirs	/base/home/a, *	/base/home/.config/zwarm/config.toml
    max_depth	2	/base/home/.config/zwarm/config.toml
    max_sessions	8	default
    max_running		default
    end_others	true	/base/home/.config/zwarm/config.toml
    unconfined	false	default
    allow_land	false	default
    wait_sec		default
    reachable_state	false	default
    reachable_installation	false	default
    worktree_dir		default
    notify		default
    notify_events	finished, failed, lost, queue_empty, held, resumed	default
    quiet_hours		default
    /base/project/zwarm.toml: unknown key "modell": did you mean model?
    /base/project/zwarm.toml: agent = "demo" has no effect: an agent could have written that; see: zwarm config trust
    /base/project/zwarm.toml: max_depth = 9 has no effect: a project may narrow 2, never widen it
    $ get allowed_dirs
    /base/home/a
    *
    $ get agent
    $ path
    user	/base/home/.config/zwarm/config.toml	there
    project	/base/project/zwarm.toml	there"
  `);
  const table = await project.$('config list', { tty: true, columns: 60, env: { NO_COLOR: '1' } });
  expect(table).toMatch(/^KEY +VALUE +ORIGIN\nagent +default\nmodel +default\n/);
  for (const line of table.split('\n').slice(0, 10)) expect(line.length).toBeLessThanOrEqual(60);
  const unset = { key: 'agent', value: null, origin: 'default' };
  expect(JSON.parse(await project.$('config get agent --json'))).toEqual(unset);
  const [user, own] = [userFile(project), projectFile(project)].map((path) => ({ path, exists: true }));
  expect(JSON.parse(await project.$('config path --json'))).toEqual({ user, project: own });
  const { entries, ignored, notices } = JSON.parse(await project.$('config list --json'));
  expect(entries[4]).toEqual({ key: 'max_depth', value: 2, origin: user?.path });
  expect(ignored[1]).toEqual({ key: 'max_depth', value: 9, origin: own?.path, reason: expect.any(String) });
  expect(notices).toEqual([expect.stringContaining('modell')]);
  const piped = await project.$('start --wait x');
  const seen = await project.$('start --wait x', { tty: true });
  expect([piped, seen].map((screen) => /modell/.test(screen))).toEqual([false, true]);
});

test('a file that cannot be understood is refused; one counts for the project that the directory belongs to', async () => {
  const project = createProject();
  place(projectFile(project), 'max_depth = \n');
  const { error } = JSON.parse((await project.$('config list --json')).replace('[exit 2]\n', ''));
  expect(error).toMatchObject({ code: 'config', message: expect.stringContaining('line 1') });
  place(projectFile(project), 'max_depth = 0');
  mkdirSync(project.store(), { recursive: true, mode: 0o700 });
  mkdirSync(join(project.directory, 'deep/er'), { recursive: true });
  expect(await project.$('config get max_depth', { cwd: join(project.directory, 'deep/er') })).toBe('0\n');
});

test('set creates the file for nobody else to read, and changes one line of it, through a link too', async () => {
  const project = createProject();
  const text = () => readFileSync(userFile(project), 'utf8');
  expect(await shown(project, 'set max_depth 3\nget max_depth')).toBe(
    '$ set max_depth 3\n$ get max_depth\n3',
  );
  expect(text()).toBe('max_depth = 3\n');
  expect(notPrivate(join(userFile(project), '..'))).toEqual([]);
  const real = join(project.base, 'dotfiles');
  renameSync(userFile(project), real);
  symlinkSync(real, userFile(project));
  place(real, '# mine\nmax_depth = "three" # three\n\nunknown = 1\n');
  expect(await shown(project, 'get max_depth')).toMatch(/\[exit 2\]$/);
  const kept = '# mine\nmax_depth = 0 # three\n\nunknown = 1\n';
  await shown(project, "set max_depth 0\nset allowed_dirs ~/b '/c d'\nset end_others true");
  expect(text()).toBe(`${kept}allowed_dirs = [ "~/b", "/c d" ]\nend_others = true\n`);
  await shown(project, 'set allowed_dirs --unset\nset model --unset');
  expect(text()).toBe(`${kept}end_others = true\n`);
  expect(lstatSync(userFile(project)).isSymbolicLink()).toBe(true);
});

test('a word that is not quite a value is refused, and changes nothing', async () => {
  const project = createProject();
  place(userFile(project), 'end_others = true\n');
  for (const [key, word] of [
    ['end_others', 'no'],
    ['end_others', 'falsely'],
    ['end_others', 'untrue'],
    ['end_others', ''],
    ['max_depth', '1x'],
    ['max_depth', 'x1'],
    ['max_depth', '1.0'],
    ['max_depth', '1000000000'],
    ['sandbox', 'read-only '],
  ] as const)
    expect(await project.zwarm(['config', 'set', key, word]), word).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${key} must be `),
    });
  expect(readFileSync(userFile(project), 'utf8')).toBe('end_others = true\n');
});

test('an agent may only look, and nobody may edit what is no TOML or not there', async () => {
  const project = createProject();
  place(userFile(project), 'max_depth = 2\n');
  const before = snapshot(project.base);
  expect(await shown(project, 'set model m', { env: { HOME: undefined } })).toMatch(/HOME[\s\S]*\[exit 2\]$/);
  const writes = 'set sandbox danger-full-access\nset sandbox --unset\ntrust --yes';
  for (const line of writes.split('\n'))
    expect(await shown(project, line, { env: AN_AGENT })).toMatch(
      /only the user may .* not orchestrator:cfgcfgcfg9[\s\S]*\[exit 5\]$/,
    );
  expect(await shown(project, 'list\nget agent\npath', { env: AN_AGENT })).not.toContain('[exit');
  expect(snapshot(project.base)).toEqual(before);
  place(userFile(project), 'max_depth 2\n');
  expect(await shown(project, 'set model m')).toMatch(/not valid TOML[\s\S]*\[exit 2\]$/);
  expect(readFileSync(userFile(project), 'utf8')).toBe('max_depth 2\n');
});

test('trust in the file of a project is asked for, holds until the file changes, and is kept out of the project', async () => {
  const project = createProject();
  place(projectFile(project), 'max_depth = 0\n');
  expect(await shown(project, 'trust --yes')).toBe('$ trust --yes');
  expect(existsSync(join(project.base, 'home/.local'))).toBe(false);
  place(projectFile(project), CHOICE);
  const agent = () => shown(project, 'get agent');
  expect(await shown(project, 'trust')).toMatch(/--yes\n\[exit 2\]$/);
  expect(await shown(project, 'trust', { tty: true, answer: false })).toMatchInlineSnapshot(`
    "$ trust
    /base/project/zwarm.toml chooses, for sessions that ask for nothing else:
      agent = "demo"
      model = "m"
    Trust it as it is now?
    nothing was changed
    [exit 1]"
  `);
  expect(await agent()).toBe('$ get agent');
  await shown(project, 'trust', { tty: true, answer: true });
  expect(await agent()).toBe('$ get agent\ndemo');
  const trusted = join(project.state, 'trusted');
  expect(Object.values(snapshot(trusted))).toEqual(['directory 700', expect.stringMatching(/^file 600/)]);
  // Nothing is asked a second time.
  expect(await shown(project, 'trust', { tty: true })).toMatch(/you trust it already/);
  place(projectFile(project), CHOICE.replace('demo', 'codex'));
  expect(await agent()).toBe('$ get agent');
  expect(await shown(project, 'trust --yes')).toMatch(/^\$ trust --yes\n\/base\/project\/zwarm\.toml\n/);
  expect(await agent()).toBe('$ get agent\ncodex');
});

// On a terminal of the kernel's, as only Linux has them for script(1).
test.runIf(process.platform === 'linux').each([
  ['y\r', 0],
  [' YES \r', 0],
  ['\r', 1],
  ['yesterday\r', 1],
  ['\u0003', 130],
  ['\u0004', 1],
])('the answer %j on a real terminal ends with %i', async (keys, code) => {
  const project = createProject();
  place(projectFile(project), CHOICE);
  const terminal = onTerminal(project, ['config', 'trust']);
  await eventually('it has asked', () => terminal.shown().includes('[y/N] '));
  terminal.type(keys);
  expect(await terminal.code).toBe(code);
  expect(await project.$('config get agent')).toBe(code === 0 ? 'demo\n' : '');
});
