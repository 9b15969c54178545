import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { place } from '../helpers/config.ts';
import { createOrdinaryProject } from '../helpers/ordinary-project.ts';
import {
  createProject,
  createShellProject,
  eventually,
  FAKE_AGENT,
  type Project,
  SHELL_AGENT,
  ZWARM,
} from '../helpers/project.ts';
import { createRepository } from '../helpers/repository.ts';
import { snapshot } from '../helpers/tree.ts';

/* What is refused before there is a session, or warned of. */

test('an argument with which a session could not go on is refused', async () => {
  const project = createProject();
  expect(await project.$('start --agent-arg=--ephemeral x')).toBe(
    'zwarm: --agent-arg=--ephemeral cannot be passed on: codex would forget the conversation, so that none could go on\n' +
      'hint: leave it out\n[exit 2]\n',
  );
  expect(fs.existsSync(project.store())).toBe(false);
});

test('images go with each new thread, which a fork here has, other arguments with every turn', async () => {
  const project = createShellProject();
  const files = ['a.png', 'b.png'].map((name) => join(project.directory, name));
  for (const file of files) fs.writeFileSync(file, '');
  const args = ['-i', 'a.png', 'b.png', '--oss'].map((word) => `--agent-arg=${word}`);
  for (const line of [`start ${args.join(' ')} x`, 'inject @last y', 'fork @last z'])
    expect(await project.$(`${line} --wait`)).toBe('done\n');
  const passed = project.runs().map(({ argv }) => argv.slice(argv.indexOf('-s') + 2));
  expect(passed.map((words) => words.slice(0, -1).filter((word) => word.startsWith('--')))).toEqual([
    [...files.map((file) => `--image=${file}`), '--oss'],
    ['--oss'],
    [...files.map((file) => `--image=${file}`), '--oss'],
  ]);
});

test('what arguments name is looked for where the user is, and refused where it cannot be passed on', async () => {
  const project = createShellProject();
  const [here, there] = ['here', 'there'].map((name) => join(project.directory, name)) as [string, string];
  for (const directory of [here, there]) fs.mkdirSync(directory);
  for (const name of ['shot.png', 'a,b.png']) fs.writeFileSync(join(here, name), '');
  fs.symlinkSync('shot.png', join(here, 'link.png'));
  fs.symlinkSync(there, join(here, 'out'));
  execFileSync('mkfifo', [join(here, 'pipe.png')]);
  const start = (...words: string[]) =>
    project.zwarm(['start', '-C', there, '--wait', ...words.map((word) => `--agent-arg=${word}`), 'x'], {
      cwd: here,
    });

  const hint = 'hint: name another path: --agent-arg=--image=PATH (a "," divides two of them)\n';
  const refused: readonly (readonly [words: string, why: string])[] = [
    ['-i missing.png', `--image missing.png cannot be passed on: ${here}/missing.png is not there`],
    ['-i shot.png missing.png', `--image missing.png cannot be passed on: ${here}/missing.png is not there`],
    ['-i shot.png,missing.png', `--image missing.png cannot be passed on: ${here}/missing.png is not there`],
    ['--image=a,b.png', `--image a cannot be passed on: ${here}/a is not there`],
    ['-i ../here', `--image ../here cannot be passed on: ${here} is not a file`],
    ['-i pipe.png', `--image pipe.png cannot be passed on: ${here}/pipe.png is not a file`],
    ['-i shot.png/x', `--image shot.png/x cannot be passed on: ${here}/shot.png/x cannot be read`],
    ['--image=', '--image cannot be passed on: a path of it is empty'],
    // Where the link leads, nothing of that name is above.
    [
      '-i out/../shot.png',
      `--image out/../shot.png cannot be passed on: ${project.directory}/shot.png is not there`,
    ],
  ];
  for (const [words, why] of refused)
    expect(await start(...words.split(' ')), words).toEqual({
      code: 2,
      stdout: '',
      stderr: `zwarm: ${why}\n${hint}`,
    });
  for (const words of ['--add-dir=../missing', '--add-dir shot.png', '-o missing/last', '-o ../there'])
    expect((await start(...words.split(' '))).code, words).toBe(2);
  expect(fs.existsSync(project.store())).toBe(false);

  const passed = await start(
    '-ishot.png',
    '-i',
    'link.png,../here/shot.png',
    '--add-dir',
    '../there',
    '-o=last',
  );
  expect(passed).toMatchObject({ code: 0, stdout: 'done\n' });
  const [{ argv = [], cwd } = {}] = project.runs();
  expect(cwd).toBe(there);
  expect(argv.slice(argv.indexOf('-s') + 4, -1)).toEqual([
    `--image=${here}/shot.png`,
    `--image=${here}/link.png,${here}/shot.png`,
    '--add-dir',
    there,
    `--output-last-message=${here}/last`,
  ]);
});

