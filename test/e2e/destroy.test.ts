import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { CleanItem } from '../../src/core/rules/clean-plan.ts';
import { GIT_ENVIRONMENT, git } from '../helpers/git.ts';
import type { Project } from '../helpers/project.ts';
import { commitFiles, createRepository } from '../helpers/repository.ts';

/* Whatever people and agents have done in trees, `clean -y` destroys nothing but what its plan has named. */

/** With SOAK_SCALE=30 three hundred histories; DESTROY_SEED begins with another one. */
const HISTORIES = Math.ceil(10 * Number(process.env['SOAK_SCALE'] || 1));
const FIRST = Number(process.env['DESTROY_SEED'] || 1);

type Random = (below: number) => number;

/** Numbers that look random, and are the same each time (xorshift). */
function randomFrom(seed: number): Random {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

/** A tree, and its main checkout; `text` is never the same twice. */
interface Scene {
  readonly tree: string;
  readonly branch: string;
  readonly main: string;
  readonly random: Random;
  text(): string;
}

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Runs git, which may refuse. */
function perhaps(directory: string, ...args: readonly string[]): void {
  const done = () => git(directory, '-c', 'protocol.file.allow=always', ...args);
  try {
    done();
  } catch (error) {
    if (!(error instanceof Error && 'status' in error)) throw error;
  }
}

const FILES = ['a.txt', 'dir/b.txt', 'new 1', 'neü'];
const anyFile = ({ random }: Scene): string => FILES[random(FILES.length)] ?? 'a.txt';

/** What can happen in a tree, or around it. */
const EVENTS: Readonly<Record<string, (scene: Scene) => void>> = {
  edit: (scene) => put(scene.tree, anyFile(scene), scene.text()),
  stage: (scene) => {
    put(scene.tree, anyFile(scene), scene.text());
    perhaps(scene.tree, 'add', '-A');
  },
  'stage and edit': (scene) => {
    const file = anyFile(scene);
    put(scene.tree, file, scene.text());
    perhaps(scene.tree, 'add', file);
    put(scene.tree, file, scene.text());
  },
  delete: (scene) => rmSync(join(scene.tree, anyFile(scene)), { force: true }),
  commit: (scene) => {
    put(scene.tree, anyFile(scene), scene.text());
    perhaps(scene.tree, 'add', '-A');
    perhaps(scene.tree, 'commit', '-qm', 'c');
  },
  amend: ({ tree }) => perhaps(tree, 'commit', '-q', '--amend', '-m', 'again'),
  detach: ({ tree }) => perhaps(tree, 'checkout', '-q', '--detach'),
  'another branch': ({ tree, random }) => perhaps(tree, 'checkout', '-q', '-b', `other-${random(1000)}`),
  stash: ({ tree }) => perhaps(tree, 'stash', '-u'),
  'go on in main': (scene) => commitFiles(scene.main, { 'main.txt': scene.text() }),
  'the same file in main': (scene) => commitFiles(scene.main, { [anyFile(scene)]: scene.text() }),
  rebase: ({ tree }) => perhaps(tree, 'rebase', '-q', 'main'),
  'merge main': ({ tree }) => perhaps(tree, 'merge', '-q', 'main'),
  merge: ({ main, branch }) => {
    perhaps(main, 'merge', '-q', branch);
    perhaps(main, 'merge', '--abort');
  },
  squash: ({ main, branch }) => {
    perhaps(main, 'merge', '-q', '--squash', branch);
    perhaps(main, 'commit', '-qm', 'squashed');
    perhaps(main, 'reset', '-q', '--hard');
  },
  pick: ({ main, branch }) => {
    perhaps(main, 'cherry-pick', branch);
    perhaps(main, 'cherry-pick', '--abort');
  },
  push: ({ tree }) => perhaps(tree, 'push', '-q', 'origin', 'HEAD'),
  secret: (scene) => put(scene.tree, '.env', scene.text()),
  'large ignored file': (scene) => put(scene.tree, 'data.db', scene.text().padEnd(1 << 20, '.')),
  cache: (scene) => put(scene.tree, 'node_modules/a/b.js', scene.text()),
  'a nested repository': (scene) => {
    put(scene.tree, 'nested/x', scene.text());
    git(join(scene.tree, 'nested'), 'init', '-q');
  },
  'work in the submodule': (scene) => put(scene.tree, 'sub/s.txt', scene.text()),
  'a commit in the submodule': (scene) => {
    if (!existsSync(join(scene.tree, 'sub/.git'))) return;
    put(scene.tree, 'sub/s.txt', scene.text());
    perhaps(join(scene.tree, 'sub'), 'commit', '-qam', 's');
  },
  'the directory goes': ({ tree }) => rmSync(tree, { recursive: true }),
};

/** All files at and below a path, git's own left out. */
function* filesIn(path: string): Generator<string> {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile()) yield path;
  if (!stat?.isDirectory()) return;
  for (const name of readdirSync(path)) if (name !== '.git') yield* filesIn(join(path, name));
}

const lines = (text: string): readonly string[] => text.split('\n').filter(Boolean);

function runGit(args: readonly string[], input = ''): string {
  const options = { cwd: '/', env: GIT_ENVIRONMENT, encoding: 'utf8', maxBuffer: 1 << 28, input } as const;
  return execFileSync('git', [...args], { ...options, stdio: ['pipe', 'pipe', 'ignore'] });
}

