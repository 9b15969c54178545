import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionSummary } from '../../../src/core/session.ts';
import {
  createProject,
  type Ended,
  eventually,
  installedFile,
  type Project,
  processesWith,
  runProgram,
  SHELL_AGENT,
  ZWARM,
} from '../../helpers/project.ts';

/** A project with a session that runs until it is killed. */
async function withRunning(): Promise<{ project: Project; id: string }> {
  const project = createProject();
  project.env['ZWARM_CODEX_BIN'] = SHELL_AGENT;
  const id = await project.start(['hang']);
  await eventually('the agent runs', () => project.runs().length === 1);
  return { project, id };
}

/**
 * Runs a program that can have no more than `limit` files open. With one arena of memory (glibc): in others a thread of
 * Node that gives memory back opens a file of /proc for a moment, and may take the only descriptor that is left.
 */
function withDescriptors(project: Project, limit: number, argv: readonly string[]): Promise<Ended> {
  return runProgram('/bin/sh', ['-c', `ulimit -n ${limit} && exec "$@"`, 'sh', process.execPath, ...argv], {
    cwd: project.directory,
    env: { ...project.env, MALLOC_ARENA_MAX: '1' },
  });
}

/** Whether Node itself could not begin: nothing of ours has run. */
function nodeGaveUp({ signal, stderr }: Ended): boolean {
  return signal !== null || stderr.includes(ZWARM);
}

/** Checks that an error on stderr, as text or as JSON, names the limit to raise. */
function expectRefusal(stderr: string, what: string): void {
  const hint = expect.stringContaining('ulimit -n');
  if (stderr.startsWith('{')) expect(JSON.parse(stderr), what).toMatchObject({ error: { code: 'io', hint } });
  else expect(stderr, what).toMatch(/^zwarm: .*(too many open files|EMFILE).*\nhint: .*ulimit -n.*\n$/);
}

test('with few descriptors a command does what it should, or ends with 1 and says what to raise', async () => {
  const { project, id: running } = await withRunning();
  const started = [running];
  const failed: string[] = [];
  let refusals = 0;
  // From where Node cannot begin to where all has worked for a while.
  for (let limit = 16, well = 0; well < 3; limit += 1) {
    expect(limit).toBeLessThan(100);
    const [list, show, start] = [
      await withDescriptors(project, limit, [ZWARM, 'ls', '--json']),
      await withDescriptors(project, limit, [ZWARM, 'show', running]),
      await withDescriptors(project, limit, [ZWARM, 'start', 'quick']),
    ];
    const ends = [list, show, start].filter((ended) => !nodeGaveUp(ended));
    for (const { code, stdout, stderr } of ends.filter((ended) => ended.code !== 0)) {
      expect({ code, stdout }, `at ${limit}: ${stderr}`).toEqual({ code: 1, stdout: '' });
      expectRefusal(stderr, `at ${limit}`);
      refusals += 1;
    }
    if (list.code === 0) {
      const rows: SessionSummary[] = JSON.parse(list.stdout);
      expect(rows.map(({ id }) => id).sort(), `at ${limit}`).toEqual([...started, ...failed].sort());
      expect(rows.find(({ id }) => id === running)?.status, `at ${limit}`).toBe('running');
    }
    if (show.code === 0) expect(show.stdout, `at ${limit}`).toMatch(/^\w{10} · running/);
    if (start.code === 0) started.push(start.stdout.trim());
    // A launch that failed after the task was safe: it says which session has it.
    const recorded = /turn 1 of (\w{10}) was recorded but did not start/.exec(start.stderr)?.[1];
    if (recorded !== undefined) failed.push(recorded);
    well = ends.length === 3 && ends.every((ended) => ended.code === 0) ? well + 1 : 0;
  }
  expect(refusals).toBeGreaterThan(0);
  // What was refused has left nothing behind: neither a session nor an agent that nobody was told of.
  for (const id of started.slice(1)) expect(await project.ok(['wait', id])).toBe(`${id} completed`);
  const rows = await project.list(['--all']);
  const ended = (id: string): string =>
    id === running ? 'running' : failed.includes(id) ? 'failed' : 'completed';
  expect(rows.map(({ id, status }) => `${id} ${status}`).sort()).toEqual(
    [...started, ...failed].map((id) => `${id} ${ended(id)}`).sort(),
  );
  expect(project.runs()).toHaveLength(started.length);
});

/** Takes all descriptors that are left. */
const TAKE_ALL = `
const held = [];
try {
  for (;;) held.push(openSync('/dev/null'));
} catch {}
`;

/**
 * A program that uses zwarm as a library, takes all descriptors and gives them back one at a time; after each it does
 * what `act` says, until that succeeds. It prints what came of it each time.
 */