test('what the first message came with is not lost in silence: not while it waits, and not with a thread', async () => {
  const project = createShellProject();
  const [shot, away] = ['shot.png', 'away.png'].map((name) => join(project.directory, name)) as [
    string,
    string,
  ];
  const image = `--image=${shot}`;
  fs.writeFileSync(shot, '');
  const args = ['--agent-arg=-i', '--agent-arg=shot.png'];
  const busy = await project.begin('hang');
  const queued = await project.ok(['start', '-q', '--after', busy, '--even-if-failed', ...args, 'x']);
  fs.renameSync(shot, away);
  await project.ok(['kill', busy]);
  await eventually('its turn has come', async () => (await project.show(queued)).status === 'failed');
  expect((await project.show(queued)).error).toMatchObject({
    code: 'spawn_error',
    message: expect.stringContaining(`--image ${shot} cannot be passed on: ${shot} is not there`),
  });

  fs.renameSync(away, shot);
  const mute = join(project.base, 'mute');
  fs.writeFileSync(mute, '#!/bin/sh\n[ "$1" != --version ] || echo codex-cli 0.169.0\n', { mode: 0o755 });
  const begun = await project.zwarm(['start', '-q', '--wait', ...args, 'look'], {
    env: { ZWARM_CODEX_BIN: mute },
  });
  const id = begun.stdout.trim();
  await project.settled(id);
  const inject = async (message: string) => {
    const { code, stderr } = await project.zwarm(['inject', id, '--wait', message]);
    const argv = project.runs().at(-1)?.argv ?? [];
    return { code, stderr, images: argv.filter((word) => word.startsWith('--image=')) };
  };
  expect(await inject('and now')).toEqual({ code: 0, stderr: '', images: [image] });
  expect(await inject('and more')).toEqual({ code: 0, stderr: '', images: [] });
  await project.ok(['rewind', id, '--to', '1']);
  fs.rmSync(shot);
  const stderr = `zwarm: warning: the agent gets no ${image}: it is gone\n`;
  expect(await inject('and then')).toEqual({ code: 0, stderr, images: [] });
  expect((await project.show(id)).turns.at(-1)?.replay_reason).toMatch(new RegExp(`; ${image} is gone$`));
});

test('a key leads to its session, also where what its arguments name is gone', async () => {
  const project = createShellProject();
  const shot = join(project.directory, 'shot.png');
  fs.writeFileSync(shot, '');
  const line = 'start -q --key k --agent-arg=-i --agent-arg=shot.png x';
  const id = (await project.$(line)).trim();
  fs.rmSync(shot);
  expect(await project.$(line)).toBe(`${id}\nzwarm: ${id} was started with this key before\n`);
  expect(await project.$(line.replace('shot', 'other'))).toContain('with another agent_args');
});

/** A project around which no agent finds a repository. */
function plainProject(): Project {
  const project = createShellProject();
  fs.rmSync(join(project.base, '.git'));
  return project;
}

