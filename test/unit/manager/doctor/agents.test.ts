import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentAdapter } from '../../../../src/agents/agent.ts';
import { codex } from '../../../../src/agents/codex/index.ts';
import { demo } from '../../../../src/agents/demo/index.ts';
import { type Check, finding } from '../../../../src/core/check.ts';
import { installation } from '../../../../src/installation.ts';
import type { ManagerContext } from '../../../../src/manager/context.ts';
import { checkAgents } from '../../../../src/manager/doctor/agents.ts';
import { emptyDirectory } from '../../../helpers/directory.ts';

const LIMIT_MS = 60_000;

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

interface Scene {
  readonly base: string;
  readonly project: string;
  readonly bin: string;
  readonly context: ManagerContext;
}

function scene(env: Record<string, string> = {}): Scene {
  const base = emptyDirectory();
  const [project, bin] = [join(base, 'project'), join(base, 'bin')];
  for (const directory of [project, bin]) mkdirSync(directory);
  const PATH = `${bin}:/usr/bin:/bin`;
  const context = { ...installation(), cwd: project, env: { PATH, ...env }, uid: 0, stateDir: null };
  return { base, project, bin, context };
}

async function checks(
  { context }: Pick<Scene, 'context'>,
  agents: readonly AgentAdapter[],
  limitMs = LIMIT_MS,
): Promise<Record<string, Omit<Check, 'name'>>> {
  const all = await checkAgents(context, agents, limitMs);
  return Object.fromEntries(all.map(({ name, ...found }) => [name, found]));
}

test('with no agent but the demo, the default one has failed, and says how to get it', async () => {
  const found = await checks(scene(), [codex, OTHER, demo]);
  expect(found['codex']).toMatchObject({
    status: 'failed',
    hint: expect.stringMatching(/npm install -g @openai\/codex/),
  });
  expect(found['codex-login']).toEqual({
    status: 'skipped',
    message: 'there is no codex to ask',
    hint: null,
  });
  expect(found['other']).toMatchObject({
    status: 'skipped',
    hint: expect.stringContaining('install -g other'),
  });
  expect(found['demo']).toEqual({ status: 'ok', message: 'part of zwarm', hint: null });
});

test('where another agent can run, that the default one is missing is a warning', async () => {
  const place = scene();
  const path = program(place.bin, 'other');
  const found = await checks(place, [codex, OTHER, demo]);
  expect(found['codex']?.status).toBe('warning');
  expect(found['other']).toEqual({ status: 'ok', message: `1.2.3, ${path}`, hint: null });
});

test('an agent that nobody needs but somebody has set up is told of when it does not work', async () => {
  const named = await checks(scene({ ZWARM_OTHER_BIN: '/nowhere/other' }), [OTHER]);
  expect(named['other']).toMatchObject({ status: 'warning', message: expect.stringContaining('/nowhere') });
  const place = scene();
  writeFileSync(join(place.bin, 'other'), '', { mode: 0o644 });
  const closed = await checks(place, [OTHER]);
  expect(closed['other']).toMatchObject({ status: 'warning', hint: expect.stringContaining('chmod +x') });
});

test('a program that does not tell its version is told of', async () => {
  const place = scene();
  const path = program(place.bin, 'other', 'exit 1');
  const found = await checks(place, [OTHER]);
  expect(found['other']).toEqual({
    status: 'warning',
    message: `${path} does not tell its version`,
    hint: `see what it says: ${path} --version`,
  });
});

