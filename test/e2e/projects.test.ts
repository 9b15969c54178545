import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storeDir } from '../../src/store/project-store.ts';
import { git } from '../helpers/git.ts';
import { createProject, eventually, type Project, processesBelow } from '../helpers/project.ts';
import { managerOf } from '../helpers/tools-in-process.ts';

/** A repository, and beside it an empty directory and a path where something could be moved. */
function createRepository(): { project: Project; other: string; there: string } {
  const project = createProject('shop');
  git(project.directory, 'init', '-q');
  const [other, there] = [join(project.base, 'other'), join(project.base, 'store')];
  fs.mkdirSync(other);
  return { project, other, there };
}

const ids = async (project: Project, cwd: string, ...args: string[]): Promise<string[]> =>
  (await project.ok(['ls', '-q', ...args], { cwd })).split('\n').filter((line) => line !== '');

/** All rules: which-project.test.ts. */
test.each([true, false])('sessions are found from a linked worktree, not from a copy: %s', async (linked) => {
  const { project, other: cwd } = createRepository();
  const id = await project.ended();
  if (linked) {
    git(project.directory, 'commit', '-q', '--allow-empty', '-m', 'x');
    git(project.directory, 'worktree', 'add', '-q', cwd);
  } else fs.cpSync(project.directory, cwd, { recursive: true, verbatimSymlinks: true });
  const found = linked ? [id] : [];
  expect(await ids(project, cwd)).toEqual(found);
  // By its whole id from anywhere; and there is one store for all who find it.
  expect(await project.$(`inject ${id} --wait again`, { cwd })).toMatch(/^The project prints/);
  expect(await project.$(`show ${id.slice(0, 6)}`, { cwd })).toContain('> again');
  expect(await project.$(`kill ${id}`, { cwd })).toMatch(/is not running: it ended \d+\w ago: completed/);
  expect(fs.readdirSync(join(project.state, 'projects'))).toHaveLength(1);
  const own = await project.start(['x'], { cwd });
  expect(await ids(project, project.base, '--project', cwd)).toEqual([own, ...found]);
});

test('ZWARM_DIR and --state-dir name another state directory', async () => {
  const { project, other } = createRepository();
  const elsewhere = join(project.base, 'volume');
  const id = await project.start(['x'], { env: { ZWARM_DIR: elsewhere } });
  expect(fs.readdirSync(elsewhere)).toEqual(['projects']);
  expect(await ids(project, project.directory)).toEqual([]);
  expect(await ids(project, project.directory, '--state-dir', elsewhere)).toEqual([id]);
  // Other projects are seen by their ids alone, by names and @last they are not, and by agents not at all.
  const mine = await project.start(['--name', 'mine', 'x']);
  const show = (ref: string, env = {}) => project.$(`show ${ref}`, { cwd: other, env });
  expect(await show(mine.slice(0, 6))).not.toContain('[exit');
  for (const ref of [mine.slice(0, 5), 'mine', '@last']) expect(await show(ref)).toContain('[exit 3]');
  expect(await show(mine, { ZWARM_SESSION_ID: mine })).toContain('[exit 3]');
});

test('ls --everywhere lists all projects; clean --gone deletes the sessions of those that are gone', async () => {
  const { project, other, there } = createRepository();
  const mine = await project.start(['x']);
  await project.ok(['start', '--wait', 'x'], { cwd: other });
  const rows = await project.list(['--everywhere']);
  expect(rows.map((row) => row.project)).toEqual([other, project.directory]);
  expect(rows.at(-1)?.id).toBe(mine);
  expect(await project.$('clean --gone --yes')).not.toContain('[exit');
  fs.renameSync(other, there);
  const listed = await project.$('ls --everywhere');
  expect(listed).toMatch(
    /zwarm: .*\/other is gone: 1 session, .* kB, last used \d+s ago; if it was moved, there: zwarm relocate; to delete: zwarm clean --gone\n$/,
  );
  expect(listed.match(/[^\t\n]+$/gm)?.slice(0, 2)).toEqual([other, project.directory]);
  expect(await project.zwarm(['ls', '--everywhere', '--json'])).toMatchObject({ code: 0, stderr: '' });
  expect(await project.$('clean --gone --dry-run')).toMatch(new RegExp(`^${other}\n`));
  expect(await project.$('clean --gone')).toContain('[exit 2]');
  expect(fs.readdirSync(join(project.state, 'projects'))).toHaveLength(2);
  expect(await project.$('clean --gone --yes')).toMatch(new RegExp(`^${other}\n`));
  expect(fs.readdirSync(join(project.state, 'projects'))).toHaveLength(1);
  expect(await ids(project, project.directory, '--everywhere')).toEqual([mine]);
});

test('a damaged record of a project is named, with what to do, and hides no other project', async () => {
  const { project, other } = createRepository();
  const [mine, theirs] = [await project.start(['x']), await project.start(['x'], { cwd: other })];
  const record = join(project.store(), 'project.json');
  const text = fs.readFileSync(record, 'utf8');
  fs.writeFileSync(record, '{');
  const said = `zwarm: ${record} cannot be read: not valid JSON\n`;
  for (const line of ['ls', `show ${mine}`, 'start hello', 'relocate --yes']) {
    const refused = await project.$(line);
    expect(refused, line).toContain(`${said}hint: put a copy of that file back; `);
    expect(refused).toContain('[exit 4]');
  }
  expect(await project.zwarm(['ls', '--everywhere'])).toMatchObject({
    stdout: expect.stringContaining(theirs),
    stderr: said,
  });
  const doctor = await project.zwarm(['doctor', '--json'], { cwd: other });
  expect(JSON.parse(doctor.stdout).checks).toContainEqual(
    expect.objectContaining({ name: 'projects', status: 'failed', message: said.slice(7, -1) }),
  );
  fs.writeFileSync(record, text);
  expect(await ids(project, project.directory)).toEqual([mine]);
});

