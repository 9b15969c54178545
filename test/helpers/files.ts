import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SnapshotRecord } from '../../src/store/records.ts';
import { GIT_ENVIRONMENT, git } from './git.ts';
import type { Project } from './project.ts';
import { createRepository as repositoryWith } from './repository.ts';

/** A project in a repository of git with one commit: `a` of nine lines, and `sub/b`. */
export function createRepository(): Project {
  const project = repositoryWith({ a: '1\n2\n3\n4\n5\n6\n7\n8\n9\n', 'sub/b': 'b\n' });
  // For commits of the agent, too.
  for (const name of ['name', 'email']) git(project.directory, 'config', `user.${name}`, 'a@example.org');
  return project;
}

/** Runs a shell command in a project, as its user does. */
export function byHand({ directory }: Pick<Project, 'directory'>, script: string): void {
  execFileSync('/bin/sh', ['-euc', script], { cwd: directory, env: GIT_ENVIRONMENT, stdio: 'pipe' });
}

/** Has the agent run a shell command in a turn of its own, the first one of a new session where no id is given; its id. */
export async function turnOf(project: Project, script: string, id?: string): Promise<string> {
  if (id === undefined) return project.ended([`run ${script}`]);
  const turn = JSON.parse(await project.ok(['inject', '--wait', '--json', id, `run ${script}`])).turn;
  await project.settled(id, turn);
  return id;
}

/** What was recorded of the files around a turn, or null. */
export function snapshotOf(
  project: Project,
  id: string,
  turn: number,
  when: 'before' | 'after',
): SnapshotRecord | null {
  const path = project.turnFile(id, turn, `${when}.json`);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
}

/** The repository of a session's snapshots. */
export const snapshotsOf = (project: Project, id: string): string =>
  join(project.store(), 'sessions', id, 'snapshots.git');

/** The files of a snapshot with their contents, bytes as characters; the user's own objects are read, too. */
export function filesIn(
  project: Project,
  id: string,
  tree: string | null | undefined,
): Record<string, string> {
  const gitDir = snapshotsOf(project, id);
  const env = {
    ...GIT_ENVIRONMENT,
    GIT_DIR: gitDir,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(project.directory, '.git', 'objects'),
  };
  const run = (...args: string[]) => execFileSync('git', args, { env, stdio: 'pipe', maxBuffer: 1 << 28 });
  const entries = run('ls-tree', '-r', '-z', tree ?? '')
    .toString('latin1')
    .split('\0')
    .slice(0, -1);
  return Object.fromEntries(
    entries.map((entry) => {
      const [head = '', path = ''] = [
        entry.slice(0, entry.indexOf('\t')),
        entry.slice(entry.indexOf('\t') + 1),
      ];
      return [path, run('cat-file', 'blob', head.split(' ')[2] ?? '').toString('latin1')];
    }),
  );
}
