import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { byHand } from '../../helpers/files.ts';
import { git } from '../../helpers/git.ts';
import type { Project } from '../../helpers/project.ts';
import { commitFiles, createRepository } from '../../helpers/repository.ts';

const IDS = {
  first: 'treeaaaaaa',
  other: 'treebaaaaa',
  plain: 'treecaaaaa',
};

/** Three sessions with a tag: one has a tree and passes, one has a tree and does not, one has none. */
async function createFanOut(): Promise<Project> {
  const project = createRepository({ 'a.txt': 'one\n' });
  const begin = async (name: keyof typeof IDS, args: readonly string[], script: string) => {
    const argv = ['start', '--tag', 'fast', '--name', name, ...args, '--wait', `run ${script}`];
    expect((await project.zwarm(argv, { newId: IDS[name] })).code).toBe(0);
    await project.settled(IDS[name]);
  };
  await begin('first', ['-W'], 'echo two >> a.txt; echo b > b; git add b');
  await begin('other', ['-W'], 'rm a.txt');
  await begin('plain', [], 'true');
  return project;
}

/** Without what differs each time. */
const steady = (text: string): string =>
  text.replace(/\t15\t\d+\t/g, '\t15\tMS\t').replace(/ \d\.\d+s /g, ' TIME ');

test('sessions of a tag side by side, in the order in which they began', async () => {
  const { $ } = await createFanOut();
  expect(steady(await $('compare --tag fast'))).toMatchInlineSnapshot(`
    "treeaaaaaa	first	completed	2	2	0		15	MS	done
    treebaaaaa	other	completed	1	0	1		15	MS	done
    treecaaaaa	plain	completed	0	0	0		15	MS	done
    "
  `);
  expect(steady(await $('compare --tag fast', { tty: true, env: { NO_COLOR: '1' } }))).toMatchInlineSnapshot(`
    "SESSION  STATUS     FILES   DIFF  TOKENS  TIME  ANSWER
    first    completed      2  +2 −0      15  TIME  done
    other    completed      1  +0 −1      15  TIME  done
    plain    completed      0  +0 −0      15  TIME  done
    "
  `);
  expect(steady(await $('compare other first'))).toMatch(/^treebaaaaa.*\ntreeaaaaaa/);
  expect(await $('compare --tag none')).toContain('nothing matches --tag none');
});

test('a check sees the files of each as they lie in its tree, and leaves nothing', async () => {
  const project = await createFanOut();
  const { directory } = project;
  commitFiles(directory, { later: 'x\n' });
  byHand(project, 'echo mine > mine');
  const shown = () =>
    ['status --porcelain', 'worktree list', 'for-each-ref'].map((one) => git(directory, ...one.split(' ')));
  const before = shown();
  const objects = git(directory, 'count-objects', '-v');
  const check = 'git status --porcelain | tr "\\n" " "; test -e a.txt -a ! -e later -a ! -e mine';
  const { code, stdout, stderr } = await project.asProcess([
    'compare',
    '--tag',
    'fast',
    '--json',
    '--check',
    check,
  ]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject([
    { id: 'treeaaaaaa', check: { passed: true, why: null }, diff_stat: { files: 2, added: 2, removed: 0 } },
    { id: 'treebaaaaa', check: { passed: false, why: null } },
    { id: 'treecaaaaa', check: { passed: null, why: expect.stringContaining('no tree of its own') } },
  ]);
  expect(stderr).toContain('zwarm: checking treeaaaaaa\n M a.txt ?? b ');
  expect(stderr).toContain('zwarm: checking treebaaaaa\n D a.txt ');
  expect(stderr).toContain('zwarm: treecaaaaa was not checked: treecaaaaa has no tree of its own');
  expect(shown()).toEqual(before);
  expect(git(directory, 'count-objects', '-v')).toBe(objects);
  expect(readdirSync(join(project.store(), '../../trees'))).toEqual([]);
  expect(existsSync(join(dirname(directory), 'project.worktrees/other/a.txt'))).toBe(false);
});

test('a session that runs is shown, and not checked', async () => {
  const project = createRepository();
  const id = await project.ok(['start', '-W', '-q', '--tag', 'slow', 'hang']);
  const { code, stdout } = await project.asProcess(['compare', '--tag', 'slow', '--check', 'true']);
  expect([code, stdout.split('\t').slice(2)]).toEqual([
    0,
    ['running', '', '', '', 'not run', '', expect.any(String), '\n'],
  ]);
  await project.ok(['kill', id]);
});
