import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeTree } from '../../../src/core/rules/tree-risk.ts';
import { findGit } from '../../../src/git/git.ts';
import { askTree, type RecordedTree } from '../../../src/git/risk.ts';
import { emptyDirectory } from '../../helpers/directory.ts';
import { git as plain } from '../../helpers/git.ts';

const env = { PATH: process.env['PATH'] ?? '' };
const LOCK = 'zwarm session a1';

/** A repository with one commit, and a tree of it on a branch of its own. */
function treeOf(): RecordedTree & { main: string } {
  const base = emptyDirectory();
  const main = join(base, 'main');
  mkdirSync(main);
  plain(main, 'init', '-q', '-b', 'main');
  write(main, { 'a.txt': 'a\n', '.gitignore': '.env\nnode_modules/\n*.db\n' });
  plain(main, 'add', '-A');
  plain(main, 'commit', '-qm', 'first');
  const workTree = join(base, 'tree');
  plain(main, 'worktree', 'add', '-q', '--lock', '--reason', LOCK, '-b', 'zwarm/a', workTree);
  const gitDir = join(main, '.git/worktrees/tree');
  return { main, workTree, gitDir, branch: 'zwarm/a', target: 'main', lock: LOCK, origin: null };
}

function write(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
}

type Tree = ReturnType<typeof treeOf>;

function commit(directory: string, files: Readonly<Record<string, string>>): void {
  write(directory, files);
  plain(directory, 'add', '-A');
  plain(directory, 'commit', '-qm', 'more');
}

/** A repository at a path of a tree, with a commit. */
function nested(directory: string): void {
  mkdirSync(directory, { recursive: true });
  plain(directory, 'init', '-q');
  commit(directory, { b: 'b' });
}

/** A second commit of a tree whose first one is a submodule `sub`, initialised there. */
function withSubmodule({ main, workTree }: Tree): string {
  const other = join(dirname(main), 'other');
  nested(other);
  plain(workTree, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'sub');
  plain(workTree, 'commit', '-qm', 'sub');
  plain(main, 'merge', '-q', 'zwarm/a');
  return join(workTree, 'sub');
}

