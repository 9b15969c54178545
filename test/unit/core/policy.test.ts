import { expect, test } from 'vitest';
import {
  allowedRoot,
  defaultDirectories,
  isWider,
  narrower,
  policyBelow,
} from '../../../src/core/rules/policy.ts';

const inDirectory = (lists: string[][]) => (path: string) => {
  const found = allowedRoot({ allowedDirs: lists }, path);
  return 'root' in found ? found.root : found.refused;
};

// Directories, each with the root that agents there have, or why there is none.
test.each<[what: string, lists: string[][], roots: Readonly<Record<string, string>>]>([
  ['one', [['/p']], { '/p': '/p', '/p/a/b': '/p', '/': 'outside', '/pq': 'outside', '/p/.github': '/p' }],
  ['several', [['/p', '/q']], { '/q/a': '/q', '/p': '/p' }],
  ['any', [['*']], { '/x/y': '/x/y', '/p/.git': 'closed' }],
  ['none', [[]], { '/p': 'outside' }],
  ['one, and the same of the project', [['/p'], ['/q', '/p']], { '/p/a': '/p' }],
  ['one, and the project what is above', [['/p/a'], ['/p']], { '/p/a/b': '/p/a' }],
  ['one, and any of the project', [['/p'], ['*']], { '/p/a': '/p' }],
  ['one, and a part of it of the project', [['/p'], ['/p/a']], { '/p/a': 'narrowed', '/p/b': 'outside' }],
  ['any, and one of the project', [['*'], ['/p']], { '/p/a': '/p/a' }],
  ['what other programs run, by name', [['/h/.codex/t']], { '/h/.codex/t/a': '/h/.codex/t' }],
])('where the user allows %s', (_, lists, roots) => {
  const found = Object.keys(roots).map((path) => [path, inDirectory(lists)(path)]);
  expect(Object.fromEntries(found)).toEqual(roots);
});

test('nobody is sent into what other programs run, however it is written', () => {
  const closed = ['/p/.git', '/p/.codex/x', '/p/a/.agents', '/p/.claude', '/p/.ZWarm/x'];
  expect(closed.map(inDirectory([['/p']]))).toEqual(closed.map(() => 'closed'));
});

const limits = { maxDepth: 1, maxSessions: 8, endOthers: false, unconfined: false, allowLand: false };
const POLICY = { ...limits, allowedDirs: [['/p', '/q', '*']], sandbox: 'workspace-write' } as const;

test('the agent of a session sends others no higher than it runs, and into no wider sandbox', () => {
  const sandbox = 'read-only';
  const below = { ...POLICY, allowedDirs: [['/p/a', '/q', '*']], sandbox };
  expect(policyBelow(POLICY, { working_dir: '/p/a', sandbox })).toEqual(below);
  expect(policyBelow(POLICY, { working_dir: '/x', sandbox: 'danger-full-access' })).toEqual(POLICY);
  const both = { ...POLICY, allowedDirs: [['/p'], ['/p']] };
  expect(policyBelow(both, { working_dir: '/p/a', sandbox }).allowedDirs).toEqual([['/p/a'], ['/p']]);
});

test('in a project agents may work in it, unless it holds the home', () => {
  const homes = { '/home/me': ['/home/me/p', '/srv/p', '/home/me', '/home', '/'], '': ['/srv/p', '/'] };
  const allowed = Object.entries(homes).map(([home, roots]) =>
    roots.filter((root) => defaultDirectories(root, home || null).join() === root),
  );
  expect(allowed).toEqual([['/home/me/p', '/srv/p'], ['/srv/p']]);
});

test('a sandbox is wider than those before it, and not than itself', () => {
  const sandboxes = ['read-only', 'workspace-write', 'danger-full-access'] as const;
  for (const [i, a] of sandboxes.entries()) {
    expect(sandboxes.map((b) => isWider(a, b))).toEqual(sandboxes.map((_, j) => i > j));
    expect(sandboxes.map((b) => narrower(a, b))).toEqual(sandboxes.map((_, j) => sandboxes[Math.min(i, j)]));
  }
});
