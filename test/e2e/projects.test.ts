import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { createProject, eventually, type Project } from '../helpers/project.ts';

function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' });
}

function createRepository(t: TestContext): Project {
  const project = createProject('shop', t.onTestFinished);
  git(project.directory, 'init', '-q');
  git(project.directory, 'commit', '-q', '--allow-empty', '-m', 'x');
  return project;
}

async function completed(project: Project, cwd = project.directory): Promise<string> {
  const id = await project.start(['hello'], { cwd });
  await project.ok(['wait', id], { cwd });
  return id;
}

const ids = async (project: Project, cwd: string, ...args: string[]): Promise<string[]> =>
  (await project.ok(['ls', '-q', ...args], { cwd })).split('\n').filter((line) => line !== '');

/**
 * Where a command stands that is to find the sessions of the repository `shop`, and where it must not. All of the rules
 * are tested where they decide, in test/unit/store/which-project.test.ts.
 */
const STANDPOINTS: readonly {
  readonly name: string;
  readonly cwd: (project: Project) => string;
  readonly finds: boolean;
}[] = [
  {
    name: 'a linked worktree',
    cwd: ({ base, directory }) => {
      git(directory, 'worktree', 'add', '-q', join(base, 'tree'));
      return join(base, 'tree');
    },
    finds: true,
  },
  {
    name: 'a nested repository',
    cwd: ({ directory }) => {
      git(directory, 'init', '-q', 'nested');
      return join(directory, 'nested');
    },
    finds: false,
  },
  {
    name: 'a copy',
    cwd: ({ base, directory }) => {
      cpSync(directory, join(base, 'copy'), { recursive: true, verbatimSymlinks: true });
      return join(base, 'copy');
    },
    finds: false,
  },
];

test.concurrent.for(STANDPOINTS)('from $name: sessions are found, $finds', async ({ cwd, finds }, t) => {
  const project = createRepository(t);
  const id = await completed(project);
  const from = cwd(project);
  expect(await ids(project, from)).toEqual(finds ? [id] : []);
  // By its whole id from anywhere; and there is one store for all who find it.
  expect(await project.ok(['inject', id, '--wait', 'again'], { cwd: from })).not.toBe('');
  expect(await project.zwarm(['show', id.slice(0, 6), '--json'], { cwd: from })).toMatchObject({ code: 0 });
  expect((await project.zwarm(['kill', id], { cwd: from })).stderr).toContain(
    'is not running: it is completed',
  );
  expect(readdirSync(join(project.state, 'projects'))).toHaveLength(1);
  const own = await completed(project, from);
  expect(await ids(project, from)).toEqual(finds ? [own, id] : [own]);
  expect(await ids(project, project.base, '--project', from)).toEqual(finds ? [own, id] : [own]);
});

test.concurrent('without git the project is the directory, also after git init', async (t) => {
  const project = createProject('notes', t.onTestFinished);
  const id = await completed(project);
  mkdirSync(join(project.directory, 'sub'));
  expect(await ids(project, join(project.directory, 'sub'))).toEqual([id]);
  expect(await ids(project, project.base)).toEqual([]);
  git(project.directory, 'init', '-q');
  expect(await ids(project, project.directory)).toEqual([id]);
});

test.concurrent('ZWARM_DIR and --state-dir name another state directory', async (t) => {
  const project = createRepository(t);
  const elsewhere = join(project.base, 'volume');
  const id = await project.start(['hello'], { env: { ZWARM_DIR: elsewhere } });
  expect(readdirSync(elsewhere).sort()).toEqual(['projects']);
  expect(await ids(project, project.directory)).toEqual([]);
  expect(await ids(project, project.directory, '--state-dir', elsewhere)).toEqual([id]);
});

test.concurrent('other projects are seen by their ids alone, by names and @last they are not', async (t) => {
  const project = createRepository(t);
  const other = join(project.base, 'other');
  mkdirSync(other);
  const id = await project.start(['--name', 'mine', 'hello']);
  const show = (ref: string) => project.zwarm(['show', ref], { cwd: other });
  expect(await show(id.slice(0, 6))).toMatchObject({ code: 0 });
  for (const ref of [id.slice(0, 5), 'mine', '@last']) expect(await show(ref)).toMatchObject({ code: 3 });
  // Agents see no other project.
  const env = { ZWARM_SESSION_ID: id };
  expect(await project.zwarm(['show', id], { cwd: other, env })).toMatchObject({ code: 3 });
});