// What lies in the project: the program itself, the link on the PATH to it, or only that link.
test.each<[string, (place: Scene) => string]>([
  ['the program', ({ project }) => join(project, 'node_modules', '.bin')],
  [
    'what a link on the PATH leads to',
    ({ project, bin }) => {
      symlinkSync(program(project, 'real'), join(bin, 'other'));
      return bin;
    },
  ],
  [
    'the link on the PATH',
    ({ project, base }) => {
      symlinkSync(program(base, 'real'), join(project, 'other'));
      return project;
    },
  ],
  [
    'the directory to which a link on the PATH leads',
    ({ project, base }) => {
      program(join(project, 'tools'), 'other');
      symlinkSync(join(project, 'tools'), join(base, 'tools'));
      return join(base, 'tools');
    },
  ],
])('an agent may replace %s in the project: a warning', async (_, prepare) => {
  const place = scene();
  const directory = prepare(place);
  if (directory.endsWith('.bin')) program(directory, 'other');
  const env = { PATH: `${directory}:/usr/bin:/bin` };
  const found = await checks({ context: { ...place.context, env } }, [OTHER]);
  expect(found['other']).toMatchObject({
    status: 'warning',
    hint: expect.stringContaining('ZWARM_OTHER_BIN'),
  });
  expect(found['other']?.message).toContain(`found in ${place.project}, where an agent could`);
});

test('the project is the whole repository, and a directory beside it is none of it', async () => {
  const place = scene();
  mkdirSync(join(place.project, '.git'));
  writeFileSync(join(place.project, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  const cwd = join(place.project, 'deep', 'down');
  mkdirSync(cwd, { recursive: true });
  const inside = { PATH: join(place.project, 'bin') };
  program(inside.PATH, 'other');
  const found = await checks({ context: { ...place.context, cwd, env: inside } }, [OTHER]);
  expect(found['other']?.status).toBe('warning');
  const beside = { PATH: `${place.project}-tools` };
  program(beside.PATH, 'other');
  const other = await checks({ context: { ...place.context, cwd, env: beside } }, [OTHER]);
  expect(other['other']?.status).toBe('ok');
});

test('what an agent says of itself is judged by its adapter, with the text of its configuration', async () => {
  const place = scene();
  const CONFIGURATION = join(place.base, 'configuration');
  writeFileSync(join(place.base, 'real'), 'a text');
  symlinkSync(join(place.base, 'real'), CONFIGURATION);
  program(
    place.bin,
    'other',
    'if [ "$1" = --version ]; then echo 1.2.3; else echo "$1 $PWD $WORD"; exit 4; fi',
  );
  const env = { ...place.context.env, CONFIGURATION, WORD: 'word' };
  const found = await checks({ context: { ...place.context, env } }, [OTHER]);
  expect(found).toMatchObject({
    'other-health': { status: 'failed', message: `well? ${place.project} word, a text` },
    'other-mood': { status: 'skipped', message: 'it could not be told' },
  });
  const without = await checks(place, [OTHER]);
  expect(without['other-health']?.message).toMatch(/, null$/);
});

test('an agent that never answers has failed in what it was asked, and nothing else has', async () => {
  const place = scene();
  const path = program(place.bin, 'other', 'if [ "$1" = --version ]; then echo 1.2.3; else sleep 1000; fi');
  const found = await checks(place, [OTHER, demo], 300);
  expect(found['other']?.status).toBe('ok');
  expect(found['demo']?.status).toBe('ok');
  for (const name of ['other-health', 'other-mood']) {
    expect(found[name]).toMatchObject({
      status: 'failed',
      message: `\`${path} 'well?'\`: it gave no answer within 0.3 s`,
    });
  }
});

test('a check that breaks is its own failure alone', async () => {
  const place = scene();
  program(place.bin, 'other');
  const broken: AgentAdapter = {
    ...OTHER,
    probe: {
      configurationFile: () => null,
      questions: [
        {
          names: ['x'],
          args: [],
          judge: () => {
            throw new Error('broken');
          },
        },
      ],
    },
  };
  const gone = { context: { ...place.context, cwd: join(place.base, 'gone') } };
  expect((await checks(gone, [OTHER]))['other']).toMatchObject({
    status: 'failed',
    message: expect.stringContaining('gone'),
  });
  expect(await checks(place, [broken])).toMatchObject({
    other: { status: 'ok' },
    'other-x': { status: 'failed' },
  });
});