test('Codex is not started outside of git, where the two ways on are named', async () => {
  const project = plainProject();
  expect(await project.$('start x')).toBe(
    `zwarm: codex works only in a git repository, and ${project.directory} is in none\n` +
      'hint: run `git init` there; or go without: zwarm start --agent-arg=--skip-git-repo-check "…"\n[exit 2]\n',
  );
  expect(fs.existsSync(project.store())).toBe(false);
  expect(await project.$('start --wait --agent-arg=--skip-git-repo-check x')).toBe('done\n');
  expect(await project.$('inject @last --wait y')).toBe('done\n');
  expect(await project.$('start -a demo --wait [[seconds=0]]')).toMatch(/^Done/);
});

test('a session whose repository is gone is not continued, and a fork of it leaves nothing behind', async () => {
  const project = createShellProject();
  const id = await project.ended();
  fs.rmSync(join(project.base, '.git'));
  for (const verb of ['inject', 'fork'])
    expect(await project.$(`${verb} ${id} y`)).toMatch(
      /is in none\nhint: run `git init` there\n\[exit 2\]\n$/,
    );
  expect(await project.list()).toHaveLength(1);
  expect((await project.show(id)).turns).toHaveLength(1);
});

// What Codex 0.169 itself says to each of them is in test/contract/failures.test.ts.
test.each<[string, string, (directory: string) => void]>([
  ['a directory with a HEAD', 'done\n', (at) => [fs.mkdirSync(at), fs.writeFileSync(join(at, 'HEAD'), '')]],
  ['any file', 'done\n', (at) => fs.writeFileSync(at, 'nonsense')],
  ['an empty directory', '[exit 2]', (at) => fs.mkdirSync(at)],
  ['a link to nothing', '[exit 2]', (at) => fs.symlinkSync('/nonexistent', at)],
])('where .git is %s: %j', async (_, said, make) => {
  const project = plainProject();
  fs.mkdirSync(join(project.directory, 'a/b'), { recursive: true });
  make(join(project.directory, '.git'));
  expect(await project.$('start --wait -C a/b x')).toContain(said);
});