test.concurrent('ls --everywhere lists all projects, and names those that are gone', async (t) => {
  const project = createRepository(t);
  const other = join(project.base, 'other');
  mkdirSync(other);
  const [mine, theirs] = [await completed(project), await completed(project, other)];
  const rows = JSON.parse(await project.ok(['ls', '--everywhere', '--json'])) as {
    id: string;
    project: string;
  }[];
  expect(rows.map((row) => [row.id, row.project])).toEqual([
    [theirs, other],
    [mine, project.directory],
  ]);
  renameSync(other, join(project.base, 'away'));
  const listed = await project.zwarm(['ls', '--everywhere']);
  expect(listed.stdout.split('\n').map((line) => line.split('\t').at(-1))).toEqual([
    other,
    project.directory,
    '',
  ]);
  expect(listed.stderr).toMatch(
    /^zwarm: .*\/other is gone: 1 session, .* kB, last used \d+s ago; to delete: zwarm clean --gone\n$/,
  );
});

test.concurrent('a damaged record of a project is named, with what to do, and hides no other project', async (t) => {
  const project = createRepository(t);
  const other = join(project.base, 'other');
  mkdirSync(other);
  const [mine, theirs] = [await completed(project), await completed(project, other)];
  const record = join(project.store(), 'project.json');
  const text = readFileSync(record, 'utf8');
  writeFileSync(record, '{');
  const said = `zwarm: ${record} cannot be read: not valid JSON\n`;
  for (const args of [['ls'], ['show', mine], ['start', 'hello'], ['relocate', '--yes']]) {
    const refused = await project.zwarm(args);
    expect(refused, args.join(' ')).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toContain(`${said}hint: put a copy of that file back; `);
  }
  expect(await project.zwarm(['ls', '--everywhere'])).toMatchObject({
    stdout: expect.stringContaining(theirs),
    stderr: said,
  });
  const doctor = await project.zwarm(['doctor', '--json'], { cwd: other });
  expect(JSON.parse(doctor.stdout).checks).toContainEqual(
    expect.objectContaining({ name: 'projects', status: 'failed', message: said.slice(7, -1) }),
  );
  writeFileSync(record, text);
  expect(await ids(project, project.directory)).toEqual([mine]);
});

test.concurrent('relocate gives a moved project its sessions', async (t) => {
  const project = createRepository(t);
  const id = await completed(project);
  const there = join(project.base, 'store');
  renameSync(project.directory, there);
  expect(await project.zwarm(['ls', '-q'], { cwd: there })).toMatchObject({ stdout: '', stderr: '' });
  expect((await project.zwarm(['ls'], { cwd: there })).stderr).toContain(
    `this project was at ${project.directory}; to have its sessions here: zwarm relocate`,
  );
  // Not on the word of nobody.
  expect(await project.zwarm(['relocate'], { cwd: there })).toMatchObject({ code: 2 });
  expect(await project.ok(['relocate', '--yes'], { cwd: there })).toBe(there);
  expect(await ids(project, there)).toEqual([id]);
  const shown = JSON.parse(await project.ok(['show', id, '--json'], { cwd: there }));
  expect(shown).toMatchObject({ working_dir: there, project: there });
  expect(await project.ok(['inject', id, '--wait', 'again'], { cwd: there })).not.toBe('');
  expect(existsSync(join(there, '.zwarm', 'sessions', id))).toBe(true);
  expect(await project.zwarm(['relocate', '--yes'], { cwd: there })).toMatchObject({ code: 2 });
});

test.concurrent('relocate knows a moved directory also without its window', async (t) => {
  const project = createRepository(t);
  const id = await completed(project);
  const there = join(project.base, 'store');
  rmSync(join(project.directory, '.zwarm'), { recursive: true });
  renameSync(project.directory, there);
  await project.ok(['relocate', '--yes'], { cwd: there });
  expect(await ids(project, there)).toEqual([id]);
});

