import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tellsBirths } from '../helpers/directory.ts';
import { fc } from '../helpers/fuzz.ts';
import { git } from '../helpers/git.ts';
import { createShellProject, eventually, type Project, processesBelow } from '../helpers/project.ts';

/** How many sequences are tried. 500 were. */
const WALKS = Number(process.env['FUZZ_RUNS'] || 8);

// A bare repository has no window: where no birth is told, either, it is not known again.
const NAMES = [
  'shop',
  'store',
  '.dots',
  'old/shop',
  ...(tellsBirths() ? ['old/.bare', '.bare'] : []),
] as const;
type Name = (typeof NAMES)[number];

/** A directory, whatever its name is now, and the sessions that belong to it. */
interface Directory {
  readonly ids: Set<string>;
  /** Where linked worktrees of it are that know where it is. */
  readonly worktrees: Set<string>;
}

/** What a walk knows: which directory has which name, and all sessions that are not removed. */
interface World {
  readonly project: Project;
  readonly at: Map<Name, Directory>;
  readonly ids: Set<string>;
}

const pathOf = ({ project }: World, name: Name): string => join(project.base, 'walk', name);
const isBare = (name: Name): boolean => name.endsWith('.bare');

async function zwarm(
  { project }: World,
  cwd: string,
  line: string,
): Promise<{ code: number; stdout: string }> {
  return project.zwarm(line.split(' '), { cwd });
}

/** What stands where in the stores, by their directories. */
function kept({ project }: World): ReadonlyMap<string, readonly string[]> {
  const projects = join(project.state, 'projects');
  if (!fs.existsSync(projects)) return new Map();
  return new Map(
    fs
      .readdirSync(projects)
      .map((name) => [join(projects, name), fs.readdirSync(join(projects, name, 'sessions'))]),
  );
}

const listed = async (world: World, cwd: string): Promise<string[]> =>
  (await zwarm(world, cwd, 'ls -q --all')).stdout.split('\n').filter((id) => id !== '');

async function rest({ project }: World): Promise<void> {
  await eventually('every runner has ended', () => processesBelow(project.base).length === 0);
}

type Step = (world: World, name: Name, other: Name) => Promise<void> | void;

