import { beforeAll, expect, test } from 'vitest';
import { createProject, eventually } from '../helpers/project.ts';
import { type Probed, probe, sourcesOfParts } from './probe.ts';

/* What the commands load that scripts run most: a start is as fast as what it leaves out. */

let sourcesOf: (part: string) => readonly string[];
beforeAll(async () => {
  sourcesOf = await sourcesOfParts();
});

/** The packages of what was loaded. */
function packagesOf({ parts }: Probed): readonly string[] {
  const sources = parts.flatMap(({ name }) => sourcesOf(name));
  const names = sources.flatMap(
    (path) => /^node_modules\/(?:.*node_modules\/)?((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  return [...new Set(names)].sort();
}

const bytesOf = ({ parts }: Probed): number => parts.reduce((sum, { bytes }) => sum + bytes, 0);

/** Of Node: what a tenth of a start goes into, or a part of that. */
const COSTLY = ['child_process', 'crypto', 'net', 'os', 'readline', 'tty', 'worker_threads'];
const costly = ({ builtins }: Probed): readonly string[] => COSTLY.filter((name) => builtins.includes(name));

test('--version loads nothing', async () => {
  const probed = await probe(createProject(), ['--version']);
  expect(probed.parts).toEqual([]);
  expect(costly(probed)).toEqual([]);
});

test('--help loads the command line, no schema, and nothing costly of Node', async () => {
  const probed = await probe(createProject(), ['--help']);
  expect(packagesOf(probed)).toEqual(['commander', 'nanoid']);
  expect(costly(probed)).toEqual([]);
  expect(bytesOf(probed)).toBeLessThan(120_000);
  expect(probed.parts.length).toBeLessThan(4);
});

test('ls for a program loads few libraries, and nothing costly of Node', async () => {
  const project = createProject();
  const ids = [await project.ended(), await project.ended()];
  for (const line of ['ls', 'ls --all --json', 'ls -q']) {
    const probed = await probe(project, line.split(' '));
    expect(ids.filter((id) => !probed.stdout.includes(id))).toEqual([]);
    expect(packagesOf(probed), line).toEqual(['@noble/hashes', 'commander', 'nanoid', 'zod']);
    expect(costly(probed), line).toEqual([]);
    expect(bytesOf(probed), line).toBeLessThan(260_000);
    expect(probed.parts.length, line).toBeLessThan(10);
  }
});

test('start loads what it takes to run a process, and nothing that draws or edits', async () => {
  const project = createProject();
  // Outside of git the first start has a shell make the window.
  await project.ended();
  const probed = await probe(project, ['start', 'two']);
  // execa asks a program for its version that no package tells.
  const drawing = ['chalk', 'cli-table3', 'marked', 'string-width', 'smol-toml', 'jsonc-parser'];
  expect(packagesOf(probed).filter((name) => drawing.includes(name))).toEqual([]);
  expect(bytesOf(probed)).toBeLessThan(600_000);
  expect(probed.parts.length).toBeLessThan(30);
  await project.settled(probed.stdout.trim());
});

test('start and inject look at no other session', async () => {
  const project = createProject();
  const [other, own] = [await project.ended(), await project.ended()];
  for (const line of ['start more', `inject ${own} again`]) {
    const { listed, opened, stdout } = await probe(project, line.split(' '));
    const looked = [
      ...listed.filter((path) => path.endsWith('/sessions')),
      ...opened.filter((path) => path.includes(other)),
    ];
    expect(looked, line).toEqual([]);
    // The probe sees what there is to see.
    expect(opened.join('\n'), line).toContain(stdout.trim());
  }
  await eventually('both have ended', async () => (await project.list(['--status', 'running'])).length === 0);
});
