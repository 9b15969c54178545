import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storeDir } from '../../../src/store/project-store.ts';
import { git } from '../../helpers/git.ts';
import { commitFiles } from '../../helpers/repository.ts';
import { createScene, type Scene } from './scene.ts';
import { namesIn } from './verbs.ts';

/** What is left of a worktree of that name: its place, its branch, and what git and zwarm know of it. */
function leftOf(base: string, directory: string, store: string) {
  return {
    place: existsSync(join(base, 'project.worktrees/n')),
    branch: git(directory, 'branch', '--list', 'zwarm/n') !== '',
    worktree: git(directory, 'worktree', 'list').includes('project.worktrees/n'),
    records: namesIn(store, 'trees').filter((name) => !name.endsWith('.untouched')),
    ports: namesIn(store, '../../ports'),
    sessions: namesIn(store, 'sessions').filter((name) => !name.startsWith('.')),
  };
}

const NOTHING = { place: false, branch: false, worktree: false, records: [], ports: [], sessions: [] };
/** What its files need once they are in the trash, which holds those that exist only there. */
const IN_TRASH = { ...NOTHING, branch: true, ports: ['0'] };

/** What a worktree is to have besides its commit. */
interface Kind {
  readonly options: readonly string[];
  /** What becomes of one that is complete and has no session. */
  readonly cleaned: typeof NOTHING | typeof IN_TRASH;
  prepare(scene: Scene): Promise<void>;
}

/** More calls than any command makes. */
const NEVER = 1e9;

const KINDS: Readonly<Record<string, Kind>> = {
  'with files that are copied and cloned, and a setup': {
    options: [],
    // What is ignored there can be made again.
    cleaned: NOTHING,
    async prepare({ directory, killedAt }) {
      const filling = '[worktree]\ncopy = [".cache"]\nclone = ["node_modules"]\nsetup = "echo made > made"\n';
      writeFileSync(join(directory, 'zwarm.toml'), filling);
      mkdirSync(join(directory, '.cache'));
      writeFileSync(join(directory, '.cache/c'), 'c\n');
      mkdirSync(join(directory, 'node_modules'));
      writeFileSync(join(directory, 'node_modules/m'), 'm\n');
      expect(await killedAt(NEVER, ['config', 'trust', '-y'])).toBe(0);
    },
  },
  'with what is changed': {
    options: ['--with-changes'],
    cleaned: IN_TRASH,
    async prepare({ directory }) {
      writeFileSync(join(directory, 'a.txt'), 'two\n');
      writeFileSync(join(directory, 'new.txt'), 'new\n');
    },
  },
};

/** Kills a start at one of its calls; whether it ended before that, and what it had left. */
async function killedAt(at: number, { options, cleaned, prepare }: Kind) {
  const scene = createScene();
  const { base, directory, state, later } = scene;
  try {
    git(directory, 'init', '-q', '-b', 'main');
    commitFiles(directory, { 'a.txt': 'one\n', '.gitignore': 'node_modules\n.cache\n' });
    await prepare(scene);
    const store = storeDir(state, join(directory, '.git'));
    const code = await scene.killedAt(at, ['start', '-W', '--name', 'n', ...options, 'quick task']);
    const left = leftOf(base, directory, store);
    const story = `killed at call ${at}: ${JSON.stringify(left)}`;
    const names = left.records.filter((name) => !name.startsWith('.'));
    if (left.place || left.branch || left.worktree) expect(names, story).toHaveLength(1);
    if (existsSync(store)) await later.clean({ olderThanMs: 1e12, dryRun: false, saves: true });
    const kept = leftOf(base, directory, store);
    const isComplete = names.some((name) => name.endsWith('.json'));
    if (left.sessions.length > 0) expect([kept, names], story).toEqual([left, [`${left.sessions[0]}.json`]]);
    else expect(kept, story).toEqual(isComplete ? cleaned : NOTHING);
    expect(readdirSync(directory), story).toContain('a.txt');
    return { isOver: code !== null, isStray: isComplete && left.sessions.length === 0 };
  } finally {
    await scene.end();
  }
}

const AT_ONCE = 6;

test.for(Object.entries(KINDS))(
  'start -W %s, killed before each of its calls: what is left has a name, and what is half made can be taken back',
  async ([, kind]) => {
    const ends: Awaited<ReturnType<typeof killedAt>>[] = [];
    while (!ends.some(({ isOver }) => isOver)) {
      const next = Array.from({ length: AT_ONCE }, (_, i) => ends.length + 1 + i);
      ends.push(...(await Promise.all(next.map((at) => killedAt(at, kind)))));
      expect(ends.length).toBeLessThan(200);
    }
    expect(ends.some(({ isStray }) => isStray)).toBe(true);
  },
);