const STEPS: Readonly<Record<string, Step>> = {
  make(world, name) {
    if (world.at.has(name)) return;
    fs.mkdirSync(pathOf(world, name), { recursive: true });
    world.at.set(name, { ids: new Set(), worktrees: new Set() });
    if (isBare(name)) git(pathOf(world, name), 'init', '-q', '--bare');
  },
  init(world, name) {
    const directory = world.at.get(name);
    if (directory === undefined || isBare(name) || fs.existsSync(join(pathOf(world, name), '.git'))) return;
    git(pathOf(world, name), 'init', '-q');
  },
  async start(world, name) {
    const directory = world.at.get(name);
    if (directory === undefined) return;
    const { code, stdout } = await zwarm(world, pathOf(world, name), 'start --wait --json quick');
    // Refused where another directory was known at that path, whose sessions are somewhere.
    expect([0, 4]).toContain(code);
    if (code !== 0) return;
    const { id } = JSON.parse(stdout);
    directory.ids.add(id);
    world.ids.add(id);
    await rest(world);
  },
  move(world, name, other) {
    const directory = world.at.get(name);
    if (directory === undefined || world.at.has(other) || isBare(name) !== isBare(other)) return;
    fs.mkdirSync(join(pathOf(world, other), '..'), { recursive: true });
    fs.renameSync(pathOf(world, name), pathOf(world, other));
    world.at.delete(name);
    world.at.set(other, directory);
    directory.worktrees.clear();
  },
  swap(world, name, other) {
    const [one, two] = [world.at.get(name), world.at.get(other)];
    if (one === undefined || two === undefined || name === other || isBare(name) !== isBare(other)) return;
    const between = join(world.project.base, 'between');
    fs.renameSync(pathOf(world, name), between);
    fs.renameSync(pathOf(world, other), pathOf(world, name));
    fs.renameSync(between, pathOf(world, other));
    world.at.set(name, two).set(other, one);
    for (const { worktrees } of [one, two]) worktrees.clear();
  },
  copy(world, name, other) {
    if (!world.at.has(name) || world.at.has(other) || isBare(name) !== isBare(other)) return;
    const options = { recursive: true, verbatimSymlinks: true };
    fs.cpSync(pathOf(world, name), pathOf(world, other), options);
    world.at.set(other, { ids: new Set(), worktrees: new Set() });
  },
  worktree(world, name) {
    const [directory, path] = [world.at.get(name), pathOf(world, name)];
    if (directory === undefined || (!isBare(name) && !fs.existsSync(join(path, '.git')))) return;
    const tree = join(
      world.project.base,
      'trees',
      `${fs.readdirSync(join(world.project.base, 'trees')).length}`,
    );
    const commit = git(path, 'commit-tree', '-m', 'x', git(path, 'mktree'));
    git(path, 'worktree', 'add', '-q', '--detach', tree, commit);
    directory.worktrees.add(tree);
  },
  delete(world, name) {
    fs.rmSync(pathOf(world, name), { recursive: true, force: true });
    world.at.delete(name);
  },
  async relocate(world, name) {
    const directory = world.at.get(name);
    if (directory === undefined) return;
    const { code } = await zwarm(world, pathOf(world, name), 'relocate --yes');
    expect([0, 2, 3, 4]).toContain(code);
    if (code === 0) await takeOver(world, name, directory);
  },
  async give(world, name, other) {
    const directory = world.at.get(other);
    if (directory === undefined || name === other) return;
    const to = pathOf(world, other);
    const { code } = await zwarm(
      world,
      world.project.base,
      `--project ${pathOf(world, name)} relocate --yes --to ${to}`,
    );
    expect([0, 2, 3, 4]).toContain(code);
    if (code === 0) await takeOver(world, other, directory);
  },
  async rm(world, name) {
    const [id] = world.at.get(name)?.ids ?? world.ids;
    if (id === undefined) return;
    expect((await zwarm(world, world.project.base, `rm ${id}`)).code).toBe(0);
    forget(world, id);
  },
  async cleanGone(world, name) {
    const directory = world.at.get(name);
    const before = kept(world);
    const cwd = directory === undefined ? world.project.base : pathOf(world, name);
    expect((await zwarm(world, cwd, 'clean --gone --yes')).code).toBe(0);
    const after = kept(world);
    const removed = [...before].flatMap(([root, ids]) => (after.has(root) ? [] : ids));
    // Never what belongs to the place where it was called.
    expect(removed.filter((id) => directory?.ids.has(id))).toEqual([]);
    for (const id of removed) forget(world, id);
  },
};

/** The user has said that what is listed there belongs to it. */
async function takeOver(world: World, name: Name, directory: Directory): Promise<void> {
  const ids = await listed(world, pathOf(world, name));
  for (const one of world.at.values()) for (const id of ids) if (one !== directory) one.ids.delete(id);
  for (const id of ids) directory.ids.add(id);
}

function forget(world: World, id: string): void {
  world.ids.delete(id);
  for (const { ids } of world.at.values()) ids.delete(id);
}

async function check(world: World): Promise<void> {
  const { project, at, ids } = world;
  for (const id of ids) expect((await zwarm(world, project.base, `show ${id} --json`)).code, id).toBe(0);
  for (const [name, directory] of at)
    for (const cwd of [pathOf(world, name), ...directory.worktrees])
      expect(await listed(world, cwd), cwd).toEqual(expect.arrayContaining([...directory.ids]));
}

const step = fc.tuple(
  fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...Object.keys(STEPS)) },
    { weight: 3, arbitrary: fc.constantFrom('make', 'start', 'move', 'swap', 'relocate') },
  ),
  fc.constantFrom(...NAMES),
  fc.constantFrom(...NAMES),
);

test('whatever is moved, copied, deleted and relocated, each session that was started and not removed is reached', {
  timeout: 60_000 + WALKS * 30_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24, size: 'max' }), async (steps) => {
      const project = createShellProject();
      const world: World = { project, at: new Map(), ids: new Set() };
      fs.mkdirSync(join(project.base, 'trees'));
      for (const [verb, name, other] of [
        ['make', 'shop', 'shop'],
        ['start', 'shop', 'shop'],
        ...steps,
      ] as const) {
        await STEPS[verb]?.(world, name as Name, other as Name);
        await check(world);
      }
    }),
    { numRuns: WALKS },
  );
});
