import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createShellProject, type Project } from '../../../helpers/project.ts';

/** The environment that the agent of a session had, as it wrote it; without what a shell adds by itself. */
async function environmentOf(project: Project, env: Readonly<Record<string, string>>) {
  await project.start(['--wait', 'run env > ../environment'], { env });
  const lines = readFileSync(join(project.base, 'environment'), 'utf8').trimEnd().split('\n');
  const variables = Object.fromEntries(lines.map((line) => /^([^=]*)=(.*)$/.exec(line)?.slice(1) ?? []));
  for (const name of ['PWD', 'SHLVL', '_']) delete variables[name];
  return variables;
}

/** What a command has that was typed somewhere in an agent of another project, and what its user has besides. */
const SURROUNDINGS = {
  ZWARM_TURN: '7',
  ZWARM_MARK: 'other@abcdefghjk.7.nonce',
  ZWARM_STORE: '/nowhere/projects/other',
  ZWARM_NODE: '/nowhere/node',
  ZWARM_MAIN: '/nowhere/zwarm.js',
  OLDPWD: '/nowhere',
  OPENAI_API_KEY: 'sk-test',
  XDG_CONFIG_HOME: '/nowhere/config',
  ZWARM_PAGER: 'less',
  EMPTY: '',
};

test('an agent has the environment of its user, and besides what says which turn it is', async () => {
  const project = createShellProject();
  const ZWARM_DIR = join(project.base, 'volume');
  const env = { ...SURROUNDINGS, ZWARM_DIR };
  const had = await environmentOf(project, env);
  const [{ id } = { id: '' }] = JSON.parse(await project.ok(['ls', '--json'], { env: { ZWARM_DIR } }));
  const { OLDPWD: _, ...kept } = SURROUNDINGS;
  expect(had).toEqual({
    ...project.env,
    ...kept,
    ZWARM_SESSION_ID: id,
    ZWARM_TURN: '1',
    ZWARM_MARK: expect.stringMatching(new RegExp(`^\\w+@${id}\\.1\\.\\w+$`)),
    ZWARM_STORE: expect.stringMatching(new RegExp(`^${ZWARM_DIR}/`)),
    ZWARM_NODE: expect.stringMatching(/^\/.*node/),
    ZWARM_MAIN: expect.stringMatching(/^\/.*\/bin\/zwarm\.js$/),
  });
  expect(had['ZWARM_NODE']).not.toBe(SURROUNDINGS.ZWARM_NODE);
  expect(had['ZWARM_MAIN']).not.toBe(SURROUNDINGS.ZWARM_MAIN);
});

test('the tools of an agent have its environment, but for what is no name', async () => {
  const project = createShellProject();
  const env = { ZWARM_DIR: join(project.base, 'volume'), _x1: 'x', '1x': 'x', 'x.y': 'x', EMPTY: '' };
  await project.ok(['orchestrate', 'quick', '--wait'], { env });
  const said = project.runs()[0]?.argv.find((word) => word.startsWith('mcp_servers.zwarm=')) ?? '';
  const names = JSON.parse(/env_vars=(\[[^\]]*\])/.exec(said)?.[1] ?? '[]');
  const own = ['SESSION_ID', 'TURN', 'MARK', 'STORE', 'NODE', 'MAIN'].map((name) => `ZWARM_${name}`);
  expect(names.sort()).toEqual([...new Set([...Object.keys(project.env), ...own, '_x1', 'EMPTY'])].sort());
});
