import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../helpers/config.ts';
import { readPage } from '../helpers/document.ts';
import { git } from '../helpers/git.ts';
import { withZwarmOnPath } from '../helpers/on-path.ts';
import { createProject, type Project, repositoryFile, runProgram, SHELL_AGENT } from '../helpers/project.ts';

/** The command lines of the guide, in their order, without what is said of them. */
const LINES = [...readPage('docs/guide.md').matchAll(/^\$ (.*)$/gm)].map(([, line = '']) =>
  line.replace(/ {3,}\S.*$/, ''),
);

/** What needs a person at a terminal: `test/contract` has that. */
const AT_A_TERMINAL = /^zwarm open /;

/** What stands for the network: each machine is a home below `MACHINES`. */
const NETWORK = {
  scp: `#!/bin/sh
cp -- "$1" "$MACHINES/\${2%%:*}/\${2#*:}"
`,
  ssh: `#!/bin/sh
[ "$1" = -t ] && shift
cd "$MACHINES/$1" && unset CODEX_HOME && HOME=$PWD exec sh -c "$2"
`,
};

/** Another machine that scp and ssh reach by this name, with a directory `shop` in its home; that home. */
function addMachine({ base, env }: Project, name: string): string {
  const programs = join(base, 'network');
  for (const [program, text] of Object.entries(NETWORK)) {
    const path = join(programs, program);
    place(path, text);
    chmodSync(path, 0o755);
  }
  Object.assign(env, { MACHINES: join(base, 'machines'), PATH: `${programs}:${env['PATH']}` });
  const home = join(base, 'machines', name);
  mkdirSync(join(home, 'shop'), { recursive: true });
  return home;
}

/** A project whose user has a thread of Codex and the project of a Python zwarm beside it. */
function createReader() {
  const project = createProject();
  const { base, directory, env } = project;
  withZwarmOnPath(project);
  mkdirSync(join(base, 'home/.config/fish/completions'), { recursive: true });
  mkdirSync(join(base, 'functions'));
  env['CODEX_HOME'] = join(base, 'home/.codex');
  const thread = readFileSync(repositoryFile('fixtures/session-files/codex-0.58.jsonl'), 'utf8');
  const name = 'rollout-2026-11-20T10-30-26-01a20a1e-4267-7873-bab7-f18fc6f27c16.jsonl';
  place(join(base, 'home/.codex/sessions/2026/11/20', name), thread.replaceAll('/workspace', directory));
  const old = join(base, 'old-project/.zwarm/sessions/aaaaaaaa-1111-4222-8333-aaaaaaaaaaaa');
  place(join(old, 'meta.json'), JSON.stringify({ id: 'a', task: 'old', working_dir: directory }));
  const stream = repositoryFile('fixtures/streams/codex-older/0.58.0-thread-turn1.jsonl');
  place(join(old, 'turns/turn_1.jsonl'), readFileSync(stream, 'utf8'));
  place(join(directory, 'review.json'), '{"type":"object"}');
  git(directory, 'init', '-q', '-b', 'main');
  place(join(directory, 'package.json'), '{"scripts":{"test":"true"}}');
  git(directory, 'add', 'package.json');
  git(directory, 'commit', '-q', '-m', 'first');
  // Who commits.
  for (const one of ['AUTHOR', 'COMMITTER']) {
    env[`GIT_${one}_NAME`] = 'reader';
    env[`GIT_${one}_EMAIL`] = 'reader@example.org';
  }
  for (const name of ['a', 'b']) place(join(directory, `tasks/${name}.md`), `do ${name}`);
  return project;
}

test('every command line of the guide does what it says', async () => {
  const project = createReader();
  const { base, directory, env } = project;
  const laptop = addMachine(project, 'laptop');
  const failed: string[] = [];
  const begin = () => project.start(['-a', 'demo', 'x [[seconds=600]]']);
  const running = new Map([
    ['ab12', await begin()],
    ['cd34', await begin()],
  ]);
  const ids = [...running.values()];
  for (const line of LINES.filter((one) => !AT_A_TERMINAL.test(one))) {
    const named = line.replace(/ab12|cd34/, (id) => running.get(id) ?? id);
    // An array of zsh.
    const command = named.replace(/"\$\{fpath\[1\]\}/, '"$HOME/../functions');
    const { code, stderr } = await runProgram('/bin/sh', ['-c', command], { cwd: directory, env });
    if (code !== 0) failed.push(`${line} [exit ${code}] ${stderr.split('\n')[0]}`);
    // The next line may go on with what this one has begun.
    const rows = await project.list(['--status', 'running,pending']);
    const begun = rows.map(({ id }) => String(id)).filter((id) => !ids.includes(id));
    if (begun.length > 0) await project.zwarm(['wait', ...begun]);
  }
  expect(failed).toEqual([]);
  const carried = await runProgram('ssh', ['laptop', 'cd shop && zwarm show cart --json'], { env });
  expect(JSON.parse(carried.stdout)).toMatchObject({ name: 'cart', project: join(laptop, 'shop') });
  expect(LINES.length).toBeGreaterThan(40);
  expect(readFileSync(join(base, 'project/cart.html'), 'utf8')).toContain('<!doctype html>');
});

test('the six agents of the README end as one commit of the user, and nothing of their sessions is left', async () => {
  const project = createProject();
  withZwarmOnPath(project);
  const { base, directory, env } = project;
  place(join(directory, 'package.json'), '{"scripts":{"test":"test -e fast.js"}}');
  git(directory, 'init', '-q', '-b', 'main');
  git(directory, 'add', '.');
  git(directory, 'commit', '-q', '-m', 'first');
  for (const one of ['AUTHOR', 'COMMITTER'])
    Object.assign(env, { [`GIT_${one}_NAME`]: 'reader', [`GIT_${one}_EMAIL`]: 'reader@example.org' });
  env['ZWARM_CODEX_BIN'] = join(base, 'agent');
  const agent = `[ "$1" = --version ] || pwd > fast.js\nexec ${SHELL_AGENT} "$@"`;
  place(join(base, 'agent'), `#!/bin/sh\n${agent}\n`);
  chmodSync(join(base, 'agent'), 0o755);
  const [, story = ''] = /^## Six agents.*?```sh\n(.*?)```/ms.exec(readPage('README.md')) ?? [];
  const lines = story.split('\n').filter(Boolean);
  const said: string[] = [];
  for (const line of lines) {
    const { code, stdout, stderr } = await runProgram('/bin/sh', ['-c', line], { cwd: directory, env });
    expect([line, code, stderr.includes('hint')]).toEqual([line, 0, false]);
    said.push(stdout);
  }
  expect(said[2]?.match(/\tpassed\t/g)).toHaveLength(6);
  expect(said[3]).toContain('+++ b/fast.js');
  expect(git(directory, 'log', '--format=%an', 'main').split('\n')).toHaveLength(2);
  expect(git(directory, 'status', '--porcelain')).toBe('');
  expect(await project.list(['--all'])).toEqual([]);
});
