import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentAdapter, AgentProbe } from '../../../../src/agents/agent.ts';
import { claude } from '../../../../src/agents/claude/index.ts';
import { codex } from '../../../../src/agents/codex/index.ts';
import { demo } from '../../../../src/agents/demo/index.ts';
import { finding } from '../../../../src/core/check.ts';
import { installation } from '../../../../src/installation.ts';
import { checkAgents } from '../../../../src/manager/doctor/agents.ts';
import { checkConfinement } from '../../../../src/manager/doctor/confinement.ts';
import { emptyDirectory } from '../../../helpers/directory.ts';

/** An agent that nobody needs, with one question. */
const OTHER: AgentAdapter = {
  ...codex,
  name: 'other',
  program: {
    kind: 'path',
    binary: 'other',
    variable: 'ZWARM_OTHER_BIN',
    packageName: 'other',
    native: () => [],
    install: 'npm install -g other',
  },
  probe: {
    configurationFile: ({ CONFIGURATION }) => CONFIGURATION ?? null,
    questions: [
      {
        names: ['health', 'mood'],
        args: ['well?'],
        judge: ({ code, stdout }, { configuration }) => ({
          health: finding(code === 0 ? 'ok' : 'failed', `${stdout.trim()}, ${configuration}`),
        }),
      },
    ],
  },
};

function program(directory: string, name: string, script = 'echo 1.2.3'): string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

function scene() {
  const base = emptyDirectory();
  const [project, bin] = [join(base, 'project'), join(base, 'bin')];
  for (const directory of [project, bin]) mkdirSync(directory);
  const PATH = `${bin}:/usr/bin:/bin`;
  /** One line for each check: its status, what was found, and what to do. */
  async function checks(
    agents: readonly AgentAdapter[],
    { cwd = project, timeoutMs = 60_000, env = {} as Record<string, string>, uid = 0 } = {},
  ): Promise<string[]> {
    const context = { ...installation(), cwd, env: { PATH, ...env }, uid, stateDir: null };
    const all = await checkAgents(context, agents, timeoutMs);
    const lines = all.map(({ name, status, message, hint }) => `${name} ${status}: ${message} (${hint})`);
    return lines.map((line) => line.replaceAll(base, '~'));
  }
  return { base, project, bin, checks };
}

test('a missing default agent has failed, and is not needed where another can run', async () => {
  const { bin, checks } = scene();
  const found = await checks([codex, OTHER, demo]);
  expect(found.filter((line) => /^(codex|codex-login|other|demo) /.test(line))).toEqual([
    expect.stringMatching(/^codex failed: .*npm install -g @openai\/codex/),
    'codex-login skipped: there is no codex to ask (null)',
    expect.stringMatching(/^other skipped: .*install -g other/),
    'demo ok: part of zwarm (null)',
  ]);
  program(bin, 'other');
  const more = await checks([codex, OTHER, demo]);
  expect(more[0]).toMatch(/^codex skipped: /);
  expect(more).toContain('other ok: 1.2.3, ~/bin/other (null)');
});

test('an agent that was set up and does not work is a warning, and so is one without a version', async () => {
  const { bin, checks } = scene();
  const [named] = await checks([OTHER], { env: { ZWARM_OTHER_BIN: '/nowhere/other' } });
  expect(named).toMatch(/^other warning: .*\/nowhere/);
  writeFileSync(join(bin, 'other'), '', { mode: 0o644 });
  expect((await checks([OTHER]))[0]).toMatch(/^other warning: .*chmod \+x/);
  rmSync(join(bin, 'other'));
  program(bin, 'other', 'exit 1');
  expect((await checks([OTHER]))[0]).toBe(
    'other warning: ~/bin/other does not tell its version (see what it says: ~/bin/other --version)',
  );
});

// Below the base: the program, a link with its target before it, and the directory on the PATH.
test.each([
  ['the program', 'project/bin/other', null, 'project/bin'],
  ['what a link on the PATH leads to', 'project/real', ['project/real', 'bin/other'], 'bin'],
  ['the link on the PATH', 'real', ['real', 'project/other'], 'project'],
  ['the directory of a link on the PATH', 'project/tools/other', ['project/tools', 'tools'], 'tools'],
] as const)('an agent may replace %s in the project: a warning', async (_, path, link, directory) => {
  const { base, checks } = scene();
  program(join(base, dirname(path)), basename(path));
  if (link !== null) symlinkSync(join(base, link[0]), join(base, link[1]));
  const [found] = await checks([OTHER], { env: { PATH: `${join(base, directory)}:/usr/bin:/bin` } });
  expect(found).toMatch(/^other warning: .* found in ~\/project, where an agent could .*ZWARM_OTHER_BIN/);
});

