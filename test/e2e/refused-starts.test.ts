import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createProject, createShellProject, type Project, SHELL_AGENT } from '../helpers/project.ts';

/* What is refused before there is a session, or warned of. */

test('an argument with which a session could not go on is refused', async () => {
  const project = createProject();
  expect(await project.$('start --agent-arg=--ephemeral x')).toBe(
    'zwarm: --agent-arg=--ephemeral cannot be passed on: codex would forget the conversation, so that none could go on\n' +
      'hint: leave it out\n[exit 2]\n',
  );
  expect(existsSync(project.store())).toBe(false);
});

test('images go with the first turn alone, other arguments with every turn, of a fork as well', async () => {
  const project = createShellProject();
  const args = ['-i', 'a.png', 'b.png', '--oss'].map((word) => `--agent-arg=${word}`);
  for (const line of [`start ${args.join(' ')} x`, 'inject @last y', 'fork @last z'])
    expect(await project.$(`${line} --wait`)).toBe('done\n');
  const passed = project.runs().map(({ argv }) => argv.slice(argv.indexOf('-s') + 2));
  expect(passed.map((words) => words.slice(0, -1).filter((word) => word.startsWith('--')))).toEqual([
    ['--image=a.png', '--image=b.png', '--oss'],
    ['--oss'],
    ['--oss'],
  ]);
});

/** A project around which no agent finds a repository. */
function plainProject(): Project {
  const project = createShellProject();
  rmSync(join(project.base, '.git'));
  return project;
}

test('Codex is not started outside of git, where the two ways on are named', async () => {
  const project = plainProject();
  expect(await project.$('start x')).toBe(
    `zwarm: codex works in a git repository alone, and ${project.directory} is in none\n` +
      'hint: run `git init` there; or go without: zwarm start --agent-arg=--skip-git-repo-check "…"\n[exit 2]\n',
  );
  expect(existsSync(project.store())).toBe(false);
  expect(await project.$('start --wait --agent-arg=--skip-git-repo-check x')).toBe('done\n');
  expect(await project.$('inject @last --wait y')).toBe('done\n');
  expect(await project.$('start -a demo --wait [[seconds=0]]')).toMatch(/^Done/);
});

test('a session whose repository is gone is not continued, and a fork of it leaves nothing behind', async () => {
  const project = createShellProject();
  const id = await project.ended();
  rmSync(join(project.base, '.git'));
  for (const verb of ['inject', 'fork'])
    expect(await project.$(`${verb} ${id} y`)).toMatch(
      /is in none\nhint: run `git init` there\n\[exit 2\]\n$/,
    );
  expect(await project.list()).toHaveLength(1);
  expect((await project.show(id)).turns).toHaveLength(1);
});

// What Codex 0.169 itself says to each of them is in test/contract/failures.test.ts.
test.each<[string, string, (directory: string) => void]>([
  ['a directory with a HEAD', 'done\n', (at) => [mkdirSync(at), writeFileSync(join(at, 'HEAD'), '')]],
  ['any file', 'done\n', (at) => writeFileSync(at, 'nonsense')],
  ['an empty directory', '[exit 2]', (at) => mkdirSync(at)],
  ['a link to nothing', '[exit 2]', (at) => symlinkSync('/nonexistent', at)],
])('where .git is %s: %j', async (_, said, make) => {
  const project = plainProject();
  mkdirSync(join(project.directory, 'a/b'), { recursive: true });
  make(join(project.directory, '.git'));
  expect(await project.$('start --wait -C a/b x')).toContain(said);
});

/** Puts a program where an agent may write, and that first on the PATH. */
function plant({ directory, env }: Project, script: string): string {
  const bin = join(directory, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'codex'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  Object.assign(env, { PATH: `${bin}:${env['PATH']}`, ZWARM_CODEX_BIN: undefined });
  return join(bin, 'codex');
}

test('an agent cannot put the program of the next turn in its place', async () => {
  const project = createShellProject();
  const bin = join(project.base, 'bin');
  mkdirSync(bin);
  copyFileSync(SHELL_AGENT, join(bin, 'codex'));
  Object.assign(project.env, { PATH: `${bin}:${project.env['PATH']}`, ZWARM_CODEX_BIN: undefined });
  const id = await project.ended();
  const planted = plant(project, 'echo yes > pwned');
  const refusal = `in its place: nothing was run\\nhint: .*ZWARM_CODEX_BIN=${planted}[^]*\\[exit 5\\]`;
  for (const line of [`inject ${id} more`, 'start other'])
    expect(await project.$(line)).toMatch(new RegExp(refusal));
  expect((await project.show(id)).turn).toBe(1);
  expect(existsSync(join(project.directory, 'pwned'))).toBe(false);
});

test('a program in the project is run for whoever names it, or works in all of a home directory', async () => {
  const project = createShellProject();
  const path = plant(project, 'echo 1.2.3');
  const home = { HOME: project.directory, XDG_STATE_HOME: join(project.base, 'state') };
  for (const env of [{ ZWARM_CODEX_BIN: path }, home])
    expect(await project.$('start x', { env })).toMatch(/^\w{10}\n$/);
});

test('whoever starts an agent below one that may write above it is warned', async () => {
  const project = createShellProject();
  mkdirSync(join(project.directory, 'sub'));
  const below = 'start --wait -C sub quick';
  const reader = await project.start(['-s', 'read-only', 'hang']);
  expect(await project.$(below)).toBe('done\n');
  await project.ok(['kill', reader]);
  const writer = await project.start(['hang']);
  expect(await project.$(below)).toBe(
    `done\nzwarm: warning: the agent of ${writer} works above ${project.directory}/sub and can put a link to another directory in its place\n`,
  );
  // Beside it there is nothing to exchange.
  expect(await project.$('start --wait quick')).toBe('done\n');
  await project.ok(['kill', writer]);
  expect(await project.$(below)).toBe('done\n');
});
