import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storeDir } from '../../src/store/project-store.ts';
import { git } from '../helpers/git.ts';
import { createShellProject, eventually, type Project, processesBelow } from '../helpers/project.ts';
import { managerOf } from '../helpers/tools-in-process.ts';

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
  const offer = `zwarm: the sessions of the directory that was at ${directory} may belong to this project; to have them here: zwarm relocate\n`;
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
  const byClient = await managerOf({ directory: there, env: project.env }, 'other').start({ task: 'quick' });
  expect(byClient.notes).toEqual([]);
  await eventually('their runners have ended', () => processesBelow(project.base).length === 0);
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

test('a link in the old place of a project changes nothing', async () => {
  const project = createShellProject('shop');
  const { base, directory } = project;
  const old = await run(project, directory);
  const there = join(base, 'store');
  fs.renameSync(directory, there);
  fs.symlinkSync('store', directory);
  for (const cwd of [there, directory]) expect(await ids(project, cwd)).toEqual([old]);
  await run(project, directory);
  expect(stores(project)).toEqual([storeDir(project.state, there).split('/').at(-1)]);
});

test('a project whose repository was begun anew is offered its sessions, and not told to delete them', async () => {
  const project = createShellProject('shop');
  const { directory } = project;
  git(directory, 'init', '-q');
  const old = await run(project, directory);
  fs.renameSync(join(directory, '.git'), join(project.base, 'old.git'));
  git(directory, 'init', '-q');
  expect(await project.$('ls')).toContain('may belong to this project; to have them here: zwarm relocate\n');
  const refused = await project.$('start x');
  expect(refused).toContain('hint: to have its sessions here: zwarm relocate; where it was moved to');
  expect(await project.$('clean --gone --yes')).toBe('');
  expect(await project.$('relocate --yes')).not.toContain('[exit');
  await run(project, directory);
  expect(await ids(project, directory)).toContain(old);
});

test('what a command of the user’s has found in a new place is gone for nobody', async () => {
  const project = createShellProject('shop');
  const { base, directory } = project;
  const old = await run(project, directory);
  const there = join(base, 'store');
  fs.renameSync(directory, there);
  // Nothing but this is done there: it does not give the store its new place.
  expect(await project.$(`inject --wait ${old} quick`, { cwd: there })).not.toContain('[exit');
  await eventually('its runner has ended', () => processesBelow(base).length === 0);
  expect(stores(project)).toEqual([storeDir(project.state, directory).split('/').at(-1)]);
  expect(await project.$('ls --everywhere', { cwd: base })).not.toContain('is gone');
  expect(await project.$('clean --gone --yes', { cwd: base })).toBe('');
  // A copy, be it in the old place, is not offered what is known to be elsewhere.
  fs.cpSync(there, directory, { recursive: true, verbatimSymlinks: true });
  expect(await project.$('ls')).not.toContain('may belong to this project');
  expect(await project.$('relocate --yes')).toContain('[exit 3]');
  expect(await ids(project, there)).toEqual([old]);
  fs.rmSync(directory, { recursive: true });
  // By its id from anywhere it works where it is.
  expect(JSON.parse(await project.ok(['show', old, '--json'], { cwd: base })).working_dir).toBe(there);
  fs.rmSync(there, { recursive: true });
  expect((await project.zwarm(['clean', '--gone', '--yes'], { cwd: base })).stdout).toBe(`${directory}\n`);
});

test('what waits in a project that was moved begins where that is now, and not in its old place', async () => {
  const project = createShellProject('shop');
  const { base, directory } = project;
  const there = join(base, 'store');
  const gate = join(base, 'gate');
  const first = await project.start([`gate ${gate}`]);
  const waits = await project.start(['--after', first, 'run pwd > where']);
  await eventually('the agent runs', () => project.runs().length === 1);
  fs.renameSync(directory, there);
  fs.mkdirSync(directory);
  fs.writeFileSync(gate, '');
  await eventually('its runner has ended', () => processesBelow(base).length === 0);
  const statusOf = async () => JSON.parse(await project.ok(['show', waits, '--json'], { cwd: there })).status;
  // Who looks at all queues does not know where it is.
  await project.ok(['wake'], { cwd: base });
  expect(await statusOf()).toBe('pending');
  await project.ok(['queue', 'run'], { cwd: there });
  await eventually('it has ended', async () => (await statusOf()) === 'completed');
  expect(fs.readFileSync(join(there, 'where'), 'utf8')).toBe(`${there}\n`);
  expect(fs.readdirSync(directory)).toEqual([]);
});

test('eight starts at once after a move begin, and keep all sessions for the new place', async () => {
  const project = createShellProject('shop');
  const { base, directory } = project;
  const old = await run(project, directory);
  const there = join(base, 'store');
  fs.renameSync(directory, there);
  const starts = await Promise.all(
    Array.from({ length: 8 }, () => project.asProcess(['start', 'quick'], { cwd: there })),
  );
  expect(
    starts.map(({ code, stderr }) => [code, stderr.replace(/^zwarm: this project was at .*\n/, '')]),
  ).toEqual(
    starts.map(() => [
      0,
      expect.stringMatching(/^(zwarm: warning: the agents? of .* writes? in the same directory;.*\n)?$/),
    ]),
  );
  await eventually('their runners have ended', () => processesBelow(base).length === 0);
  expect(await ids(project, there)).toHaveLength(9);
  expect(await ids(project, there)).toContain(old);
  expect(stores(project)).toHaveLength(1);
});

test('two projects that have taken the places of each other keep their stores where they are, and say so once', async () => {
  const project = createShellProject('shop');
  const { base, directory, state } = project;
  const other = join(base, 'store');
  fs.mkdirSync(other);
  const [first, second] = [await run(project, directory), await run(project, other)];
  for (const [from, to] of [
    [directory, join(base, 'aside')],
    [other, directory],
    [join(base, 'aside'), other],
  ] as const)
    fs.renameSync(from, to);
  const before = stores(project);
  await run(project, directory);
  const record = join(storeDir(state, other), 'project.json');
  const said = fs.statSync(record).ino;
  expect(JSON.parse(fs.readFileSync(record, 'utf8'))).toMatchObject({
    ...{ path: directory, kept_at: storeDir(state, other).split('/').at(-1) },
  });
  await run(project, directory);
  expect(fs.statSync(record).ino).toBe(said);
  expect(stores(project)).toEqual(before);
  expect(await ids(project, directory)).toContain(second);
  expect(await ids(project, other)).toEqual([first]);
});

test('a worktree that had a store of its own while its repository was away gets that of the repository', async () => {
  const project = createShellProject('shop');
  const { base, directory } = project;
  git(directory, 'init', '-q');
  git(directory, 'commit', '-q', '--allow-empty', '-m', 'x');
  const linked = join(base, 'linked');
  git(directory, 'worktree', 'add', '-q', linked);
  const old = await run(project, directory);
  const there = join(base, 'store');
  fs.renameSync(directory, there);
  const alone = await run(project, linked);
  git(there, 'worktree', 'repair', linked);
  expect(await ids(project, linked)).toEqual([alone]);
  await run(project, there);
  expect(await ids(project, linked)).not.toContain(alone);
  expect(await project.$('relocate --yes', { cwd: linked })).not.toContain('[exit');
  for (const cwd of [linked, there])
    expect(await ids(project, cwd)).toEqual(expect.arrayContaining([alone, old]));
  expect(stores(project)).toHaveLength(1);
});
