import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { copySession } from '../../bench/sessions.js';
import { createProject, type Project } from '../helpers/project.ts';
import { probe } from './probe.ts';

/*
 * What a list costs on the disk, counted: a figure that no other load of the machine changes.
 */

/** A project with so many sessions that have ended, each with its summary. */
async function projectOf(sessions: number): Promise<Project> {
  const project = createProject();
  const id = await project.ended();
  const directory = dirname(project.turnFile(id, 1, 'events.jsonl'));
  copySession({ project: project.directory, id, directory }, sessions - 1);
  return project;
}

/** How often `zwarm ls` asks for something below the state directory. */
async function countsOf(project: Project, ...args: string[]): Promise<Record<string, number>> {
  const { opened, lookedAt, listed } = await probe(project, ['ls', ...args]);
  const count = (paths: readonly string[]) =>
    paths.filter((path) => path.startsWith(`${project.store()}/`)).length;
  return { opened: count(opened), lookedAt: count(lookedAt), listed: count(listed) };
}

test('ls opens one file for each session that has ended, looks at one more, and lists no directory for it', async () => {
  const [few, many] = [await projectOf(5), await projectOf(45)];
  for (const args of ['--all', '--all --json', '--sort updated', '-q --status failed']) {
    const { opened = 0, lookedAt = 0, listed } = await countsOf(few, ...args.split(' '));
    const grown = { opened: opened + 40, lookedAt: lookedAt + 40, listed };
    expect(await countsOf(many, ...args.split(' ')), args).toEqual(grown);
    // Besides them, hardly any.
    expect(opened).toBeLessThan(5 + 5);
  }
});

test('each further file that is opened for a session would be counted', async () => {
  const project = await projectOf(5);
  const before = await countsOf(project, '--all');
  const sessions = join(project.store(), 'sessions');
  for (const id of readdirSync(sessions)) rmSync(join(sessions, id, 'summary.json'));
  const after = await countsOf(project, '--all');
  expect(after['opened']).toBeGreaterThan((before['opened'] ?? 0) + 5 * 3);
  expect(after['listed']).toBeGreaterThanOrEqual((before['listed'] ?? 0) + 5);
});
