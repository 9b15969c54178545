import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { elsewhereThanGit, gitPlaceByHand, outsideOfGit } from '../../../src/core/git-command.ts';

/** What is left of variables, by name. */
const left = (env: Readonly<Record<string, string>>): string[] =>
  Object.entries(outsideOfGit(env)).flatMap(([name, value]) => (value === undefined ? [] : [name]));

/** What git says in each of its programs, as it was measured with git 2.39 in a linked worktree. */
const ALWAYS = { GIT_DIR: '/r/.git/worktrees/w', GIT_EXEC_PATH: '/usr/lib/git-core', GIT_PREFIX: '' };
const COMMITTED_BY = {
  GIT_AUTHOR_DATE: '@1795875106 +0000',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_AUTHOR_NAME: 'n',
};
const HOOKS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'pre-commit': { ...ALWAYS, ...COMMITTED_BY, GIT_EDITOR: ':', GIT_INDEX_FILE: '/r/.git/index.lock' },
  'post-rewrite': { ...ALWAYS, ...COMMITTED_BY },
  'pre-receive': {
    ...{ GIT_DIR: '.', GIT_EXEC_PATH: '/usr/lib/git-core', GIT_QUARANTINE_PATH: '/r/tmp' },
    ...{ GIT_OBJECT_DIRECTORY: '/r/tmp', GIT_ALTERNATE_OBJECT_DIRECTORIES: '/r/objects' },
  },
  'reference-transaction of a rebase': {
    ...ALWAYS,
    ...{ GIT_CHERRY_PICK_HELP: 'x', GIT_REFLOG_ACTION: 'rebase', GIT_SEQUENCE_EDITOR: ':' },
  },
  'difftool and submodule foreach': {
    ...ALWAYS,
    ...{ GIT_EXTERNAL_DIFF: 'git-difftool--helper', GIT_PROTOCOL_FROM_USER: '0' },
  },
  'an alias': ALWAYS,
};
/** What the user says of how git works everywhere. */
const USERS = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'a.b',
  GIT_CONFIG_VALUE_0: 'c',
  GIT_PAGER: 'cat',
  GIT_EXTERNAL_DIFF: 'difft',
  GIT_SEQUENCE_EDITOR: 'vi',
  GIT_SSH_COMMAND: 'ssh -i key',
  PATH: '/bin',
};
const IDENTITY = { GIT_AUTHOR_NAME: 'n', GIT_COMMITTER_EMAIL: 'a@b', GIT_EDITOR: 'vi' };

test.each(Object.entries(HOOKS))('of %s nothing is left but what the user says of git', (_, env) => {
  expect(left(env)).toEqual([]);
  expect(left({ ...env, ...USERS }).toSorted()).toEqual(Object.keys(USERS).toSorted());
  expect(gitPlaceByHand(env)).toBeNull();
});

test('who the user is goes along, but for a hook, where nobody knows whose words these are', () => {
  expect(left({ ...IDENTITY, ...ALWAYS })).toEqual(Object.keys(IDENTITY));
  expect(left({ ...IDENTITY, GIT_AUTHOR_DATE: '@1 +0000' })).toContain('GIT_AUTHOR_DATE');
  expect(left({ ...IDENTITY, GIT_EDITOR: ':' })).toEqual(Object.keys(IDENTITY));
  expect(left({ ...IDENTITY, GIT_EXEC_PATH: '/g', GIT_EDITOR: ':' })).toEqual([]);
  expect(left({ ...IDENTITY, GIT_INDEX_FILE: 'i' })).toEqual([]);
});

test('a place that was set by hand is none that git has said', () => {
  expect(gitPlaceByHand({ GIT_DIR: '/home/me/.dotfiles' })).toBe('GIT_DIR');
  expect(gitPlaceByHand({ GIT_WORK_TREE: '/home/me', GIT_EDITOR: 'vi' })).toBe('GIT_WORK_TREE');
  expect(gitPlaceByHand({ GIT_INDEX_FILE: '/tmp/i', GIT_DIR: '/home/me/.dotfiles' })).toBe('GIT_DIR');
  expect(gitPlaceByHand({ GIT_AUTHOR_NAME: 'n', GIT_REFLOG_ACTION: 'x' })).toBeNull();
});

test('for a command that runs at once, only git itself says nothing', () => {
  const byHand = { GIT_INDEX_FILE: '/tmp/i', GIT_EDITOR: ':' };
  expect(elsewhereThanGit(byHand)).toEqual(byHand);
  const ofGit = elsewhereThanGit({ ...byHand, GIT_EXEC_PATH: '/g' });
  expect(Object.values(ofGit)).toEqual([undefined, undefined, undefined]);
});

test('this machine knows no other variables of a repository', () => {
  const names = execFileSync('git', ['rev-parse', '--local-env-vars'], { encoding: 'utf8' })
    .trim()
    .split('\n');
  expect(names.length).toBeGreaterThan(10);
  expect(left(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual(['GIT_CONFIG_COUNT']);
});