/* Each row: what happened in the tree, what may be done with it, and why. */
const ROWS: readonly (readonly [string, (tree: Tree) => void, string, string])[] = [
  ['nothing', () => undefined, 'safe', ''],
  [
    'an uncommitted change',
    ({ workTree }) => write(workTree, { 'a.txt': 'b\n' }),
    'saved_first',
    '1 uncommitted file',
  ],
  [
    'two new files',
    ({ workTree }) => write(workTree, { b: '', 'c/d\n': '' }),
    'saved_first',
    '2 uncommitted files',
  ],
  ['a commit', ({ workTree }) => commit(workTree, { b: '' }), 'saved_first', '1 commit only on zwarm/a'],
  [
    'a commit that is merged',
    ({ main, workTree }) => {
      commit(workTree, { b: '' });
      plain(main, 'merge', '-q', 'zwarm/a');
    },
    'safe',
    '',
  ],
  [
    'commits that were squashed onto a target which went on',
    ({ main, workTree }) => {
      commit(workTree, { b: 'one\n' });
      commit(workTree, { b: 'two\n' });
      commit(main, { c: '' });
      plain(main, 'merge', '-q', '--squash', 'zwarm/a');
      plain(main, 'commit', '-qm', 'squashed');
    },
    'safe',
    '',
  ],
  [
    'a commit that was picked, and more of the same file later',
    ({ main, workTree }) => {
      commit(workTree, { b: 'one\n' });
      plain(main, 'cherry-pick', 'zwarm/a');
      commit(main, { c: '' });
    },
    'safe',
    '',
  ],
  [
    'a commit that another branch has',
    ({ workTree }) => {
      commit(workTree, { b: '' });
      plain(workTree, 'branch', 'kept');
    },
    'safe',
    '',
  ],
  [
    'a commit without a branch',
    ({ workTree }) => {
      plain(workTree, 'checkout', '-q', '--detach');
      commit(workTree, { b: '' });
    },
    'saved_first',
    '1 commit on no branch',
  ],
  [
    'a merge with a conflict',
    ({ main, workTree }) => {
      commit(workTree, { 'a.txt': 'x\n' });
      commit(main, { 'a.txt': 'y\n' });
      expect(() => plain(workTree, 'merge', '-q', 'main')).toThrow();
    },
    'kept',
    'a merge is not finished',
  ],
  [
    'a repository of its own',
    ({ workTree }) => nested(join(workTree, 'inner')),
    'kept',
    'inner/: a repository of its own, which was not asked',
  ],
  [
    'an ignored repository of its own',
    ({ workTree }) => nested(join(workTree, 'node_modules')),
    'kept',
    'node_modules/: a repository of its own, which was not asked',
  ],
  [
    'an ignored file',
    ({ workTree }) => write(workTree, { '.env': 'SECRET=1' }),
    'saved_first',
    'ignored: .env',
  ],
  ['a large ignored file', ({ workTree }) => write(workTree, { 'x.db': 'x'.repeat(1 << 20) }), 'safe', ''],
  ['what tools make again', ({ workTree }) => write(workTree, { 'node_modules/a/b.js': '' }), 'safe', ''],
  [
    'a reference of its own',
    ({ workTree }) => plain(workTree, 'update-ref', 'refs/worktree/mine', 'HEAD'),
    'kept',
    'references of its own: refs/worktree/mine',
  ],
  [
    'a lock of somebody else',
    ({ main, workTree }) => {
      plain(main, 'worktree', 'unlock', workTree);
      plain(main, 'worktree', 'lock', '--reason', 'on a stick', workTree);
    },
    'kept',
    'it is locked: on a stick',
  ],
  [
    'a tree that was moved',
    ({ main, workTree }) => {
      plain(main, 'worktree', 'unlock', workTree);
      plain(main, 'worktree', 'move', workTree, `${workTree}-2`);
    },
    'kept',
    'git knows the worktree at another place',
  ],
  ['a submodule as it came', (tree) => void withSubmodule(tree), 'safe', ''],
  [
    'a submodule with a change',
    (tree) => write(withSubmodule(tree), { b: 'c' }),
    'kept',
    'sub: a submodule with uncommitted files',
  ],
  [
    'a submodule with a commit',
    (tree) => commit(withSubmodule(tree), { b: 'c' }),
    'kept',
    'sub: a submodule with commits that exist only there',
  ],
  [
    'a submodule with a commit, whose files were deleted',
    (tree) => {
      const sub = withSubmodule(tree);
      commit(sub, { b: 'c' });
      rmSync(sub, { recursive: true });
    },
    'kept',
    'sub: a submodule whose files are gone, with work that exists only there',
  ],
  [
    'a tree whose directory was deleted, with a commit in its submodule',
    (tree) => {
      commit(withSubmodule(tree), { b: 'c' });
      rmSync(tree.workTree, { recursive: true });
    },
    'kept',
    'sub: a submodule whose files are gone, with work that exists only there',
  ],
  [
    'a tree whose directory was deleted, with a submodule as it came',
    (tree) => {
      withSubmodule(tree);
      rmSync(tree.workTree, { recursive: true });
    },
    'safe',
    '',
  ],
  [
    'a submodule whose .git file leads elsewhere',
    (tree) => {
      const sub = withSubmodule(tree);
      nested(join(tree.workTree, 'planted'));
      write(sub, { '.git': `gitdir: ${join(tree.workTree, 'planted/.git')}\n` });
    },
    'kept',
    'sub: a repository that could not be asked; planted/: a repository of its own, which was not asked',
  ],
  [
    'a damaged index',
    ({ gitDir }) => writeFileSync(join(gitDir, 'index'), 'not an index'),
    'kept',
    'git could not be asked for its files, its submodules, its ignored files',
  ],
  [
    'a tree whose directory was deleted, with a commit',
    ({ workTree }) => {
      commit(workTree, { b: '' });
      rmSync(workTree, { recursive: true });
    },
    'saved_first',
    '1 commit only on zwarm/a',
  ],
  [
    'a tree whose directory was deleted, with a file that was staged',
    ({ workTree }) => {
      write(workTree, { b: '' });
      plain(workTree, 'add', 'b');
      rmSync(workTree, { recursive: true });
    },
    'saved_first',
    '1 uncommitted file',
  ],
  [
    'a commit that has nothing in common with the target',
    ({ workTree }) => plain(workTree, 'commit', '-q', '--amend', '-m', 'again'),
    'saved_first',
    '1 commit only on zwarm/a',
  ],
  [
    'a record of which git knows nothing',
    ({ gitDir }) => rmSync(gitDir, { recursive: true }),
    'kept',
    'git knows no worktree by that record',
  ],
];

test.each(ROWS)('%s', async (_, happen, group, reasons) => {
  const tree = treeOf();
  happen(tree);
  const facts = await askTree(tree, findGit(env, []), env);
  const verdict = judgeTree({ ...facts, saved: false, occupiedBy: null, usedBy: null });
  expect([verdict.group, verdict.reasons.join('; ')]).toEqual([group, reasons]);
});

test('what was copied there counts only where it was changed', async () => {
  const tree = treeOf();
  write(tree.workTree, { '.env': 'A=1', 'a.db': 'xyz' });
  write(tree.main, { '.env': 'A=1', 'a.db': 'xya' });
  const { ignored } = await askTree({ ...tree, origin: tree.main }, findGit(env, []), env);
  expect(ignored).toEqual([
    { path: '.env', bytes: 3, counts: false },
    { path: 'a.db', bytes: 3, counts: true },
  ]);
});

test('no program of the tree runs', async () => {
  const tree = treeOf();
  const ran = join(tree.main, 'ran');
  const inner = join(tree.workTree, 'inner');
  nested(inner);
  const sub = withSubmodule(tree);
  for (const directory of [inner, sub]) {
    plain(directory, 'config', 'core.fsmonitor', `touch ${ran}; false`);
    plain(directory, 'config', 'filter.x.clean', `touch ${ran}; cat`);
    write(directory, { '.gitattributes': '* filter=x\n', b: 'changed' });
  }
  plain(inner, 'add', '-A');
  rmSync(ran, { force: true });
  await askTree(tree, findGit(env, []), env);
  expect(() => readFileSync(ran)).toThrow('ENOENT');
});