/** Puts a program where an agent may write, and that first on the PATH. */
function plant({ directory, env }: Project, script: string): string {
  const bin = join(directory, 'node_modules', '.bin');
  fs.mkdirSync(bin, { recursive: true });
  fs.writeFileSync(join(bin, 'codex'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  Object.assign(env, { PATH: `${bin}:${env['PATH']}`, ZWARM_CODEX_BIN: undefined });
  return join(bin, 'codex');
}

test('an agent cannot put the program of the next turn in its place', async () => {
  const project = createShellProject();
  const bin = join(project.base, 'bin');
  fs.mkdirSync(bin);
  fs.copyFileSync(SHELL_AGENT, join(bin, 'codex'));
  Object.assign(project.env, { PATH: `${bin}:${project.env['PATH']}`, ZWARM_CODEX_BIN: undefined });
  const id = await project.ended();
  const planted = plant(project, 'echo yes > pwned');
  const refusal = `in its place: nothing was run\\nhint: .*ZWARM_CODEX_BIN=${planted}[^]*\\[exit 5\\]`;
  for (const line of [`inject ${id} more`, 'start other'])
    expect(await project.$(line)).toMatch(new RegExp(refusal));
  expect((await project.show(id)).turn).toBe(1);
  expect(fs.existsSync(join(project.directory, 'pwned'))).toBe(false);
});

test('a program in the project is run for whoever names it, or works in all of a home directory: by one that cannot change it', async () => {
  const project = createShellProject();
  const path = plant(project, 'echo 1.2.3');
  const home = { HOME: project.directory, XDG_STATE_HOME: join(project.base, 'state') };
  for (const env of [{ ZWARM_CODEX_BIN: path }, home]) {
    expect(await project.$('start -s read-only x', { env })).toMatch(/^\w{10}\n$/);
    expect(await project.$('start x', { env })).toContain(', which it may write\nhint: ');
  }
  await project.ok(['config', 'set', 'reachable_installation', 'true']);
  expect(await project.$('start x', { env: { ZWARM_CODEX_BIN: path } })).toMatch(/^\w{10}\n$/);
});

test('whoever starts an agent below one that may write above it is warned', async () => {
  const project = createShellProject();
  fs.mkdirSync(join(project.directory, 'sub'));
  const below = 'start --wait -C sub quick';
  const reader = await project.start(['-s', 'read-only', 'hang']);
  expect(await project.$(below)).toBe('done\n');
  await project.ok(['kill', reader]);
  const writer = await project.start(['hang']);
  expect(await project.$(below)).toBe(
    `done\nzwarm: warning: the agent of ${writer} works above ${project.directory}/sub and can put a link to another directory in its place\n`,
  );
  // Beside it there is nothing to exchange.
  expect(await project.$('start --wait quick')).toBe(
    `done\nzwarm: warning: the agent of ${writer} writes in the same directory; with -W it would have a tree of its own\n`,
  );
  await project.ok(['kill', writer]);
  expect(await project.$(below)).toBe('done\n');
});

function configureCodex(project: Project, table: string, root: string | undefined): undefined {
  const directory = join(project.env['HOME'] ?? '', '.codex');
  fs.mkdirSync(directory);
  const text = `[${table}]\nwritable_roots = [\n  ${JSON.stringify(root)}, # all\n]\n`;
  fs.writeFileSync(join(directory, 'config.toml'), text);
}

/** Where the agent of a turn in workspace-write could write the state directory: what leads there, in env or arguments. */
test.each<[string, (project: Project) => Record<string, string> | undefined, ...string[]]>([
  ['the project is the home directory', ({ directory }) => ({ HOME: directory })],
  ['the home directory lies below the temporary one', ({ base }) => ({ TMPDIR: base })],
  ['the state directory lies in /tmp', () => ({ ZWARM_DIR: '/tmp/zwarm-of-a-test' })],
  ['ZWARM_DIR lies in the project', ({ directory }) => ({ ZWARM_DIR: join(directory, 'state') })],
  [
    'it is reached through a link',
    ({ base, directory }) => {
      fs.symlinkSync(directory, join(base, 'link'));
      return { XDG_STATE_HOME: join(base, 'link') };
    },
  ],
  ['a configuration names one above', (it) => configureCodex(it, 'sandbox_workspace_write', it.base)],
  ['a profile names it', (it) => configureCodex(it, 'profiles.wide.sandbox_workspace_write', it.env['HOME'])],
  ['--add-dir names a directory above it', () => ({}), '--add-dir', '../home'],
  ['-c names it', () => ({}), '-c', 'sandbox_workspace_write.writable_roots=["~/.local"]'],
])('a turn is refused where %s', async (_, arrange, ...args) => {
  const project = createProject('p');
  const passed = args.map((arg) => `--agent-arg=${arg}`);
  const refused = await project.zwarm(['start', ...passed, 'hello'], { env: arrange(project) ?? {} });
  expect(refused).toMatchObject({ code: 5, stdout: '' });
  expect(refused.stderr).toMatch(
    /^zwarm: the agent could write to zwarm's own records: \/.+ lies in \/.+, which it may write\nhint: set (XDG_STATE_HOME|ZWARM_DIR) to a directory elsewhere, .+$/m,
  );
  expect(fs.existsSync(join(project.directory, '.zwarm'))).toBe(false);
  expect(project.runs()).toEqual([]);
});

test('a turn is refused where a configuration above its directory names the state directory, or cannot be read', async () => {
  const project = createProject('p');
  const file = join(project.directory, '.codex/config.toml');
  fs.mkdirSync(join(project.directory, '.codex'));
  fs.mkdirSync(join(project.directory, 'a/b'), { recursive: true });
  const start = () => project.zwarm(['start', '-C', 'a/b', 'hello']);
  fs.writeFileSync(file, '[sandbox_workspace_write]\nwritable_roots = ["~/.local"]\n');
  expect(await start()).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('/.local, which it may write\n'),
  });
  fs.writeFileSync(file, 'writable_roots = [');
  expect(await start()).toEqual({
    code: 5,
    stdout: '',
    stderr: `zwarm: the agent could write to zwarm's own records: zwarm cannot tell what it may write by ${file}
hint: take that out or write it otherwise, run it with -s read-only, or give that safety up: zwarm config set reachable_state true
`,
  });
  expect(project.runs()).toEqual([]);
  fs.writeFileSync(file, '[sandbox_workspace_write]\nwritable_roots = ["~/elsewhere"]\n');
  expect(await start()).toMatchObject({ code: 0 });
});

