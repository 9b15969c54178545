import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { lookUp } from '../../src/process/find-program.ts';
import { git, ME } from '../helpers/git.ts';
import type { Project } from '../helpers/project.ts';
import { commitFiles, createRepository } from '../helpers/repository.ts';

const ID = 'treeaaaaaa';

/** A git that kills whoever runs it: at its nth run, before it does anything or once it has. */
function withKiller({ base, env }: Project): (run: number, when: 'before' | 'after') => { done(): boolean } {
  const directory = join(base, 'killer');
  const path = (name: string): string => join(directory, name);
  mkdirSync(directory);
  const script = `#!/bin/sh
echo >> ${path('runs')}
if [ -e ${path('plan')} ] && read -r run when < ${path('plan')} && [ "$(wc -l < ${path('runs')})" -eq "$run" ]; then
  [ "$when" = before ] || ${lookUp('git', env['PATH'] ?? '')} "$@"
  kill -KILL $PPID
  exit
fi
exec ${lookUp('git', env['PATH'] ?? '')} "$@"
`;
  writeFileSync(path('git'), script, { mode: 0o755 });
  env['PATH'] = `${directory}:${env['PATH']}`;
  return (run, when) => {
    writeFileSync(path('runs'), '');
    writeFileSync(path('plan'), `${run} ${when}\n`);
    return {
      /** Whether it had that many runs; from now on it kills nobody. */
      done() {
        rmSync(path('plan'));
        return readFileSync(path('runs'), 'utf8').length >= run;
      },
    };
  };
}

/** What the branch and its checkout have. */
const stand = ({ directory }: Project) => ({
  branch: git(directory, 'rev-parse', 'main'),
  status: git(directory, 'status', '--porcelain'),
  a: readFileSync(join(directory, 'a.txt'), 'utf8'),
  isNew: existsSync(join(directory, 'new')),
});

for (const when of ['before', 'after'] as const)
  test(`land, killed ${when} each of its steps, has landed and recorded, or has changed nothing`, async () => {
    const project = createRepository({ 'a.txt': 'one\n' });
    Object.assign(project.env, ME);
    const { directory } = project;
    const argv = ['start', '-W', '--name', 'fix', '--wait', 'run echo two >> a.txt; echo new > new'];
    expect((await project.zwarm(argv, { newId: ID })).code).toBe(0);
    await project.settled(ID);
    // The branch has moved, so that there is something to be merged.
    commitFiles(directory, { later: 'x\n' });
    const before = stand(project);
    const record = join(project.store(), `sessions/${ID}/landed.json`);
    const killAt = withKiller(project);
    const ends = { landed: 0, unchanged: 0 };
    for (let run = 1; ; run += 1) {
      const plan = killAt(run, when);
      const { code, signal, stderr } = await project.asProcess(['land', 'fix', '-q']);
      if (!plan.done()) {
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        break;
      }
      expect({ run, signal }).toEqual({ run, signal: 'SIGKILL' });
      const after = stand(project);
      const hasLanded = after.branch !== before.branch;
      ends[hasLanded ? 'landed' : 'unchanged'] += 1;
      if (hasLanded) {
        expect(after).toEqual({ branch: after.branch, status: '', a: 'one\ntwo\n', isNew: true });
        expect(git(directory, 'rev-parse', 'main~1')).toBe(before.branch);
        expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({
          onto: 'main',
          commit: after.branch,
        });
      } else expect({ run, ...after }).toEqual({ run, ...before });
      // The next one goes on from there, once.
      await project.ok(['land', 'fix', '-q']);
      expect(git(directory, 'rev-list', '--count', `${before.branch}..main`)).toBe('1');
      expect(git(directory, 'fsck', '--no-dangling')).toBe('');
      git(directory, 'reset', '-q', '--hard', before.branch);
      rmSync(record);
    }
    expect(ends.unchanged).toBeGreaterThan(5);
    if (when === 'after') expect(ends.landed).toBeGreaterThan(0);
    expect(existsSync(join(dirname(directory), 'project.worktrees/fix/new'))).toBe(true);
  });
