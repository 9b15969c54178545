import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onScreen } from '../helpers/context.ts';
import { createProject, type Project } from '../helpers/project.ts';

/** A project around which no agent finds a repository. */
function plainProject(): Project {
  const project = createProject();
  rmSync(join(project.base, '.git'));
  return project;
}

test('start with Codex outside of git is refused before there is a session, with the two ways on', async () => {
  const project = plainProject();
  expect(await onScreen(project, ['start', 'x'])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      `zwarm: codex works in a git repository alone, and ${project.directory} is in none\n` +
      'hint: run `git init` there; or go without: zwarm start --agent-arg=--skip-git-repo-check "…"\n',
  });
  expect(existsSync(project.store())).toBe(false);
  const ways = ['start', '--wait', '--agent-arg=--skip-git-repo-check', 'x'];
  expect(await onScreen(project, ways)).toMatchObject({ code: 0 });
  expect(await onScreen(project, ['inject', '@last', '--wait', 'y'])).toMatchObject({ code: 0 });
  expect(await onScreen(project, ['start', '-a', 'demo', '--wait', '[[seconds=0]]'])).toMatchObject({
    code: 0,
  });
});

test('a session whose repository is gone is not continued, and a fork of it leaves nothing behind', async () => {
  const project = createProject();
  const { id } = JSON.parse(await project.ok(['start', '--wait', '--json', 'x']));
  rmSync(join(project.base, '.git'));
  for (const argv of [
    ['inject', id, 'y'],
    ['fork', id, 'y'],
  ]) {
    const refused = await onScreen(project, argv);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(/is in none\nhint: run `git init` there\n$/);
  }
  expect(await project.list()).toHaveLength(1);
  expect((await project.show(id)).turns).toHaveLength(1);
});

// What Codex 0.169 itself says to each of them is in test/contract/failures.test.ts.
test.each<[string, number, (directory: string) => void]>([
  ['a directory with a HEAD', 0, (at) => [mkdirSync(at), writeFileSync(join(at, 'HEAD'), '')]],
  ['any file', 0, (at) => writeFileSync(at, 'nonsense')],
  ['an empty directory', 2, (at) => mkdirSync(at)],
  ['a link to nothing', 2, (at) => symlinkSync('/nonexistent', at)],
])('where .git is %s: exit %i', async (_, code, make) => {
  const project = plainProject();
  const below = join(project.directory, 'a/b');
  mkdirSync(below, { recursive: true });
  make(join(project.directory, '.git'));
  expect(await onScreen(project, ['start', '--wait', '-C', below, 'x'])).toMatchObject({ code });
});