test('relocate gives a moved project its sessions, and finishes what was interrupted', async () => {
  const { project, there } = createRepository();
  const id = await project.ended();
  const old = fs.readFileSync(join(project.store(), 'project.json'), 'utf8');
  fs.renameSync(project.directory, there);
  const $ = (line: string) => project.$(line, { cwd: there });
  expect(await $('relocate')).toContain('[exit 2]');
  expect(await project.ok(['relocate', '--yes'], { cwd: there })).toBe(there);
  const shown = JSON.parse(await project.ok(['show', id, '--json'], { cwd: there }));
  expect(shown).toMatchObject({ working_dir: there, project: there });
  expect(await $(`inject ${id} --wait again`)).not.toContain('[exit');
  expect(fs.existsSync(join(there, '.zwarm', 'sessions', id))).toBe(true);
  expect(await $('relocate --yes')).toContain('[exit 2]');

  const [store = ''] = fs.readdirSync(join(project.state, 'projects'));
  const record = join(project.state, 'projects', store, 'project.json');
  fs.writeFileSync(record, old);
  // Until then it is found where it was renamed to.
  expect(await $('ls -q')).toBe(`${id}\n`);
  expect(JSON.parse(await project.ok(['show', id, '--json'], { cwd: there })).working_dir).toBe(there);
  expect(await $('relocate --yes')).not.toContain('[exit');
  expect(JSON.parse(fs.readFileSync(record, 'utf8')).path).toBe(join(there, '.git'));
});

test('relocate refuses while a session runs, and agents', async () => {
  const { project, there } = createRepository();
  const running = await project.start(['x'], { env: { FAKE_AGENT_HANG: '1' } });
  await eventually('the agent runs', () => project.runs().length === 1);
  fs.renameSync(project.directory, there);
  const $ = (line: string) => project.$(line, { cwd: there });
  expect(await $('relocate --yes')).toContain('[exit 4]');
  await $(`kill ${running}`);
  await eventually('its runner has ended', () => processesBelow(project.base).length === 0);
  const byAgent = await project.zwarm(['relocate', '--yes'], {
    cwd: there,
    env: { ZWARM_SESSION_ID: running },
  });
  expect(byAgent.code).toBe(5);
  await $('relocate --yes');
  expect(await ids(project, there)).toEqual([running]);
});

test('a copy whose original is gone gets its sessions, and keeps them', async () => {
  const { project, there } = createRepository();
  const id = await project.ended();
  fs.cpSync(project.directory, there, { recursive: true, verbatimSymlinks: true });
  fs.rmSync(project.directory, { recursive: true });
  const manager = managerOf({ ...project, directory: there }, null);
  const plan = await manager.planRelocation(null);
  // What another command has begun there meanwhile is not lost.
  const mine = await project.start(['x'], { cwd: there });
  await expect(manager.relocate(plan)).rejects.toMatchObject({
    code: 'lost_race',
    message: `${there} was given sessions by another command`,
  });
  expect(await ids(project, there)).toEqual([mine]);
  await eventually('it has ended', () => processesBelow(project.base).length === 0);
  fs.rmSync(storeDir(project.state, join(there, '.git')), { recursive: true });
  await manager.relocate(plan);
  // That directory is the one of its record now.
  expect(await project.zwarm(['ls', '-q'], { cwd: there })).toEqual({
    code: 0,
    stdout: `${id}\n`,
    stderr: '',
  });
  expect(await project.$('ls', { cwd: there })).not.toContain('another directory');
});

test('a clone at the path of a moved project gets none of its sessions', async () => {
  const { project, there } = createRepository();
  const id = await project.ended();
  fs.renameSync(project.directory, there);
  git(project.base, 'clone', '-q', there, project.directory);
  const other = `zwarm keeps the sessions of another directory that was at ${project.directory}`;
  expect(await project.$('ls')).toContain(`${other}; where`);
  const refused = await project.$('start hello');
  expect(refused).toContain(`${other}\nhint: where it was moved to: zwarm relocate --to DIR; `);
  expect(refused).toContain('[exit 4]');
  // From the project's own directory, wherever zwarm itself runs.
  expect(await project.$('relocate --yes --to ../store')).not.toContain('[exit');
  expect(await ids(project, there)).toEqual([id]);
  await project.start(['x']);
  expect(await ids(project, there)).toEqual([id]);
});

test('a name moves, and is given up', async () => {
  const { project } = createRepository();
  const [first, second] = [await project.start(['--name', 'fix', 'x']), await project.start(['x'])];
  const named: (readonly [boolean, string | null])[] = [];
  for (const line of [`name ${second} fix`, 'name fix other', 'name other -']) {
    expect(await project.$(line)).toMatch(new RegExp(`^${second}\n`));
    named.push(...(await project.list()).map(({ id, name }) => [id === first, name] as const));
  }
  expect(named.filter(([, name]) => name !== null)).toEqual(['fix', 'other'].map((name) => [false, name]));
  for (const name of ['-', "'No Name'"])
    expect(await project.$(`name ${second} ${name}`)).toContain('[exit 2]');
});
