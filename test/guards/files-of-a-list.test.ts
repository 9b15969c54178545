import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeSessions } from '../../bench/store.js';
import { createProject, type Project, repositoryFile, runProgram, ZWARM } from '../helpers/project.ts';

/*
 * What a list costs on the disk, counted: a figure that no other load of the machine changes.
 */

interface Counts {
  readonly opened: number;
  readonly lookedAt: number;
  readonly listed: number;
}

/** A project with so many sessions that have ended, each with its summary. */
function projectOf(sessions: number): Project {
  const project = createProject();
  writeSessions(project.directory, sessions);
  return project;
}

/** How often `zwarm ls` asks for files below the state directory. */
async function countsOf(project: Project, ...args: string[]): Promise<Counts> {
  const file = join(project.base, 'counts');
  const counting = ['--require', repositoryFile('test/helpers/count-files.cjs'), ZWARM, 'ls', ...args];
  const env = { ...project.env, COUNT_FILES: file };
  expect(await runProgram(process.execPath, counting, { cwd: project.directory, env })).toMatchObject({
    code: 0,
    stderr: '',
  });
  return JSON.parse(readFileSync(file, 'utf8'));
}

test.each([[['--all']], [['--all', '--json']], [[]], [['-q', '--status', 'failed']]])(
  'ls %j opens one file for each session that has ended, looks at two more, and lists no directory for it',
  async (args) => {
    const few = await countsOf(projectOf(5), ...args);
    const many = await countsOf(projectOf(45), ...args);
    expect(many).toEqual({
      opened: few.opened + 40,
      lookedAt: few.lookedAt + 80,
      listed: few.listed,
    });
    // Besides them, hardly any.
    expect(few.opened).toBeLessThan(5 + 5);
  },
);

test('each further file that is opened for a session would be counted', async () => {
  const project = projectOf(5);
  const before = await countsOf(project, '--all');
  const sessions = join(project.directory, '.zwarm/sessions');
  for (const id of readdirSync(sessions)) rmSync(join(sessions, id, 'summary.json'));
  const { opened, listed } = await countsOf(project, '--all');
  expect(opened).toBeGreaterThan(before.opened + 5 * 3);
  expect(listed).toBeGreaterThanOrEqual(before.listed + 5);
});