/** The blobs of these files. */
const blobsOf = (files: readonly string[]): readonly string[] =>
  files.length === 0 ? [] : lines(runGit(['hash-object', '--no-filters', '--stdin-paths'], files.join('\n')));

/** The blobs that the references, and the HEADs and indexes of the worktrees, of a repository hold. */
function blobsIn(gitDir: string): readonly string[] {
  const own = join(gitDir, 'worktrees');
  const heads = [gitDir, ...(existsSync(own) ? readdirSync(own).map((name) => join(own, name)) : [])];
  const found: string[] = [];
  const commits = heads.flatMap((head) => {
    for (const line of lines(runGit(['--git-dir', head, '--work-tree', '/', 'ls-files', '-s']))) {
      const [mode, blob = ''] = line.split(/\s/);
      if (mode !== '160000') found.push(blob);
    }
    return lines(runGit(['--git-dir', head, '--work-tree', '/', 'rev-parse', 'HEAD']));
  });
  const objects = runGit([
    '--git-dir',
    gitDir,
    '--work-tree',
    '/',
    'rev-list',
    '--objects',
    '--all',
    ...commits,
  ]);
  const names = lines(objects).map((line) => line.slice(0, 40));
  const kinds = runGit(
    ['--git-dir', gitDir, '--work-tree', '/', 'cat-file', '--batch-check=%(objectname) %(objecttype)'],
    names.join('\n'),
  );
  return [...found, ...lines(kinds).flatMap((line) => (line.endsWith(' blob') ? [line.slice(0, 40)] : []))];
}

/** The git directories of submodules, in the main repository and in its worktrees. */
function submodules(gitDir: string): readonly string[] {
  const own = join(gitDir, 'worktrees');
  const places = [gitDir, ...(existsSync(own) ? readdirSync(own).map((name) => join(own, name)) : [])];
  return places.map((place) => join(place, 'modules/sub')).filter((path) => existsSync(path));
}

/** Every blob that is anywhere: in files of the checkouts and of the trash, in the repository and its submodules. */
function everyBlob({ directory }: Project): ReadonlySet<string> {
  const gitDir = join(directory, '.git');
  const files = [...filesIn(directory), ...filesIn(`${directory}.worktrees`)];
  return new Set([...blobsOf(files), ...[gitDir, ...submodules(gitDir)].flatMap(blobsIn)]);
}

/** Lets sessions have trees, and things happen in them; what happened, in words. */
async function live(project: Project, random: Random): Promise<readonly string[]> {
  const { directory: main, base } = project;
  const happened: string[] = [];
  let texts = 0;
  const text = () => `text ${texts++} ${random(1e9)}\n`;
  git(base, 'init', '-q', '--bare', join(base, 'origin.git'));
  git(main, 'remote', 'add', 'origin', join(base, 'origin.git'));
  if (random(3) === 0) {
    const other = join(base, 'other');
    mkdirSync(other);
    git(other, 'init', '-q');
    commitFiles(other, { 's.txt': text() });
    perhaps(main, 'submodule', 'add', '-q', other, 'sub');
    git(main, 'commit', '-qm', 'sub');
    happened.push('with a submodule');
  }
  const names = ['one', 'two', 'three'].slice(0, 1 + random(3));
  for (const name of names) await project.ended(['-W', '--name', name, 'quick']);
  const events = Object.entries(EVENTS);
  for (let left = 2 + random(10); left > 0; left -= 1) {
    const name = names[random(names.length)] ?? 'one';
    const tree = join(`${main}.worktrees`, name);
    const [what, happen] = events[random(events.length)] ?? ['', () => undefined];
    if (!existsSync(tree)) continue;
    happen({ tree, branch: `zwarm/${name}`, main, random, text });
    happened.push(`${name}: ${what}`);
  }
  return happened;
}

/** The ignored files that a plan names as going with what is safe. */
const namedIn = (items: readonly CleanItem[]): readonly string[] =>
  items.flatMap(({ path, ignored }) => ignored.flatMap((one) => [...filesIn(join(path ?? '', one))]));

test.each(Array.from({ length: HISTORIES }, (_, i) => FIRST + i))('history %i', async (seed) => {
  const files = { 'a.txt': 'a\n', 'dir/b.txt': 'b\n', '.gitignore': '.env\n*.db\nnode_modules/\n' };
  const project = createRepository(files);
  const happened = await live(project, randomFrom(seed));
  const plan = JSON.parse(await project.ok(['clean', '--days', '0', '--dry-run', '--json']));
  const named = new Set(blobsOf(namedIn(plan.safe)));
  const before = everyBlob(project);
  const said = await project.zwarm(['clean', '--days', '0', '-y', '--json']);
  expect(said.stderr, happened.join('; ')).toBe('');
  const done = JSON.parse(said.stdout);
  const after = everyBlob(project);
  const lost = [...before].filter((blob) => !after.has(blob) && !named.has(blob));
  expect({ happened, lost, plan }).toEqual({ happened, lost: [], plan });
  // What was planned was done.
  // A branch stays where its tree had left it.
  const idsOf = (items: readonly CleanItem[]) =>
    items.flatMap(({ kind, id }) => (kind === 'branch' ? [] : [id])).sort();
  expect(idsOf(done.kept), happened.join('; ')).toEqual(idsOf(plan.kept));
  for (const id of done.trashed) await project.ok(['restore', id]);
});
