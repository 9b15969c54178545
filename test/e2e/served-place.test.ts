import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../helpers/config.ts';
import { git } from '../helpers/git.ts';
import { createShellProject } from '../helpers/project.ts';
import { connectTools } from '../helpers/tools-client.ts';

/* A host that starts the server in the home directory, as Cursor does, and what it says of the project. */

/** A repository that the user allows, another that he does not, and a home to start servers in. */
function createHomeOfHost() {
  const project = createShellProject('mine');
  const { base, directory } = project;
  const [home, other] = [join(base, 'home'), join(base, 'other')];
  mkdirSync(other);
  for (const repo of [directory, other]) git(repo, 'init', '-q');
  place(join(home, '.config/zwarm/config.toml'), `allowed_dirs = [${JSON.stringify(directory)}]\n`);
  return { ...project, home, other };
}

/** Where a call of `delegate` has its agent work, or why nowhere. */
async function worksIn({ call }: Awaited<ReturnType<typeof connectTools>>): Promise<string> {
  const { isError, text, fields } = await call('delegate', { task: 'quick', mode: 'async' });
  return isError ? JSON.parse(text).error : fields.session_id;
}

test('an older client is asked once for its roots, and works in the first that the user allows', async () => {
  const project = createHomeOfHost();
  const { home, other, directory } = project;
  let asked = 0;
  const roots = async () => {
    asked += 1;
    const named = [`/../..${other}`, `${directory}/../other`, directory.replace('mine', 'm%69ne')];
    return ['file://elsewhere/', 'file:///a%2Fb', 'file:///%00', ...named.map((path) => `file://${path}`)];
  };
  const tools = await connectTools(project, { cwd: home, roots });
  const id = await worksIn(tools);
  await project.ok(['wait', id]);
  expect(await project.show(id)).toMatchObject({ working_dir: directory, source: 'mcp:test-client' });
  expect(await tools.ok('list_sessions')).toMatchObject({ count: 1 });
  expect(await worksIn(tools)).not.toBe(id);
  expect(asked).toBe(1);
});

const REFUSED = 'that directory is not allowed';

test('roots that the user has not allowed are of no use, and one who does not answer is not waited for long', async () => {
  const project = createHomeOfHost();
  const { home, other } = project;
  for (const roots of [
    async () => [`file://${other}`],
    async () => ['/no address'],
    () => Promise.reject(new Error('not now')),
    () => new Promise<never>(() => undefined),
  ])
    expect(await worksIn(await connectTools(project, { cwd: home, roots }))).toBe(REFUSED);
  expect(await project.list()).toEqual([]);
});

test('a client of the newer protocol has no roots; what its host says in the environment counts', async () => {
  const project = createHomeOfHost();
  const { home, other, directory, env } = project;
  const connect = () => connectTools(project, { cwd: home, protocol: 'newer' });
  expect(await worksIn(await connect())).toBe(REFUSED);
  env['CLAUDE_PROJECT_DIR'] = other;
  expect(await worksIn(await connect())).toBe(REFUSED);
  env['CLAUDE_PROJECT_DIR'] = directory;
  const id = await worksIn(await connect());
  expect(await project.show(id)).toMatchObject({ working_dir: directory });
});

test('a server that was started in a project, or for one, keeps to that', async () => {
  const project = createHomeOfHost();
  const { home, other, directory, env, base } = project;
  place(join(home, '.config/zwarm/config.toml'), 'allowed_dirs = ["*"]\n');
  env['CLAUDE_PROJECT_DIR'] = directory;
  const roots = () => Promise.reject(new Error('nobody may ask'));
  const bare = join(base, 'bare');
  mkdirSync(bare);
  for (const [cwd, args, expected] of [
    [other, [], other],
    [home, ['--project', bare], bare],
  ] as const) {
    const { ok } = await connectTools(project, { cwd, args, roots });
    const { session_id } = await ok('delegate', { task: 'quick' });
    const { working_dir } = await project.show(session_id, ['--project', cwd === home ? bare : cwd]);
    expect(working_dir).toBe(expected);
  }
});