test('the refusal holds for every turn, and not for one that cannot write or can write everywhere', async () => {
  const project = createProject('p');
  const env = { TMPDIR: project.base };
  const id = await project.ended();
  for (const line of [`inject ${id} again`, `fork ${id} again`, `compact ${id}`])
    expect(await project.$(line, { env })).toContain('[exit 5]');
  for (const how of ['-s read-only', '-s danger-full-access', '-a demo'])
    expect(await project.$(`start ${how} hello`, { env })).not.toContain('[exit');
});

test('the user’s own configuration can allow it, the project’s cannot, as doctor says', async () => {
  const project = createProject('p');
  const env = { TMPDIR: project.base };
  const access = async () => {
    const { checks } = JSON.parse((await project.zwarm(['doctor', '--json'], { env })).stdout);
    return checks.find(({ name }: { name: string }) => name === 'agent-access');
  };
  fs.writeFileSync(join(project.directory, 'zwarm.toml'), 'reachable_state = true\n');
  expect(await project.zwarm(['start', 'hello'], { env })).toMatchObject({ code: 5 });
  expect(await access()).toMatchObject({ status: 'failed' });
  await project.ok(['config', 'set', 'reachable_state', 'true']);
  // The home lies there, too, and with it the configuration that says so.
  expect(await project.zwarm(['start', 'hello'], { env })).toMatchObject({
    code: 5,
    stderr: `zwarm: the agent could change the configuration of zwarm: ${project.base}/home/.config/zwarm lies in ${project.base}, which it may write
hint: set XDG_CONFIG_HOME to a directory elsewhere, run it with -s read-only, or give that safety up: zwarm config set reachable_installation true
`,
  });
  expect(await access()).toMatchObject({ status: 'failed' });
  await project.ok(['config', 'set', 'reachable_installation', 'true']);
  expect(await project.zwarm(['start', 'hello'], { env })).toMatchObject({ code: 0 });
  expect(await access()).toMatchObject({
    status: 'note',
    message: expect.stringMatching(
      /could write to zwarm's own records: .*; change the configuration of zwarm: /,
    ),
  });
});

test('a state directory in the project is allowed by one setting', async () => {
  const project = createProject('p');
  await project.ok(['config', 'set', 'reachable_state', 'true']);
  const ZWARM_DIR = join(project.directory, '.state');
  await project.ok(['start', 'hello'], { env: { ZWARM_DIR } });
  expect(fs.statSync(join(ZWARM_DIR, 'compiled')).isFile()).toBe(true);
});

test.each([
  ['a first turn', 'start hello'],
  ['a later one', 'inject @last hello'],
  ['one in a worktree', 'start -W hello'],
  ['a fork in a worktree', 'fork @last -W hello'],
  ['one that waited', 'start --queue hello'],
])('where the agent of %s may write the records, nothing compiled is kept any more', async (_, line) => {
  const project = createRepository();
  const isFirst = line === 'start hello';
  const compiled = join(project.state, 'compiled');
  if (!isFirst) {
    await project.ended();
    fs.mkdirSync(join(compiled, 'build'), { recursive: true });
  }
  await project.ok(['config', 'set', 'reachable_state', 'true']);
  // What cannot be read may name any place.
  place(join(project.base, 'home/.codex/config.toml'), 'writable_roots = [');
  expect(await project.$(line)).not.toContain('[exit');
  await eventually('its runner has begun', () => project.runs().length === (isFirst ? 1 : 2));
  expect(fs.readFileSync(compiled, 'utf8')).toMatch(
    /^Nothing .* is kept here: .*\(reachable_state\)\.\nDelete this file/,
  );
  await project.asProcess(['ls']);
  expect(fs.lstatSync(compiled).isFile()).toBe(true);
  fs.rmSync(compiled);
  await project.asProcess(['ls']);
  expect(fs.lstatSync(compiled).isDirectory()).toBe(true);
});

