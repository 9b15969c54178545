import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { testAsRoot } from '../helpers/as-root.ts';
import { createOrdinaryProject } from '../helpers/ordinary-project.ts';
import { createShellProject } from '../helpers/project.ts';
import { createRepository } from '../helpers/repository.ts';
import { snapshot } from '../helpers/tree.ts';

/** A user without a name. */
const OTHER = 4321;
const NOBODY = 65_534;

/** A project below the home of another user, as root finds it by sudo: HOME is that user's. */
function createForeign() {
  const project = createShellProject();
  const home = join(project.base, 'home');
  fs.chownSync(home, OTHER, OTHER);
  // What still runs there is ended by root.
  onTestFinished(() => fs.chownSync(home, 0, 0));
  return { ...project, home };
}

const READERS = ['ls', 'ls --everywhere', 'usage', 'search x', 'doctor', 'clean --dry-run', '--help'];
const WRITERS = [
  'start x',
  'config set max_running 3',
  'config trust --yes',
  'mcp install --host codex --yes',
  'mcp install --host opencode --yes',
];

testAsRoot('root makes nothing in the home of another user, and is told whose it is', async () => {
  const { $, base, home, directory, asProcess } = createForeign();
  fs.writeFileSync(join(directory, 'zwarm.toml'), 'agent = "codex"\n');
  const now = () => [home, directory].map(snapshot);
  const before = now();
  const refusal = `${home} belongs to another user \\(uid ${OTHER}\\)\nhint: run zwarm as that user`;
  for (const env of [{}, { XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config') }]) {
    for (const line of WRITERS) expect.soft(await $(line, { env }), line).toMatch(new RegExp(refusal));
    for (const line of READERS) await asProcess(line.split(' '), { env });
  }
  expect(now()).toEqual(before);
  // Where the state is kept elsewhere, the demo agent would keep its own there.
  const demo = await asProcess(['start', '-a', 'demo', '--wait', 'x'], {
    env: { ZWARM_DIR: join(base, 'own') },
  });
  expect(demo).toMatchObject({ code: 1, stderr: expect.stringContaining(`demo agent: ${home} belongs to`) });
  expect(snapshot(home)).toEqual(before[0]);
});

testAsRoot(
  'what root has kept in the home of another user is read, and goes on where it is named',
  async () => {
    const { $, base, home, state, begin, start, settled, asProcess } = createForeign();
    fs.chownSync(home, 0, 0);
    const ended = await start(['quick']);
    await settled(ended);
    const id = await begin('hang');
    fs.chownSync(home, OTHER, OTHER);
    const before = snapshot(base);
    for (const line of ['ls', `show ${ended}`, `answer ${ended}`, `wait ${id} --timeout 0s`, '--help'])
      await asProcess(line.split(' '));
    expect(await $('ls -q')).toBe(`${id}\n${ended}\n`);
    const refusal = `${home} belongs to [^]*; to go on with what is kept there: --state-dir ${state}\n\\[exit 5\\]`;
    for (const line of ['start x', `inject ${id} x`, `kill ${id}`, 'clean --days 0'])
      expect.soft(await $(line), line).toMatch(new RegExp(refusal));
    expect(snapshot(base)).toEqual(before);
    expect(await $(`--state-dir ${state} kill ${id}`)).toBe(`${id} killed\n`);
  },
);

testAsRoot('a user is told what of their home belongs to root, and how to have it back', async () => {
  const { ordinary: zwarm, base, state, store } = createOrdinaryProject();
  const local = join(base, 'home/.local');
  const refused = async (args: readonly string[], path: string) => {
    const { code, stderr } = await zwarm(args);
    expect(code).toBe(5);
    expect(stderr).toMatch(
      `${path} belongs to root (uid 0)\nhint: sudo chown -R "$(id -un)" ${path}, or choose`,
    );
  };
  fs.mkdirSync(local);
  fs.chownSync(local, OTHER, OTHER);
  expect((await zwarm(['start', 'x'])).stderr).toMatch(
    `${local} belongs to another user (uid ${OTHER})\nhint: run zwarm as that user, or choose`,
  );
  fs.chownSync(local, 0, 0);
  expect(await zwarm(['ls'])).toMatchObject({ code: 0, stderr: '' });
  await refused(['start', 'x'], local);
  const { checks } = JSON.parse((await zwarm(['doctor', '--json'])).stdout);
  expect(checks).toContainEqual({
    name: 'state-directory',
    status: 'warning',
    message: `the first start would create ${store()}, and ${local} belongs to root (uid 0)`,
    hint: expect.stringContaining('sudo chown'),
  });
  fs.mkdirSync(join(local, 'state'), { mode: 0o700 });
  for (const args of [['ls'], ['start', 'x']]) await refused(args, join(local, 'state'));
  fs.chmodSync(join(local, 'state'), 0o755);
  fs.mkdirSync(state, { mode: 0o700 });
  for (const args of [['ls'], ['start', 'x'], ['show', '@last']]) await refused(args, state);
  // What root has given away is the user's.
  fs.chownSync(state, NOBODY, NOBODY);
  expect(await zwarm(['start', '--wait', 'x'])).toMatchObject({ code: 0 });
});

testAsRoot(
  'a worktree beside a repository would lie in the directory of another user: it lies with the state',
  async () => {
    const project = createRepository();
    fs.chownSync(project.base, OTHER, OTHER);
    const id = await project.ended(['-W', 'quick']);
    expect((await project.show(id)).working_dir).toContain(`${project.state}/trees/`);
  },
);

testAsRoot('nothing is made in the repository of another user', async () => {
  const { directory, $ } = createRepository();
  for (const path of ['', ...fs.readdirSync(directory, { recursive: true })])
    fs.chownSync(join(directory, `${path}`), OTHER, OTHER);
  const before = snapshot(directory);
  expect(await $('start --wait quick')).toMatch(
    `${directory}/.zwarm could not be made: ${directory} belongs to`,
  );
  expect(await $('start -W quick')).toMatch(/\.git\S* belongs to .*\n.*\n\[exit 5\]/);
  expect(snapshot(directory)).toEqual(before);
});
