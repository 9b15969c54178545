import { expect, test } from 'vitest';
import { createProject, eventually } from '../helpers/project.ts';
import { type Probed, probe, sourcesOfParts } from './probe.ts';

/* What the commands load that scripts run most: a start is as fast as what it leaves out. */

const sourcesOf = await sourcesOfParts();

/** The packages of what was loaded. */
function packagesOf({ parts }: Probed): readonly string[] {
  const sources = parts.flatMap(({ name }) => sourcesOf(name));
  const NAME = /^node_modules\/(?:.*node_modules\/)?((?:@[^/]+\/)?[^/]+)/;
  return [...new Set(sources.flatMap((path) => NAME.exec(path)?.[1] ?? []))].sort();
}

const bytesOf = ({ parts }: Probed): number => parts.reduce((sum, { bytes }) => sum + bytes, 0);

/** Of Node: what a tenth of a start goes into, or a part of that. */
const COSTLY = ['child_process', 'crypto', 'net', 'os', 'readline', 'tty', 'worker_threads'];
const costly = ({ builtins }: Probed): readonly string[] => COSTLY.filter((name) => builtins.includes(name));

const OF_LISTS = ['@noble/hashes', 'commander', 'nanoid', 'zod'];

test('what scripts run most loads few libraries, and nothing costly of Node', async () => {
  const project = createProject();
  const ids = [await project.ended(), await project.ended()];
  for (const [line, packages, maxParts, maxBytes] of [
    ['--version', [], 0, 0],
    ['--help', ['commander', 'nanoid'], 3, 120_000],
    ['ls', OF_LISTS, 9, 260_000],
    ['ls --all --json', OF_LISTS, 9, 260_000],
    ['ls -q', OF_LISTS, 9, 260_000],
  ] as const) {
    const probed = await probe(project, line.split(' '));
    if (line.startsWith('ls')) expect(ids.filter((id) => !probed.stdout.includes(id))).toEqual([]);
    expect({ line, packages: packagesOf(probed), costly: costly(probed) }).toEqual({
      line,
      packages,
      costly: [],
    });
    expect(probed.parts.length, line).toBeLessThanOrEqual(maxParts);
    expect(bytesOf(probed), line).toBeLessThanOrEqual(maxBytes);
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
    const paths = [...listed.map((path) => `${path}/`), ...opened];
    expect(paths.filter((path) => path.endsWith('/sessions/') || path.includes(other))).toEqual([]);
    // The probe sees what there is to see.
    expect(opened.join('\n'), line).toContain(stdout.trim());
  }
  await eventually('both have ended', async () => (await project.list(['--status', 'running'])).length === 0);
});