test('the project is the whole repository, and a directory beside it is none of it', async () => {
  const { project, checks } = scene();
  mkdirSync(join(project, '.git'));
  writeFileSync(join(project, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  const cwd = join(project, 'deep', 'down');
  mkdirSync(cwd, { recursive: true });
  for (const [status, PATH] of Object.entries({ warning: join(project, 'bin'), ok: `${project}-tools` })) {
    program(PATH, 'other');
    expect((await checks([OTHER], { cwd, env: { PATH } }))[0]).toContain(`other ${status}: `);
  }
});

test('what an agent says of itself is judged by its adapter, with the text of its configuration', async () => {
  const { base, bin, checks } = scene();
  const CONFIGURATION = join(base, 'configuration');
  writeFileSync(join(base, 'real'), 'a text');
  symlinkSync(join(base, 'real'), CONFIGURATION);
  const answers = 'if [ "$1" = --version ]; then echo 1.2.3; else echo "$1 $PWD $WORD"; exit 4; fi';
  program(bin, 'other', answers);
  expect((await checks([OTHER], { env: { CONFIGURATION, WORD: 'word' } })).slice(1)).toEqual([
    'other-health failed: well? ~/project word, a text (null)',
    'other-mood skipped: it could not be told (null)',
  ]);
  expect((await checks([OTHER]))[1]).toMatch(/, null \(null\)$/);
});

test('what lies where an agent wants a directory of its user is told with its owner', async () => {
  const { base, bin, checks } = scene();
  program(bin, 'other');
  const probe: AgentProbe = {
    configurationFile: () => null,
    reservedPath: (uid) => join(base, `of-${uid}`),
    questions: [
      {
        names: ['place'],
        args: [],
        judge: (_, { reserved }) => ({ place: finding('ok', JSON.stringify(reserved ?? null)) }),
      },
    ],
  };
  const me = process.getuid?.() ?? 0;
  const told = async (uid: number) => (await checks([{ ...OTHER, probe }], { uid }))[1];
  expect(await told(me)).toBe('other-place ok: null (null)');
  for (const uid of [me, me + 1]) symlinkSync('nowhere', join(base, `of-${uid}`));
  expect(await told(me)).toContain(`{"path":"~/of-${me}","owner":null}`);
  expect(await told(me + 1)).toContain(`{"path":"~/of-${me + 1}","owner":${me}}`);
});

test('an agent that never answers has failed in what it was asked, and nothing else has', async () => {
  const { bin, checks } = scene();
  program(bin, 'other', 'if [ "$1" = --version ]; then echo 1.2.3; else sleep 1000; fi');
  const failed = "failed: `~/bin/other 'well?'`: it gave no answer within 0.3 s";
  expect(await checks([OTHER, demo], { timeoutMs: 300 })).toEqual([
    'other ok: 1.2.3, ~/bin/other (null)',
    `other-health ${failed} (see what it says when you type it)`,
    `other-mood ${failed} (see what it says when you type it)`,
    'demo ok: part of zwarm (null)',
  ]);
});

test('a check that breaks is its own failure alone', async () => {
  const { base, bin, checks } = scene();
  program(bin, 'other');
  const judge = () => {
    throw new Error('broken');
  };
  const probe: AgentProbe = { configurationFile: () => null, questions: [{ names: ['x'], args: [], judge }] };
  expect((await checks([OTHER], { cwd: join(base, 'gone') }))[0]).toMatch(/^other failed: .*gone/);
  const broken = await checks([{ ...OTHER, probe }]);
  expect(broken.join('\n')).toMatch(/^other ok: .*\nother-x failed: .*broken/);
});

test('who keeps an agent within a sandbox is told, and what that leaves open', async () => {
  const { base, bin, project } = scene();
  const home = join(base, 'codex-home');
  mkdirSync(home);
  const env = { PATH: bin, CODEX_HOME: home, HOME: base };
  const context = { ...installation(), cwd: project, env, uid: 0, stateDir: null };
  const told = async () => {
    const { status, message } = await checkConfinement(context, [codex, claude, demo]);
    return `${status}: ${message}`.replaceAll(base, '~');
  };
  expect(await told()).toBe('note: codex by itself; claude is unconfined');
  program(bin, 'bwrap', 'exit 0');
  expect(await told()).toBe('ok: codex by itself; claude by ~/bin/bwrap');
  writeFileSync(join(home, 'config.toml'), '[sandbox_workspace_write]\nnetwork_access = true\n');
  expect(await told()).toMatch(/^note: codex by itself, but with its access to the network .*; claude by ~/);
});
