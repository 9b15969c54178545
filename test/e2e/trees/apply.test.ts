import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { byHand } from '../../helpers/files.ts';
import { git } from '../../helpers/git.ts';
import type { Project } from '../../helpers/project.ts';
import { commitFiles, createRepository } from '../../helpers/repository.ts';

const ID = 'treeaaaaaa';
const NINE = '1\n2\n3\n4\n5\n6\n7\n8\n9\n';

/** A session whose agent has run a shell script in a tree of its own. */
async function inTree(project: Project, script: string, args: readonly string[] = []): Promise<void> {
  const argv = ['start', '-W', ...args, '--name', 'fix', '--wait', `run ${script}`];
  const { code, stderr } = await project.zwarm(argv, { newId: ID });
  expect([code, stderr]).toEqual([0, expect.stringContaining('its worktree')]);
}

const read = ({ directory }: Project, name: string): string => readFileSync(join(directory, name), 'utf8');

/** What git shows of the caller's checkout. */
const all = ({ directory }: Project): string =>
  ['for-each-ref', 'status --porcelain', 'diff HEAD', 'ls-files -s', 'worktree list --porcelain']
    .map((line) => git(directory, ...line.split(' ')))
    .join('\n--\n');

test('what an agent changed in its tree becomes edits here, among one’s own; index and commits stay', async () => {
  const project = createRepository({ a: NINE, gone: 'x\n' });
  const { directory } = project;
  await inTree(project, 'sed -i s/1/one/ a; rm gone; mkdir -p d; echo new > d/new; echo b > "b ü"');
  byHand(project, 'echo later >> a; echo mine > mine; git add mine');
  const [index, head] = [git(directory, 'ls-files', '-s'), git(directory, 'rev-parse', 'HEAD')];
  const before = all(project);
  const rows = 'M\t1\t1\ta\t\nA\t1\t0\tb ü\t\nA\t1\t0\td/new\t\nD\t0\t1\tgone\t\n';
  expect(await project.$('apply fix --dry-run')).toBe(rows);
  expect(all(project)).toBe(before);
  expect(await project.$('apply fix')).toBe(rows);
  expect(read(project, 'a')).toBe(`${NINE.replace('1', 'one')}later\n`);
  expect([read(project, 'd/new'), existsSync(join(directory, 'gone'))]).toEqual(['new\n', false]);
  expect([git(directory, 'ls-files', '-s'), git(directory, 'rev-parse', 'HEAD')]).toEqual([index, head]);
  // Again: all of it is there. From below the root of the checkout, too.
  expect(await project.$('apply fix', { tty: true, cwd: join(directory, 'd') })).toBe(
    `nothing to apply: ${directory} has all of ${ID}\n`,
  );
  await project.ok(['inject', 'fix', '--wait', 'run sed -i s/5/five/ a']);
  expect(JSON.parse(await project.ok(['apply', 'fix', '--json']))).toMatchObject({
    id: ID,
    into: directory,
    files: 1,
    added: 1,
    removed: 1,
    left_out: [],
    changed_files: [{ kind: 'modified', path: 'a' }],
  });
  expect(git(directory, 'fsck', '--no-dangling')).toBe('');
});

test('a conflict, or a file in the way, is exit 4 with the names, and nothing has moved', async () => {
  const project = createRepository({ a: NINE, '.gitignore': 'data\n' });
  await inTree(
    project,
    'sed -i s/1/one/ a; echo new > new; echo data > data; git add -f data; echo other > z',
  );
  byHand(project, 'sed -i s/1/eins/ a; echo mine > new');
  const before = all(project);
  expect(await project.$('apply fix')).toMatchInlineSnapshot(`
    "zwarm: nothing was moved: a, new changed here in the same place
    hint: commit what is here, and have its agent merge them: zwarm land fix --ask
    [exit 4]
    "
  `);
  expect(all(project)).toBe(before);
  expect(existsSync(join(project.directory, 'z'))).toBe(false);
});

test('a file that git ignores here is never written over', async () => {
  const project = createRepository();
  await inTree(project, 'echo data > data; echo z > z');
  byHand(project, 'echo data > .gitignore; echo precious > data');
  expect(await project.$('apply fix')).toContain('nothing was moved: data is there, which git ignores');
  expect([read(project, 'data'), existsSync(join(project.directory, 'z'))]).toEqual(['precious\n', false]);
});

test('edits that came along into the tree are not in the way of what was done next to them', async () => {
  const project = createRepository({ a: NINE });
  byHand(project, 'sed -i s/4/four/ a; echo mine > mine');
  await inTree(project, 'sed -i s/5/five/ a; echo more >> mine', ['--with-changes']);
  await project.ok(['apply', 'fix']);
  expect(read(project, 'a')).toBe(NINE.replace('4', 'four').replace('5', 'five'));
  expect(read(project, 'mine')).toBe('mine\nmore\n');
});

