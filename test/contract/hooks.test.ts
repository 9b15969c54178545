import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCodexProject } from '../helpers/codex.ts';
import { git } from '../helpers/git.ts';
import { runProgram, ZWARM } from '../helpers/project.ts';
import { commitFiles } from '../helpers/repository.ts';

/** What the agent does: its commits are its own, and call no hook. */
const COMMIT =
  'echo "$$" > of-the-agent; git add -A; git -c core.hooksPath=/dev/null commit -qm "of the agent"';

test.concurrent('agents that hooks of a linked worktree start commit in their own directories, and block nobody', async (t) => {
  const script = { steps: [{ message: 'now', shell: COMMIT }, { message: 'committed' }] };
  const project = await createCodexProject(t.onTestFinished, { script });
  const { directory, base, env } = project;
  // Who the author of the user's commit is, that of an agent need not be.
  writeFileSync(join(base, 'home/.gitconfig'), '[user]\nname = Me\nemail = me@example.org\n');
  commitFiles(directory, { 'a.txt': 'one\n' });
  const [tree, other] = [join(base, 'tree'), join(base, 'other')];
  git(directory, 'worktree', 'add', '-q', '-b', 'work', tree);
  mkdirSync(other);
  git(other, 'init', '-q');
  commitFiles(other, { 'b.txt': 'one\n' });
  const start = `'${process.execPath}' '${ZWARM}' start -s danger-full-access`;
  const hook = (name: string, line: string): void =>
    writeFileSync(join(directory, '.git/hooks', name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  hook(
    'pre-commit',
    `[ -e '${base}/first' ] || { : > '${base}/first'; ${start} --name before -C '${other}' go; }`,
  );
  hook('post-commit', `[ -e '${base}/second' ] || { : > '${base}/second'; ${start} --name after go; }`);
  const commit = async (message: string) => {
    writeFileSync(join(tree, 'a.txt'), message);
    return runProgram('git', ['commit', '-qam', message], { cwd: tree, env });
  };
  const log = (at: string): string[] => git(at, 'log', '--format=%s', '--name-only').split(/\n+/);

  const first = await commit('mine');
  expect([first.code, first.stderr]).toEqual([0, expect.not.stringContaining('GIT_DIR')]);
  for (const name of ['before', 'after'])
    expect(await project.ok(['wait', name], { cwd: tree })).toContain('completed');
  expect(await commit('mine again')).toMatchObject({ code: 0, stderr: '' });

  expect(log(other)).toEqual(['of the agent', 'of-the-agent', 'c', 'b.txt']);
  expect(log(tree)).toEqual([
    'mine again',
    'a.txt',
    'of the agent',
    'of-the-agent',
    'mine',
    'a.txt',
    'c',
    'a.txt',
  ]);
  expect(log(directory)).toEqual(['c', 'a.txt']);
  for (const at of [directory, tree, other]) expect(git(at, 'status', '--porcelain', '-uno')).toBe('');
});
