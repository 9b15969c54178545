import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storeDir } from '../../src/store/project-store.ts';
import { git } from '../helpers/git.ts';
import { createShellProject, eventually, processesBelow } from '../helpers/project.ts';
import { createRepository } from '../helpers/repository.ts';
import { managerOf } from '../helpers/tools-in-process.ts';
import { snapshot } from '../helpers/tree.ts';

/** A project with a session, and an empty directory beside it. */
async function createPlaces() {
  const project = createShellProject();
  const [there, empty] = [join(project.base, 'there'), join(project.base, 'empty')];
  fs.mkdirSync(empty);
  const id = await project.ended();
  return { project, id, there, empty, move: () => fs.renameSync(project.directory, there) };
}

test('relocate says why there is nothing to do, and changes nothing', async () => {
  const { project, empty, id } = await createPlaces();
  const { directory } = project;
  const before = snapshot(project.state);
  for (const [cwd, line, refused] of [
    [directory, '', 'zwarm: the sessions of this project are here already\nhint: see: zwarm ls\n[exit 2]'],
    [
      directory,
      ` --to ${empty}`,
      `zwarm: the project of these sessions is still at ${directory}\nhint: move it first\n[exit 2]`,
    ],
    [
      empty,
      '',
      'zwarm: no sessions are known that this project had elsewhere\nhint: where you know the old place: zwarm --project OLD relocate --to .; else see: zwarm ls --everywhere\n[exit 3]',
    ],
    [
      empty,
      ` --to ${directory}`,
      `zwarm: no sessions are kept for ${empty}\nhint: see: zwarm ls --everywhere\n[exit 3]`,
    ],
  ] as const)
    expect(await project.$(`relocate --yes${line}`, { cwd })).toBe(`${refused}\n`);
  expect(await project.$('relocate --yes', { env: { ZWARM_SESSION_ID: id } })).toContain('[exit 5]');
  expect(snapshot(project.state)).toEqual(before);
});

test('relocate asks first, tells a person what belongs where, and a script the same as JSON', async () => {
  const { project, there, move } = await createPlaces();
  const { directory } = project;
  move();
  const asked = (answer: boolean, ...more: string[]) =>
    project.zwarm(['relocate', ...more], { cwd: there, tty: true, answer });
  const before = snapshot(project.state);
  const no = await asked(false);
  expect(no).toMatchObject({ code: 1, stdout: '' });
  expect(no.stderr).toContain(`Give 1 session of ${directory} to ${there}?`);
  expect(snapshot(project.state)).toEqual(before);
  const yes = await asked(true);
  expect(yes).toMatchObject({ code: 0, stdout: `${there}\n` });
  expect(yes.stderr).toContain(`1 session of ${directory} now belong to it`);
  fs.renameSync(there, directory);
  const json = JSON.parse(await project.ok(['relocate', '--yes', '--json']));
  expect(json).toEqual({ from: there, to: directory, sessions: 1, dropped: [], kept: [], unrepaired: [] });
});

test.each(['relocate --yes', 'start --wait quick'])(
  '%s connects the trees of a project that was moved',
  async (line) => {
    const project = createRepository();
    const { base, directory } = project;
    const there = join(base, 'there');
    git(directory, 'config', 'user.name', 'n');
    git(directory, 'config', 'user.email', 'n@localhost');
    const inTree = (name: string) =>
      project.asProcess(['start', '-W', '--name', name, '--wait', 'run echo two > a.txt']);
    for (const name of ['n', 'linked']) expect(await inTree(name)).toMatchObject({ code: 0 });
    const [tree, linked] = ['n', 'linked'].map((name) => join(base, 'project.worktrees', name)) as [
      string,
      string,
    ];
    await eventually('all has ended', () => processesBelow(base).length === 0);
    fs.renameSync(directory, there);
    // git would write in what that leads to.
    const secret = join(base, 'secret');
    fs.writeFileSync(secret, 'secret');
    fs.rmSync(join(linked, '.git'));
    fs.symlinkSync(secret, join(linked, '.git'));
    const told = `git does not know ${tree} any more; to say where it is: git worktree repair ${tree}`;
    const said = await project.zwarm(line.split(' '), { cwd: there });
    expect(said.stderr).toContain(told);
    expect(fs.readFileSync(secret, 'utf8')).toBe('secret');

    fs.rmSync(join(linked, '.git'));
    await eventually('all has ended', () => processesBelow(base).length === 0);
    fs.renameSync(there, directory);
    const again = await project.zwarm(line.split(' '));
    expect(again.stderr).not.toContain('git does not know');
    fs.renameSync(directory, there);
    await eventually('all has ended', () => processesBelow(base).length === 0);
    expect((await project.zwarm(line.split(' '), { cwd: there })).stderr).not.toContain('git does not know');
    expect(git(tree, 'status', '--porcelain')).toBe('M a.txt');
    expect(await project.$('land n', { cwd: there })).not.toContain('[exit');
  },
);