/** Something that zwarm relies on, put where the agent of a turn may write; what the refusal calls it, where, and by what link. */
test.each<
  [string, string, (project: Project) => { env?: Record<string, string>; path: string; link?: string }]
>([
  [
    'zwarm is found there first',
    'which program runs as zwarm',
    ({ directory, env }) => {
      const bin = join(directory, 'bin');
      fs.mkdirSync(bin);
      fs.symlinkSync(ZWARM, join(bin, 'zwarm'));
      return { env: { PATH: `${bin}:${env['PATH']}` }, path: join(bin, 'zwarm') };
    },
  ],
  [
    'what runs the agent’s program is there',
    'the program of codex',
    ({ base, directory }) => {
      const shell = join(directory, 'sh');
      fs.symlinkSync('/bin/sh', shell);
      const script = `#!${shell}\nexec ${SHELL_AGENT} "$@"\n`;
      fs.writeFileSync(join(base, 'codex'), script, { mode: 0o755 });
      return { env: { ZWARM_CODEX_BIN: join(base, 'codex') }, path: shell };
    },
  ],
  [
    'the agent’s program is a link to a link there',
    'the program of codex',
    ({ base, directory }) => {
      fs.symlinkSync(SHELL_AGENT, join(directory, 'inner'));
      fs.symlinkSync('project/inner', join(base, 'codex'));
      const link = join(base, 'codex');
      return { env: { ZWARM_CODEX_BIN: link }, path: join(directory, 'inner'), link };
    },
  ],
  [
    'zwarm’s configuration is there',
    'the configuration of zwarm',
    ({ directory }) => ({
      env: { XDG_CONFIG_HOME: join(directory, 'config') },
      path: join(directory, 'config/zwarm'),
    }),
  ],
  [
    'the rules of Codex are a link to there',
    'the configuration of codex',
    ({ base, directory }) => {
      fs.mkdirSync(join(base, 'home/.codex'));
      fs.symlinkSync(join(directory, 'dotfiles'), join(base, 'home/.codex/rules'));
      return { path: join(directory, 'dotfiles'), link: join(base, 'home/.codex/rules') };
    },
  ],
  [
    'the settings of another agent that is here are there',
    'the configuration of claude',
    ({ directory }) => ({
      env: { ZWARM_CLAUDE_BIN: FAKE_AGENT, CLAUDE_CONFIG_DIR: directory },
      path: join(directory, 'settings.json'),
    }),
  ],
])('a turn is refused where %s', async (_, what, arrange) => {
  const project = createShellProject();
  const id = await project.ended();
  const { env = {}, path, link } = arrange(project);
  const where = link === undefined ? path : `${link} leads to ${path}, which`;
  const refusal = `zwarm: the agent could change ${what}: ${where} lies in ${project.directory}, which it may write\nhint: `;
  for (const line of ['start quick', `inject ${id} quick`, `fork ${id} quick`]) {
    const said = await project.$(line, { env });
    expect(said.slice(0, refusal.length), line).toBe(refusal);
    expect(said).toMatch(/, run it with -s read-only, .* reachable_installation true\n\[exit 5\]\n$/);
  }
  expect(await project.list()).toHaveLength(1);
  expect(await project.$('start -s read-only --wait quick', { env })).toBe('done\n');
});