const GREEDY = (act: string): string => `
import { closeSync, openSync } from 'node:fs';
import { openSessions } from ${JSON.stringify(installedFile('dist/index.js'))};
const sessions = openSessions();
// All of it is loaded while there is room.
for (const { id } of await sessions.list()) await sessions.get(id);
${TAKE_ALL}
const ends = [];
for (;;) {
  try {
    ends.push({ value: (await (${act})(sessions)) ?? null });
  } catch ({ message }) {
    ends.push({ message });
  }
  if ('value' in ends.at(-1) || held.length === 0) break;
  closeSync(held.pop());
}
console.log(JSON.stringify(ends));
`;

/** What came of `act` with no descriptor left, with one, with two …; the last one succeeded. */
async function withEachDescriptor(
  project: Project,
  act: string,
): Promise<{ value?: unknown; message?: string }[]> {
  const script = join(project.base, 'greedy.mjs');
  writeFileSync(script, GREEDY(act));
  const { stdout, stderr } = await withDescriptors(project, 60, [script]);
  expect(stderr).toBe('');
  const ends: { value?: unknown; message?: string }[] = JSON.parse(stdout);
  expect(ends.length, 'some were refused').toBeGreaterThan(1);
  for (const { message } of ends.slice(0, -1)) expect(message).toMatch(/EMFILE|too many open files/);
  return ends;
}

test('without descriptors clean, kill, start and rm are refused as a whole, or say which session has the task', async () => {
  const { project, id } = await withRunning();
  const clean = 'async (sessions) => sessions.clean({ olderThanMs: 0, dryRun: false })';
  const skipped = [{ id, reason: 'running' }];
  expect((await withEachDescriptor(project, clean)).at(-1)?.value).toMatchObject({ removed: [], skipped });
  await withEachDescriptor(project, `async (sessions) => sessions.kill('${id}', { graceMs: 5000 })`);
  // The runner may still be settling.
  await eventually('nothing is left', () => processesWith(`ZWARM_SESSION_ID=${id}`).length === 0);
  expect((await project.show(id)).status).toBe('killed');

  const starts = await withEachDescriptor(project, "async (sessions) => sessions.start({ task: 'quick' })");
  // Neither the repository nor the agent's package could be looked at: what would be run could be another program.
  expect(starts[0]?.message).toMatch(/^too many open files: .*\(open\)$/);
  const said = starts.flatMap(
    ({ message = '' }) => /turn 1 of (\w{10}) was recorded/.exec(message)?.[1] ?? [],
  );
  const last = JSON.parse(JSON.stringify(starts.at(-1)?.value)).id;
  expect(await project.ok(['wait', last])).toBe(`${last} completed`);
  const rows = (await project.list(['--all'])).filter((row) => row.id !== id);
  expect(rows.map((row) => `${row.id} ${row.status}`).sort()).toEqual(
    [`${last} completed`, ...said.map((failed) => `${failed} failed`)].sort(),
  );
  expect(project.runs()).toHaveLength(2);

  // It is gone before its files are deleted, which takes more descriptors.
  const remove = `async (sessions) => {
    try {
      await sessions.remove('${last}');
    } catch (error) {
      if (error.code !== 'not_found') throw error;
    }
  }`;
  await withEachDescriptor(project, remove);
  expect((await project.list(['--all'])).map((row) => row.id)).not.toContain(last);
});

/** What a program says of a session when each look at a process is the moment at which no descriptor is left. */
const BLIND = (id: string): string => `
import fs, { closeSync, openSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { openSessions } from ${JSON.stringify(installedFile('dist/index.js'))};
const sessions = openSessions();
await sessions.get('${id}');
const { readFileSync } = fs;
fs.readFileSync = (path, ...rest) => {
  if (!/^[/]proc[/][0-9]/.test(path)) return readFileSync(path, ...rest);
  ${TAKE_ALL}
  try {
    return readFileSync(path, ...rest);
  } finally {
    held.forEach(closeSync);
  }
};
syncBuiltinESMExports();
const verbs = {
  get: async () => (await sessions.get('${id}')).status,
  list: async () => (await sessions.list())[0].status,
  inject: () => sessions.inject('${id}', 'more'),
  kill: () => sessions.kill('${id}', { graceMs: 5000 }),
  remove: () => sessions.remove('${id}'),
  clean: () => sessions.clean({ olderThanMs: 0, dryRun: false }),
};
const said = {};
for (const [name, act] of Object.entries(verbs)) said[name] = await act().catch(({ message }) => message);
console.log(JSON.stringify(said));
`;

test('a process that cannot be looked at for want of descriptors is not dead: every verb fails', async () => {
  const { project, id } = await withRunning();
  const script = join(project.base, 'blind.mjs');
  writeFileSync(script, BLIND(id));
  const { stdout, stderr } = await withDescriptors(project, 60, [script]);
  expect(stderr).toBe('');
  for (const [verb, said] of Object.entries(JSON.parse(stdout))) {
    expect(said, verb).toMatch(/too many open files: .proc.*\(open\)/);
  }
  expect((await project.show(id)).status).toBe('running');
  expect(project.runs()).toHaveLength(1);
});