test('a store that another command has moved meanwhile stays where that has put it', async () => {
  const { project, id, there, move } = await createPlaces();
  move();
  const manager = managerOf({ directory: there, env: project.env }, null);
  const plan = await manager.planRelocation(null);
  const other = await project.ok(['start', '--wait', '--json', 'quick'], { cwd: there });
  await eventually('its runner has ended', () => processesBelow(project.base).length === 0);
  const before = snapshot(project.state);
  await expect(manager.relocate(plan)).rejects.toMatchObject({
    code: 'lost_race',
    message: `${project.directory} has given them to another place`,
  });
  expect(snapshot(project.state)).toEqual(before);
  expect((await project.ok(['ls', '-q'], { cwd: there })).split('\n')).toEqual([JSON.parse(other).id, id]);
});

/** Two places whose sessions belong to one project, as before zwarm knew that: each has one of the name `docs`, and one more. */
async function createTwoStores() {
  const { project, there, move } = await createPlaces();
  const run = async (cwd: string, ...args: string[]): Promise<string> =>
    JSON.parse(await project.ok(['start', '--wait', '--json', ...args], { cwd })).id;
  const { directory } = project;
  const old = [
    await run(directory, '--name', 'docs', 'x'),
    await run(directory, '--name', 'old', '--key', 'k', 'x'),
  ];
  await eventually('their runners have ended', () => processesBelow(project.base).length === 0);
  move();
  // Nothing but its path says that it was this one.
  fs.rmSync(join(there, '.zwarm'), { recursive: true });
  const record = join(storeDir(project.state, directory), 'project.json');
  fs.writeFileSync(record, fs.readFileSync(record, 'utf8').replace(/"inode":"\d+"/, '"inode":"1"'));
  const own = [await run(there, '--name', 'docs', 'x')];
  await eventually('its runner has ended', () => processesBelow(project.base).length === 0);
  const ids = async (cwd = there): Promise<string[]> =>
    (await project.ok(['ls', '-q', '--all'], { cwd }))
      .split('\n')
      .filter((id) => id !== '')
      .sort();
  return { project, there, old, own, ids, stores: () => fs.readdirSync(join(project.state, 'projects')) };
}

test('relocate names an old place that is gone, and brings its sessions to those that are there', async () => {
  const { project, there, old, own, ids, stores } = await createTwoStores();
  const { base, directory, env } = project;
  const $ = (line: string, options = {}) => project.$(line, { cwd: base, ...options });
  expect(await ids()).toEqual(own);
  expect(await $('--project none relocate --yes --to there')).toBe(
    `zwarm: no sessions are kept for ${base}/none\nhint: see: zwarm ls --everywhere\n[exit 3]\n`,
  );
  const asked = await project.zwarm(['--project', directory, 'relocate', '--to', there], {
    ...{ cwd: base, tty: true, answer: false },
  });
  expect(asked.stderr).toContain(
    `Give 3 sessions of ${directory} to ${there}, which has sessions of its own?`,
  );
  expect(await $(`--project ${directory} relocate --yes --to ${there}`)).toBe(
    `${there}\nzwarm: ${old[0]} has lost its name docs, which another session has there\n`,
  );
  expect(stores()).toEqual([expect.stringMatching(/^there-/)]);
  expect(await ids()).toHaveLength(4);
  expect(await ids()).toEqual(expect.arrayContaining([...old, ...own]));
  const rows: { id: string; name: string | null; working_dir: string; needs_attention: boolean }[] =
    JSON.parse(await $('ls --json --all', { cwd: there }));
  expect(Object.fromEntries(rows.map(({ id, name }) => [id, name]))).toMatchObject({
    [own[0] ?? '']: 'docs',
    [old[0] ?? '']: null,
    [old[1] ?? '']: 'old',
  });
  // What was seen there is no news here, and a key finds its session.
  expect(rows.map(({ working_dir, needs_attention }) => [working_dir, needs_attention])).toEqual(
    rows.map(() => [there, false]),
  );
  expect(await $('start --key k x', { cwd: there })).toContain(`${old[1]}\n`);
  expect(await $(`inject --wait ${old[0]} again`, { env })).not.toContain('[exit');
});

