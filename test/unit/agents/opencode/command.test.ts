import { expect, test } from 'vitest';
import type { TurnRequest } from '../../../../src/agents/agent.ts';
import { opencodeCommand } from '../../../../src/agents/opencode/command.ts';
import { opencode } from '../../../../src/agents/opencode/index.ts';
import { opencodeState } from '../../../../src/agents/opencode/state.ts';

const THREAD = 'ses_e078e6c83ffeNsZi1k6VEjJRTu';
const first: TurnRequest = {
  ...{
    workingDir: '/some where/ünï',
    sandbox: 'workspace-write',
    confined: false,
    model: null,
    agentArgs: [],
  },
  ...{ threadId: null, newThreadId: 'x', forks: false, schema: null, tools: null },
};
const HEAD = ['run', '--format', 'json', '--thinking', '--dir', '/some where/ünï'];

test.each<[string, Partial<TurnRequest>, string[]]>([
  ['the first turn', {}, HEAD],
  ['a model', { model: 'acme/big' }, [...HEAD, '-m', 'acme/big']],
  ['a later turn', { threadId: THREAD }, [...HEAD, '--session', THREAD]],
  ['a fork', { threadId: THREAD, forks: true }, [...HEAD, '--session', THREAD, '--fork']],
  ['full access', { sandbox: 'danger-full-access' }, [...HEAD, '--auto']],
  [
    'everything, with the options of many values at the end',
    { threadId: THREAD, model: 'm', agentArgs: ['--file', 'a', 'b'] },
    [...HEAD, '-m', 'm', '--session', THREAD, '--file', 'a', 'b'],
  ],
])('what opencode is told: %s', (_, request, expected) => {
  expect(opencodeCommand({ ...first, ...request }).args).toEqual(expected);
});

function configuration(request: Partial<TurnRequest>) {
  const { env } = opencodeCommand({ ...first, ...request });
  return JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '');
}

const deny = 'deny';
const allow = { '*': 'allow' };

test.each<[TurnRequest['sandbox'], boolean, object, object | undefined, object | undefined]>([
  [
    ...(['read-only', false] as const),
    { edit: deny, bash: deny, external_directory: deny },
    { edit: deny, bash: deny, external_directory: deny },
    { edit: deny, bash: deny, external_directory: deny },
  ],
  [
    ...(['read-only', true] as const),
    { edit: deny, bash: allow, external_directory: allow },
    { edit: deny },
    { edit: deny },
  ],
  [
    ...(['workspace-write', false] as const),
    { edit: allow, bash: allow, external_directory: { '*': deny, '/tmp/*': 'allow' } },
    {},
    { edit: deny },
  ],
  [
    ...(['workspace-write', true] as const),
    { edit: allow, bash: allow, external_directory: allow },
    {},
    { edit: deny },
  ],
  ['danger-full-access', false, {}, undefined, undefined],
])('what its model may do in %s, confined: %s', (sandbox, confined, rules, works, reads) => {
  const { permission, agent } = configuration({ sandbox, confined });
  expect(permission).toEqual({ ...rules, doom_loop: 'allow' });
  const [build, general, plan, explore] = ['build', 'general', 'plan', 'explore'].map(
    (name) => agent[name]?.permission,
  );
  expect({ build, general, plan, explore }).toEqual({
    build: works,
    general: works,
    plan: reads,
    explore: reads,
  });
});

test('no permission is one that somebody would have to be asked for', () => {
  for (const sandbox of ['read-only', 'workspace-write', 'danger-full-access'] as const) {
    for (const confined of [true, false]) {
      const told = configuration({ sandbox, confined });
      expect(JSON.stringify(told)).not.toContain('"ask"');
      expect(told).toMatchObject({
        experimental: { continue_loop_on_deny: true },
        mcp: { zwarm: { enabled: false } },
      });
    }
  }
});

test('its environment says where it works, and nothing in it goes before what zwarm states', () => {
  expect(opencodeCommand(first).env).toMatchObject({
    PWD: '/some where/ünï',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_PERMISSION: undefined,
  });
  expect(Object.keys(opencodeCommand(first).env)).toContain('OPENCODE_PERMISSION');
});

test('confined, it keeps the conversations of a directory where it may write, and its hooks nowhere', () => {
  const confined = { ...first, confined: true };
  const { env } = opencodeCommand(confined);
  const [database = ''] = opencodeState({ HOME: '/home/u' }, first.workingDir).directories;
  expect(`/home/u/.local/share/opencode/${env['OPENCODE_DB']}`).toBe(`${database}/opencode.db`);
  expect(opencodeCommand({ ...confined, workingDir: '/w' }).env['OPENCODE_DB']).not.toBe(env['OPENCODE_DB']);
  expect(opencodeCommand(first).env).not.toHaveProperty('OPENCODE_DB');
  expect([configuration({ confined: true }).snapshot, configuration({}).snapshot]).toEqual([
    false,
    undefined,
  ]);
});

test('its data lie where the environment says', () => {
  const where = (env: object) => opencodeState({ ...env }, '/w').directories.at(1);
  expect(where({ HOME: '/home/u' })).toBe('/home/u/.local/share/opencode/log');
  expect(where({ HOME: '/home/u', XDG_DATA_HOME: '/data' })).toBe('/data/opencode/log');
  expect(where({ HOME: '/home/u', XDG_DATA_HOME: 'data' })).toBeUndefined();
});

const refused = (typed: string) => opencode.readArguments(typed.split(' ')).refused;

test.each(['--agent plan', '--variant high', '--log-level DEBUG', '--title x --share', '--something new'])(
  '%s is passed on every turn',
  (typed) => {
    const everyTurn = typed.split(' ');
    expect(opencode.readArguments(everyTurn)).toEqual({
      refused: null,
      newThread: [],
      everyTurn,
      outsideOfGit: null,
    });
  },
);

test('files go with a new thread, other arguments with every turn', () => {
  const args = '-f a b --pure --file=c --title x'.split(' ');
  expect(opencode.readArguments(args)).toEqual({
    refused: null,
    newThread: ['--file=a', '--file=b', '--file=c'],
    everyTurn: ['--pure', '--title', 'x'],
    outsideOfGit: null,
  });
});

test.each([
  ['zwarm inject @last "…"', '[--session] x', '[-s]', '[-c]', '--pure [--continue]'],
  ['zwarm fork @last "…"', '[--fork]'],
  ['zwarm start -m MODEL "…"', '[--model] x/y', '[-m] x/y', '[--model=x/y]'],
  ['zwarm start -C DIR "…"', '[--dir] /x'],
  ['zwarm start -s danger-full-access "…"', '[--auto]', '[--yolo]', '[--dangerously-skip-permissions]'],
  ['leave it out', '[--format] text', '[--thinking]', '[--attach] http://x', '[-i]', '[--mini]'],
  ['run it yourself: opencode run --help', '[-h]', '[--version]'],
  ['give the task to zwarm: zwarm start "…"', '[hello]', '--pure [run]', '[--]'],
  ['--agent-arg=--variant --agent-arg=VALUE', '[--variant]'],
])('%s, instead of %s', (hint, ...all) => {
  for (const typed of all) {
    const argument = typed.replace(/.*\[(.*)\].*/, '$1');
    expect(refused(typed.replace(/[[\]]/g, '')), typed).toMatchObject({ argument, hint });
  }
});