test.concurrent('relocate refuses while a session runs, and where others would lose theirs', async (t) => {
  const project = createRepository(t);
  const running = await project.start(['hello'], { env: { FAKE_AGENT_HANG: '1' } });
  await eventually('the agent runs', () => project.runs().length === 1);
  const there = join(project.base, 'store');
  renameSync(project.directory, there);
  expect(await project.zwarm(['relocate', '--yes'], { cwd: there })).toMatchObject({ code: 4 });
  await project.ok(['kill', running], { cwd: there });
  mkdirSync(join(project.base, 'busy'));
  await completed(project, join(project.base, 'busy'));
  git(project.base, 'init', '-q', project.directory);
  const to = ['relocate', '--yes', '--to', join(project.base, 'busy')];
  expect(await project.zwarm(to)).toMatchObject({ code: 4 });
  await project.ok(['relocate', '--yes'], { cwd: there });
  expect(await ids(project, there)).toEqual([running]);
});

test.concurrent('a clone at the path of a moved project gets none of its sessions', async (t) => {
  const project = createRepository(t);
  const id = await completed(project);
  const there = join(project.base, 'store');
  renameSync(project.directory, there);
  git(project.base, 'clone', '-q', there, project.directory);
  const listed = await project.zwarm(['ls']);
  expect(listed).toMatchObject({ code: 0, stdout: '' });
  expect(listed.stderr).toContain('zwarm keeps the sessions of another directory that was at');
  const refused = await project.zwarm(['start', 'hello']);
  expect(refused).toMatchObject({ code: 4, stdout: '' });
  expect(refused.stderr).toContain('zwarm relocate --to DIR');
  await project.ok(['relocate', '--yes', '--to', there]);
  expect(await ids(project, there)).toEqual([id]);
  await completed(project);
  expect(await ids(project, there)).toEqual([id]);
});

test.concurrent('a relocation that was interrupted is finished by the next one', async (t) => {
  const project = createRepository(t);
  const id = await completed(project);
  const there = join(project.base, 'store');
  renameSync(project.directory, there);
  const old = readFileSync(join(project.store(), 'project.json'), 'utf8');
  await project.ok(['relocate', '--yes'], { cwd: there });
  const [store = ''] = readdirSync(join(project.state, 'projects'));
  const record = join(project.state, 'projects', store, 'project.json');
  writeFileSync(record, old);
  // Until then it is found where it was renamed to.
  expect(await ids(project, there)).toEqual([id]);
  await project.ok(['relocate', '--yes'], { cwd: there });
  expect(JSON.parse(readFileSync(record, 'utf8')).path).toBe(join(there, '.git'));
});

test.concurrent('clean --gone deletes the sessions of deleted projects, after it was told to', async (t) => {
  const project = createRepository(t);
  const other = join(project.base, 'other');
  mkdirSync(other);
  const [mine] = [await completed(project), await completed(project, other)];
  expect(await project.zwarm(['clean', '--gone', '--yes'])).toMatchObject({ code: 0, stdout: '' });
  rmSync(other, { recursive: true });
  expect(await project.ok(['clean', '--gone', '--dry-run'])).toBe(other);
  expect(await project.zwarm(['clean', '--gone'])).toMatchObject({ code: 2 });
  expect(readdirSync(join(project.state, 'projects'))).toHaveLength(2);
  expect(await project.ok(['clean', '--gone', '--yes'])).toBe(other);
  expect(readdirSync(join(project.state, 'projects'))).toHaveLength(1);
  expect(await ids(project, project.directory, '--everywhere')).toEqual([mine]);
});

test.concurrent('a name moves, and is given up', async (t) => {
  const project = createRepository(t);
  const first = await project.start(['--name', 'fix', 'hello']);
  const second = await project.start(['hello']);
  const names = async () => Object.fromEntries((await project.list()).map((row) => [row.id, row.name]));
  expect(await project.ok(['name', second, 'fix'])).toBe(second);
  expect(await names()).toEqual({ [first]: null, [second]: 'fix' });
  await project.ok(['name', 'fix', 'other']);
  expect(await names()).toEqual({ [first]: null, [second]: 'other' });
  await project.ok(['name', 'other', '-']);
  expect(await names()).toEqual({ [first]: null, [second]: null });
  expect(await project.zwarm(['name', second, '-'])).toMatchObject({ code: 2 });
  expect(await project.zwarm(['name', second, 'No Name'])).toMatchObject({ code: 2 });
});