test('a session of which there is one with the same id already stays where it was, and is told of', async () => {
  const { project, there, old, own, ids, stores } = await createTwoStores();
  const { directory, state } = project;
  const [from, to] = [storeDir(state, directory), storeDir(state, there)];
  const same = old[1] ?? '';
  fs.cpSync(join(from, 'sessions', same), join(to, 'sessions', same), { recursive: true });
  const said = await project.zwarm(['--project', directory, 'relocate', '--yes', '--to', there, '--json'], {
    cwd: project.base,
  });
  expect(said.stderr).toContain(`${same} stays, as there is another session with this id`);
  expect(JSON.parse(said.stdout)).toEqual({
    ...{ from: directory, to: there, sessions: 2, kept: [same] },
    dropped: [{ id: old[0], name: 'docs' }],
    unrepaired: [],
  });
  expect(await ids()).toEqual(expect.arrayContaining([...old, ...own]));
  expect(stores()).toHaveLength(2);
  expect(fs.readdirSync(join(from, 'sessions'))).toEqual([same]);
});

test('two projects that have taken the places of each other are relocated one after the other', async () => {
  const { project, id, there } = await createPlaces();
  const { directory } = project;
  fs.mkdirSync(there);
  const other = JSON.parse(await project.ok(['start', '--wait', '--json', 'x'], { cwd: there })).id;
  await eventually('its runner has ended', () => processesBelow(project.base).length === 0);
  fs.renameSync(directory, `${there}-between`);
  fs.renameSync(there, directory);
  fs.renameSync(`${there}-between`, there);
  const own = async () => [
    await project.$('ls -q', { cwd: directory }),
    await project.$('ls -q', { cwd: there }),
  ];
  const swapped = [`${other}\n`, `${id}\n`];
  expect(await own()).toEqual(swapped);
  for (const cwd of [directory, there]) {
    expect(await project.$('relocate --yes', { cwd })).not.toContain('[exit');
    expect(await own()).toEqual(swapped);
  }
  const places = [directory, there].map((path) => storeDir(project.state, path));
  expect(places.every((root) => fs.existsSync(root))).toBe(true);
  expect(fs.readdirSync(join(project.state, 'projects'))).toHaveLength(2);
});

test('the old place may hold anything, and the new one is a directory, named from where the user is', async () => {
  const { project, id, there } = await createPlaces();
  const { base, directory } = project;
  git(there.slice(0, there.lastIndexOf('/')), 'init', '-q', 'shop');
  const shop = join(base, 'shop');
  const own = JSON.parse(await project.ok(['start', '--wait', '--json', 'x'], { cwd: shop })).id;
  await eventually('its runner has ended', () => processesBelow(base).length === 0);
  const given = async (old: string, to: string, cwd = base) =>
    project.$(`--project ${old} relocate --yes --to ${to}`, { cwd });
  for (const old of [shop, directory]) fs.rmSync(old, { recursive: true });
  fs.mkdirSync(shop);
  fs.mkdirSync(there);
  fs.writeFileSync(join(base, 'file'), '');
  expect(await given('shop', 'file')).toBe(
    `zwarm: ${base}/file is not a directory\nhint: name one that exists\n[exit 2]\n`,
  );
  expect(await given('shop', 'there')).toBe(`${there}\n`);
  expect(await given('../project', '.', there)).toBe(`${there}\n`);
  expect((await project.ok(['ls', '-q'], { cwd: there })).split('\n').sort()).toEqual([id, own].sort());
});
