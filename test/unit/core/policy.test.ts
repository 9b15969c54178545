import { expect, test } from 'vitest';
import {
  allowedRoot,
  defaultDirectories,
  isWider,
  narrower,
  type Policy,
  policyBelow,
} from '../../../src/core/rules/policy.ts';

const outside = { refused: 'outside' };
const closed = { refused: 'closed' };

test.each<[what: string, lists: string[][], path: string, found: object]>([
  ['an allowed directory itself', [['/p']], '/p', { root: '/p' }],
  ['what lies below it', [['/p']], '/p/a/b', { root: '/p' }],
  ['the one of several that holds it', [['/p', '/q']], '/q/a', { root: '/q' }],
  ['itself, where any is allowed', [['*']], '/x/y', { root: '/x/y' }],
  ['nothing, where none is allowed', [[]], '/p', outside],
  ['nothing, above it', [['/p/a']], '/p', outside],
  ['nothing, beside it with a name that begins alike', [['/p']], '/pq', outside],
  ['all of it, where the project allows that too', [['/p'], ['/p']], '/p/a', { root: '/p' }],
  ['all of it, where the project allows what is above', [['/p/a'], ['/p']], '/p/a/b', { root: '/p/a' }],
  ['all of it, where the project allows that among others', [['/p'], ['/q', '/p']], '/p/a', { root: '/p' }],
  ['all of it, where the project allows any', [['/p'], ['*']], '/p/a', { root: '/p' }],
  ['nothing, where the project allows only a part', [['/p'], ['/p/a']], '/p/a', { refused: 'narrowed' }],
  ['nothing, beside the part that the project allows', [['/p'], ['/p/a']], '/p/b', outside],
  ['a part, where any is allowed but for the project', [['*'], ['/p']], '/p/a', { root: '/p/a' }],
  ['nothing in .git', [['/p']], '/p/.git', closed],
  ['nothing below .codex', [['/p']], '/p/.codex/x', closed],
  ['nothing in .agents somewhere below', [['/p']], '/p/a/.agents', closed],
  ['nothing in .claude', [['/p']], '/p/.claude', closed],
  ['nothing in .zwarm, however it is written', [['/p']], '/p/.ZWarm/x', closed],
  ['nothing in .git, where any is allowed', [['*']], '/p/.git', closed],
  ['all, where the user names such a place', [['/h/.codex/t']], '/h/.codex/t/a', { root: '/h/.codex/t' }],
  ['all, in what is only named alike', [['/p']], '/p/.github', { root: '/p' }],
])('%s', (_, allowedDirs, path, found) => {
  expect(allowedRoot({ allowedDirs }, path)).toEqual(found);
});

const POLICY: Policy = {
  allowedDirs: [['/p', '/q', '*']],
  sandbox: 'workspace-write',
  maxDepth: 1,
  maxSessions: 8,
  endOthers: false,
};

test('the agent of a session sends others no higher than it runs, and into no wider sandbox', () => {
  const sandbox = 'read-only';
  const below = { ...POLICY, allowedDirs: [['/p/a', '/q', '*']], sandbox };
  expect(policyBelow(POLICY, { working_dir: '/p/a', sandbox })).toEqual(below);
  expect(policyBelow(POLICY, { working_dir: '/x', sandbox: 'danger-full-access' })).toEqual(POLICY);
  const narrowed = policyBelow(
    { ...POLICY, allowedDirs: [['/p'], ['/p']] },
    { working_dir: '/p/a', sandbox },
  );
  expect(narrowed.allowedDirs).toEqual([['/p/a'], ['/p']]);
});

test.each<[root: string, home: string | null, allowed: readonly string[]]>([
  ['/home/me/p', '/home/me', ['/home/me/p']],
  ['/srv/p', '/home/me', ['/srv/p']],
  ['/srv/p', null, ['/srv/p']],
  ['/home/me', '/home/me', []],
  ['/home', '/home/me', []],
  ['/', '/home/me', []],
  ['/', null, []],
])('in the project %s of somebody at home in %j agents may work in %j', (root, home, allowed) => {
  expect(defaultDirectories(root, home)).toEqual(allowed);
});

test('a sandbox is wider than those before it, and not than itself', () => {
  const sandboxes = ['read-only', 'workspace-write', 'danger-full-access'] as const;
  for (const [i, a] of sandboxes.entries()) {
    expect(sandboxes.map((b) => isWider(a, b))).toEqual(sandboxes.map((_, j) => i > j));
    expect(sandboxes.map((b) => narrower(a, b))).toEqual(sandboxes.map((_, j) => sandboxes[Math.min(i, j)]));
  }
});
