import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storeDir } from '../../src/store/project-store.ts';
import { git } from '../helpers/git.ts';
import { createShellProject, eventually, type Project, processesBelow } from '../helpers/project.ts';

const ids = async (project: Project, cwd: string, ...args: string[]): Promise<string[]> =>
  (await project.ok(['ls', '-q', '--all', ...args], { cwd })).split('\n').filter((id) => id !== '');

const stores = ({ state }: Project): string[] => fs.readdirSync(join(state, 'projects')).sort();

/** A session that has come to its end, with all that follows it; its id. */
async function run(project: Project, cwd: string): Promise<string> {
  const { id } = JSON.parse(await project.ok(['start', '--wait', '--json', 'quick'], { cwd }));
  await eventually('its runner has ended', () => processesBelow(project.base).length === 0);
  return id;
}

test.each([true, false])(
  'a project that was moved has its sessions at once, and the next start keeps them there; in git: %s',
  async (inGit) => {
    const project = createShellProject('shop');
    const { base, directory, state } = project;
    if (inGit) git(directory, 'init', '-q');
    fs.mkdirSync(join(directory, 'src'));
    const old = await run(project, directory);
    const before = stores(project);
    const there = join(base, 'store');
    fs.renameSync(directory, there);
    for (const cwd of [there, ...(inGit ? [join(there, 'src')] : [])])
      expect(await project.zwarm(['ls', '-q'], { cwd })).toEqual({ code: 0, stdout: `${old}\n`, stderr: '' });
    expect(JSON.parse(await project.ok(['show', old, '--json'], { cwd: there }))).toMatchObject({
      ...{ working_dir: there, project: there },
    });
    expect(await project.$(`inject --wait ${old} again`, { cwd: there })).not.toContain('[exit');
    await eventually('its runner has ended', () => processesBelow(base).length === 0);
    // Who only looks, or asks what would be done, moves nothing; and nobody proposes to delete it.
    await project.ok(['start', '--dry-run', 'x'], { cwd: there });
    const doctor = JSON.parse((await project.zwarm(['doctor', '--json'], { cwd: there })).stdout);
    expect(doctor.checks).toContainEqual({
      ...{ name: 'projects', status: 'ok', hint: null },
      message: `this project was at ${directory}, and has its sessions; the next start keeps them for its new place`,
    });
    expect(await project.$('ls --everywhere', { cwd: there })).not.toContain('is gone');
    expect(await project.$('clean --gone --yes', { cwd: there })).toBe('');
    expect(stores(project)).toEqual(before);

    const started = await project.zwarm(['start', '--wait', 'quick'], { cwd: there });
    expect(started.stderr).toContain(
      `zwarm: this project was at ${directory}; its sessions are kept for ${there} now\n`,
    );
    const path = inGit ? join(there, '.git') : there;
    expect(stores(project)).toEqual([storeDir(state, path).split('/').at(-1)]);
    expect(await ids(project, there)).toEqual([expect.any(String), old]);
    expect(fs.readlinkSync(join(there, '.zwarm', 'sessions'))).toBe(join(storeDir(state, path), 'sessions'));
    // Another time, and from elsewhere by its id.
    await eventually('its runner has ended', () => processesBelow(base).length === 0);
    fs.renameSync(there, directory);
    expect(await ids(project, directory)).toContain(old);
    expect(await project.$(`show ${old}`, { cwd: base })).not.toContain('[exit');
  },
);

test('a project that was moved under a living agent is used where it was kept, and the agent can be killed', async () => {
  const project = createShellProject('shop');
  const { base, directory } = project;
  const there = join(base, 'store');
  const [one, other] = [await project.start(['hang']), await project.start(['hang'])];
  await eventually('the agents run', () => project.runs().length === 2);
  const before = stores(project);
  fs.renameSync(directory, there);
  const $ = (line: string, cwd = there) => project.$(line, { cwd });
  expect(await $('relocate --yes')).toContain('a session of this project runs, or has just ended\n');
  const third = await project.start(['hang'], { cwd: there });
  expect(stores(project)).toEqual(before);
  // From anywhere, by its id; and in its project.
  expect(await $(`kill ${one}`, base)).toBe(`${one} killed\n`);
  expect(await $('kill --all')).toMatch(
    new RegExp(`^(${other}|${third}) killed\n(${other}|${third}) killed\n$`),
  );
  await eventually('their runners have ended', () => processesBelow(base).length === 0);
  await run(project, there);
  expect(stores(project)).toEqual([storeDir(project.state, there).split('/').at(-1)]);
  expect(await ids(project, there)).toEqual(expect.arrayContaining([one, other, third]));
});

test('what may be those of a project is offered where it has none, and a start there says so', async () => {
  const project = createShellProject('shop');
  const { base, directory } = project;
  const old = await run(project, directory);
  const there = join(base, 'store');
  // As `mv` does to another file system.
  fs.cpSync(directory, there, { recursive: true, verbatimSymlinks: true });
  fs.rmSync(directory, { recursive: true });
  const offer = `zwarm: the sessions of ${directory}, which is gone, may belong to this project; to have them here: zwarm relocate\n`;
  expect(await project.zwarm(['ls'], { cwd: there })).toMatchObject({ stdout: '', stderr: offer });
  const started = await project.zwarm(['start', '--wait', 'quick'], { cwd: there });
  expect(started.stderr).toContain(offer.replace('zwarm: ', 'zwarm: warning: '));
  await eventually('its runner has ended', () => processesBelow(base).length === 0);
  // Also now that there are others, and after these were removed.
  expect((await project.zwarm(['ls'], { cwd: there })).stderr).toContain(offer);
  await project.ok(['clean', '--days', '0', '--yes'], { cwd: there });
  expect(await project.$('relocate --yes', { cwd: there })).not.toContain('[exit');
  expect(await ids(project, there)).toEqual([old]);
});

test('neither an agent nor a client moves the sessions of a project', async () => {
  const project = createShellProject('shop');
  const old = await run(project, project.directory);
  const before = stores(project);
  const there = join(project.base, 'store');
  fs.renameSync(project.directory, there);
  const byAgent = await project.zwarm(['start', '--wait', 'quick'], {
    cwd: there,
    env: { ZWARM_SESSION_ID: old },
  });
  expect(byAgent.stderr).not.toContain('its sessions are kept for');
  expect(stores(project)).toEqual(before);
});

test.each([
  ['.dotfiles', '.dotfiles'],
  ['a bare repository beside its worktrees', 'shop/.bare'],
])('a project whose directory is called like %s is like any other', async (_, name) => {
  const project = createShellProject('other');
  const { base } = project;
  const cwd = join(base, name);
  fs.mkdirSync(cwd, { recursive: true });
  if (name.endsWith('.bare')) git(cwd, 'init', '-q', '--bare');
  const id = await run(project, cwd);
  expect(await ids(project, project.directory, '--everywhere')).toEqual([id]);
  for (const ref of [id, id.slice(0, 6)]) expect(await project.$(`show ${ref}`)).not.toContain('[exit');
  fs.rmSync(cwd, { recursive: true });
  const doctor = JSON.parse((await project.zwarm(['doctor', '--json'])).stdout);
  const projects = doctor.checks.find((check: { name: string }) => check.name === 'projects');
  expect(projects).toMatchObject({ status: 'note', message: expect.stringContaining(cwd) });
  expect((await project.zwarm(['clean', '--gone', '--yes'])).stdout).toBe(`${cwd}\n`);
  expect(stores(project)).toEqual([]);
});
