import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storeDir } from '../../../src/store/project-store.ts';
import { git } from '../../helpers/git.ts';
import { commitFiles } from '../../helpers/repository.ts';
import { createScene } from './scene.ts';
import { namesIn } from './verbs.ts';

/** What is left of a worktree of that name: its place, its branch, and what git and zwarm know of it. */
function leftOf(base: string, directory: string, store: string) {
  return {
    place: existsSync(join(base, 'project.worktrees/n')),
    branch: git(directory, 'branch', '--list', 'zwarm/n') !== '',
    worktree: git(directory, 'worktree', 'list').includes('project.worktrees/n'),
    records: namesIn(store, 'trees'),
    ports: namesIn(store, '../../ports'),
    sessions: namesIn(store, 'sessions').filter((name) => !name.startsWith('.')),
  };
}

const NOTHING = { place: false, branch: false, worktree: false, records: [], ports: [], sessions: [] };

/** Kills a start at one of its calls; whether it ended before that, and what it had left. */
async function killedAt(at: number) {
  const scene = createScene();
  const { base, directory, state, later } = scene;
  try {
    git(directory, 'init', '-q', '-b', 'main');
    commitFiles(directory, { 'a.txt': 'one\n' });
    const store = storeDir(state, join(directory, '.git'));
    const code = await scene.killedAt(at, ['start', '-W', '--name', 'n', 'quick task']);
    const left = leftOf(base, directory, store);
    const story = `killed at call ${at}: ${JSON.stringify(left)}`;
    const names = left.records.filter((name) => !name.startsWith('.'));
    if (left.place || left.branch || left.worktree) expect(names, story).toHaveLength(1);
    if (existsSync(store)) await later.clean({ olderThanMs: 1e12, dryRun: false });
    const kept = leftOf(base, directory, store);
    const isComplete = names.some((name) => name.endsWith('.json'));
    if (left.sessions.length > 0) expect([kept, names], story).toEqual([left, [`${left.sessions[0]}.json`]]);
    else expect(kept, story).toEqual(NOTHING);
    expect(readdirSync(directory), story).toContain('a.txt');
    return { isOver: code !== null, isStray: isComplete && left.sessions.length === 0 };
  } finally {
    await scene.end();
  }
}

const AT_ONCE = 6;

test('start -W, killed before each of its calls: what is left has a name, and what is half made can be taken back', async () => {
  const ends: Awaited<ReturnType<typeof killedAt>>[] = [];
  while (!ends.some(({ isOver }) => isOver)) {
    const next = Array.from({ length: AT_ONCE }, (_, i) => ends.length + 1 + i);
    ends.push(...(await Promise.all(next.map(killedAt))));
    expect(ends.length).toBeLessThan(200);
  }
  expect(ends.some(({ isStray }) => isStray)).toBe(true);
});
