import { appendFileSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { copySession } from '../../bench/sessions.js';
import { messageLine, writeStream } from '../../bench/streams.js';
import { createProject, type Project } from '../helpers/project.ts';
import { createShellProject } from '../helpers/shell-project.ts';
import { probe } from './probe.ts';

/* What a list costs on the disk, counted: figures that no other load of the machine changes. */

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

test('how a huge turn stands is told from its two ends', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  const events = project.turnFile(id, 1, 'events.jsonl');
  const { open } = writeStream(events, { bytes: 20_000_000 });
  truncateSync(events, open);
  appendFileSync(events, messageLine('item_9', 'So far so good.'));
  const { read, stdout } = await probe(project, ['ls', '--json']);
  expect(stdout).toMatch(/running[\s\S]*So far so good\./);
  expect(read[events]).toBeGreaterThan(0);
  expect(read[events]).toBeLessThan(200_000);
});
