import { appendFileSync, readFileSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { copySession } from '../../bench/sessions.js';
import { messageLine, writeStream } from '../../bench/streams.js';
import { bundle } from '../../bundle.js';
import { emptyDirectory } from '../helpers/directory.ts';
import {
  createProject,
  createShellProject,
  type Ended,
  eventually,
  type Project,
  repositoryFile,
  runProgram,
  ZWARM,
} from '../helpers/project.ts';

/** The modules of Node that a command has loaded, such as `fs`, and the paths that it opened, looked at and listed. */
interface Probed extends Record<'builtins' | 'opened' | 'lookedAt' | 'listed', readonly string[]> {
  /** The parts of zwarm, by their names in the bundle. */
  readonly parts: readonly { readonly name: string; readonly bytes: number }[];
  /** Bytes that were read of a file. */
  readonly read: Readonly<Record<string, number>>;
}

/** Runs the built zwarm, as a program does that reads its output, and looks over its shoulder; it must succeed. */
async function probe(project: Project, args: readonly string[]): Promise<Probed & Ended> {
  const report = join(emptyDirectory(), 'report.json');
  const argv = ['--require', repositoryFile('test/guards/probe.cjs'), ZWARM, ...args];
  const env = { ...project.env, PROBE: report };
  const ended = await runProgram(process.execPath, argv, { cwd: project.directory, env });
  if (ended.code !== 0) throw new Error(`zwarm ${args.join(' ')} ended with ${ended.code}: ${ended.stderr}`);
  return { ...ended, ...JSON.parse(readFileSync(report, 'utf8')) };
}

const { metafile } = await bundle(['src/main.ts', 'src/index.ts'].map(repositoryFile));

/** The packages in a part of the bundle. */
function packagesIn(part: string): readonly string[] {
  const output = metafile.outputs[part];
  if (output === undefined) throw new Error(`dist/ is older than the sources: it has a part ${part}`);
  const NAME = /^.*?node_modules\/(?:.*node_modules\/)?((?:@[^/]+\/)?[^/]+)/;
  return Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) =>
    bytesInOutput > 0 ? (NAME.exec(path)?.[1] ?? []) : [],
  );
}

/* What the commands load that scripts run most: a start is as fast as what it leaves out. */

const packagesOf = ({ parts }: Probed): readonly string[] =>
  [...new Set(parts.flatMap(({ name }) => packagesIn(name)))].sort();

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
    ['--help', ['commander', 'nanoid'], 3, 185_000],
    ['ls', OF_LISTS, 9, 378_000],
    ['ls --all --json', OF_LISTS, 10, 380_000],
    ['ls -q', OF_LISTS, 9, 378_000],
    // While a person waits for it between two keys.
    ['complete -- show ', OF_LISTS, 9, 381_000],
  ] as const) {
    const probed = await probe(project, line.split(' '));
    if (packages === OF_LISTS) expect(ids.filter((id) => !probed.stdout.includes(id))).toEqual([]);
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
  const drawing = ['chalk', 'cli-table3', 'marked', 'get-east-asian-width', 'smol-toml', 'jsonc-parser'];
  expect(packagesOf(probed).filter((name) => drawing.includes(name))).toEqual([]);
  expect(bytesOf(probed)).toBeLessThan(600_000);
  // Some of them record the files as they are before the turn, and know whether it has a tree of its own.
  expect(probed.parts.length).toBeLessThan(56);
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
