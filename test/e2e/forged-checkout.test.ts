import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { git } from '../helpers/git.ts';
import type { Project } from '../helpers/project.ts';
import { createShellProject } from '../helpers/shell-project.ts';

/*
 * An agent may write a `.git` file that leads to the repository of another project. A command in that directory must
 * not take the sessions of that project for its own.
 */

let project: Project;
let worktree: string;
let forged: string;
let id: string;

/** Writes a file of the forged directory. */
function forge(path: string, content: string): void {
  const file = join(forged, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `${content}\n`);
}

beforeEach(async () => {
  const shell = createShellProject();
  project = shell;
  git(project.directory, 'init');
  git(project.directory, 'commit', '--allow-empty', '-m', 'x');
  worktree = join(project.base, 'worktree');
  git(project.directory, 'worktree', 'add', worktree);
  forged = join(project.base, 'elsewhere', 'forged');
  mkdirSync(forged, { recursive: true });
  id = await shell.begin('quick');
  await project.settled(id);
});

test.each<[string, () => void]>([
  [
    'a git directory of its own',
    () => {
      forge('.git', 'gitdir: own');
      forge('own/HEAD', 'ref: refs/heads/main');
      forge('own/commondir', join(project.directory, '.git'));
      forge('own/gitdir', join(forged, '.git'));
    },
  ],
  [
    'a git directory of its own that lies in a worktrees directory',
    () => {
      forge('.git', 'gitdir: own/worktrees/own');
      forge('own/worktrees/own/HEAD', 'ref: refs/heads/main');
      forge('own/worktrees/own/commondir', join(project.directory, '.git'));
      forge('own/worktrees/own/gitdir', join(forged, '.git'));
    },
  ],
  [
    'a real one that is the worktree of another directory',
    () => forge('.git', `gitdir: ${join(project.directory, '.git/worktrees/worktree')}`),
  ],
  [
    'a real one by a link, from where its relative way back leads here',
    () => {
      // As git 2.48 writes it with worktree.useRelativePaths.
      const back = join(project.directory, '.git/worktrees/worktree/gitdir');
      writeFileSync(back, '../../../../worktree/.git\n');
      forged = join(project.base, 'elsewhere', 'worktree');
      symlinkSync(project.directory, join(project.base, 'elsewhere', 'project'));
      forge('.git', 'gitdir: ../project/.git/worktrees/worktree');
    },
  ],
])('clean in a directory with a .git file that names %s reaches no other project', async (_, plant) => {
  plant();
  const cleaned = await project.zwarm(['clean', '--days', '0'], { cwd: forged });
  expect(cleaned.stdout).toBe('');
  expect(await project.list()).toMatchObject([{ id }]);
});

test('a linked worktree belongs to its project, by absolute and by relative paths', async () => {
  expect(await project.ok(['ls', '-q'], { cwd: worktree })).toBe(id);
  const back = join(project.directory, '.git/worktrees/worktree/gitdir');
  writeFileSync(back, '../../../../worktree/.git\n');
  writeFileSync(join(worktree, '.git'), 'gitdir: ../project/.git/worktrees/worktree\n');
  expect(await project.ok(['ls', '-q'], { cwd: worktree })).toBe(id);
});