test('start says once that the state directory goes sooner than the project', async () => {
  const env = { ZWARM_DIR: fs.mkdtempSync('/dev/shm/zwarm-test-') };
  // Before the project, so that it is done after it: when nothing writes there any more.
  onTestFinished(() => fs.rmSync(env.ZWARM_DIR, { recursive: true, force: true }));
  const project = createProject('p');
  const first = await project.zwarm(['start', '-s', 'read-only', 'hello'], { env });
  expect(first.stderr).toContain(`${env.ZWARM_DIR} lies on tmpfs, and may be gone sooner than the project`);
  expect((await project.zwarm(['start', '-s', 'read-only', 'hello'], { env })).stderr).toBe('');
});

test('a directory that its user may not read is refused, and no store is made', async () => {
  const { ordinary, directory, store } = createOrdinaryProject();
  fs.mkdirSync(join(directory, 'closed'), { mode: 0o311 });
  expect(await ordinary(['start', '-C', 'closed', 'x'])).toMatchObject({
    code: 2,
    stderr: `zwarm: ${directory}/closed cannot be read\nhint: change its permissions, or give another one with -C DIR\n`,
  });
  expect(fs.existsSync(store())).toBe(false);
});

const script = (project: Project, text: string, mode: number): Record<string, string> => {
  const path = join(project.base, 'agent');
  fs.writeFileSync(path, text, { mode });
  return { ZWARM_CODEX_BIN: path };
};

test.each<[string, RegExp, (project: Project, directory: string) => Record<string, string> | undefined]>([
  [
    'its directory is gone',
    /^zwarm: (there is no directory|the agent's directory is gone or cannot be read:) \/.*\/sub\nhint: .* -C DIR.*\n\[exit [24]\]\n$/,
    (_, directory) => void fs.rmdirSync(directory),
  ],
  [
    'a file is in the place of its directory',
    /^zwarm: (\/.*\/sub is not a directory|the agent's directory is gone or cannot be read: \/.*\/sub)\nhint: .* -C DIR.*\n\[exit [24]\]\n$/,
    (_, directory) => {
      fs.rmdirSync(directory);
      fs.writeFileSync(directory, '');
      return undefined;
    },
  ],
  [
    'its repository is gone',
    /^zwarm: codex works only in a git repository, .*\nhint: .*\n\[exit 2\]\n$/,
    ({ base }) => void fs.rmSync(join(base, '.git')),
  ],
  [
    'its program is missing',
    /^zwarm: ZWARM_CODEX_BIN names no file: .*\nhint: .*\n\[exit 127\]\n$/,
    ({ base }) => ({ ZWARM_CODEX_BIN: join(base, 'nothing') }),
  ],
  [
    'its program may not be executed',
    /^zwarm: .*\/agent may not be executed\nhint: chmod .*\n\[exit 126\]\n$/,
    (project) => script(project, '#!/bin/sh\n', 0o600),
  ],
  [
    'its program is a script without an interpreter',
    /^zwarm: .*\/agent cannot be run: .*\nhint: see its first line, .*\n\[exit 126\]\n$/,
    (project) => script(project, '#!/no/such/interpreter\n', 0o700),
  ],
  [
    'its agent could write the state directory',
    /^zwarm: the agent could write to zwarm's own records: .*\nhint: .*\n\[exit 5\]\n$/,
    ({ base }) => ({ TMPDIR: base }),
  ],
])('where %s, no verb begins a turn, prints an id or writes anything', async (_what, said, spoil) => {
  const project = createShellProject();
  const directory = join(project.directory, 'sub');
  // The project's own store comes first: without it the directory would be a project.
  await project.ended();
  fs.mkdirSync(directory);
  const id = await project.ended(['-C', 'sub', 'x']);
  const env = spoil(project, directory) ?? {};
  const before = snapshot(project.base);
  const turns = ['', '--queue', '--interrupt'].map((option) => `inject ${id} ${option} y`);
  for (const line of ['start -C sub y', ...turns, `fork ${id} y`, `compact ${id}`])
    expect.soft(await project.$(line, { env }), line).toMatch(said);
  expect(snapshot(project.base)).toEqual(before);
});