test('after a landing, or where the tree has taken in commits from here, only what is new is applied', async () => {
  const project = createRepository({ a: NINE });
  const { directory } = project;
  for (const one of ['AUTHOR', 'COMMITTER'])
    Object.assign(project.env, { [`GIT_${one}_NAME`]: 'Me', [`GIT_${one}_EMAIL`]: 'me@example.org' });
  await inTree(project, 'sed -i s/4/four/ a');
  await project.ok(['land', 'fix', '-q']);
  commitFiles(directory, { a: read(project, 'a').replace('four', 'vier') });
  await project.ok(['inject', 'fix', '--wait', 'run sed -i s/7/seven/ a']);
  await project.ok(['apply', 'fix']);
  expect(read(project, 'a')).toBe(NINE.replace('4', 'vier').replace('7', 'seven'));
  git(directory, 'checkout', '-q', 'a');
  rmSync(join(project.store(), `sessions/${ID}/landed.json`));
  await project.ok(['inject', 'fix', '--wait', 'run git checkout -qf --detach main && sed -i s/5/five/ a']);
  await project.ok(['apply', 'fix']);
  expect(read(project, 'a')).toBe(NINE.replace('4', 'vier').replace('5', 'five'));
});

test('a file that is too large to be kept stays as it is, here and on the branch', async () => {
  const project = createRepository({ a: 'one\n', large: 'small\n' });
  for (const one of ['AUTHOR', 'COMMITTER'])
    Object.assign(project.env, { [`GIT_${one}_NAME`]: 'Me', [`GIT_${one}_EMAIL`]: 'me@example.org' });
  await inTree(project, 'truncate -s 20000000 large; echo b > b');
  expect(await project.$('apply fix')).toBe('A\t1\t0\tb\t\nzwarm: not kept, and left in its tree: large\n');
  expect(read(project, 'large')).toBe('small\n');
  rmSync(join(project.directory, 'b'));
  expect(JSON.parse(await project.ok(['land', 'fix', '--json']))).toMatchObject({
    files: 1,
    left_out: ['large'],
  });
  expect(git(project.directory, 'show', 'main:large')).toBe('small');
  truncateSync(join(dirname(project.directory), 'project.worktrees/fix/large'), 0);
});

test.each([
  ['with patterns', 'git sparse-checkout set in; mkdir out; echo mine > out/mine'],
  ['without any', 'git config core.sparseCheckout true; echo mine > out/mine'],
])('in a sparse checkout %s every other file stays', async (_, sparse) => {
  const project = createRepository({ 'in/a': NINE, 'out/b': 'b\n', 'out/c': 'c\n' });
  byHand(project, sparse);
  const { directory } = project;
  await inTree(project, 'sed -i s/1/one/ in/a; mkdir -p out; echo new > out/new; echo other > out/c');
  byHand(project, 'echo later >> in/a');
  const listed = () => git(directory, 'ls-files', '-o', '-c', '-t');
  const [index, files] = [listed(), existsSync(join(directory, 'out/b'))];
  await project.ok(['apply', 'fix']);
  expect(read(project, 'in/a')).toBe(`${NINE.replace('1', 'one')}later\n`);
  expect([read(project, 'out/mine'), read(project, 'out/new'), read(project, 'out/c')]).toEqual([
    'mine\n',
    'new\n',
    'other\n',
  ]);
  expect(existsSync(join(directory, 'out/b'))).toBe(files);
  expect(index.split('\n').filter((line) => !listed().includes(line.slice(2)))).toEqual([]);
  const tree = join(dirname(directory), 'project.worktrees/fix');
  await project.ok(['undo', 'fix']);
  expect(readFileSync(join(tree, 'in/a'), 'utf8')).toBe(NINE);
  expect(existsSync(join(tree, 'out/b'))).toBe(files);
});

test('it is refused outside of the repository, in the tree itself, without a tree and while the agent runs', async () => {
  const project = createRepository();
  await inTree(project, 'echo b > b');
  const plain = (await project.ok(['start', '-q', '--wait', 'quick'])).trim();
  const tree = join(dirname(project.directory), 'project.worktrees/fix');
  const other = createRepository();
  appendFileSync(join(other.directory, 'a.txt'), 'x\n');
  for (const [cwd, ref, code, why] of [
    [project.base, ID, 2, /is not in a checkout of the repository of/],
    [other.directory, ID, 2, /is not in a checkout of the repository of/],
    [tree, 'fix', 2, /is the tree of \w+ itself/],
    [project.directory, plain, 4, /no tree of its own/],
  ] as const) {
    const ended = await project.zwarm(['apply', ref], { cwd });
    expect([cwd, ended.code]).toEqual([cwd, code]);
    expect(ended.stderr).toMatch(why);
  }
  writeFileSync(join(tree, 'c'), 'c\n');
  await project.ok(['inject', 'fix', 'hang']);
  expect(await project.zwarm(['apply', 'fix'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('still running'),
  });
  await project.ok(['kill', 'fix']);
});
