import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import {
  type CodexProject,
  calls,
  createCodexProject,
  endless,
  nativeCodex,
  requireSandbox,
} from '../helpers/codex.ts';
import { eventually, runProgram, SHELL_AGENT, ZWARM } from '../helpers/project.ts';

/* A Codex that a user runs, with the tools of zwarm. */

beforeAll(requireSandbox);

const codex = async ({ directory: cwd, env }: CodexProject, args: readonly string[], input = '') => {
  const { code, stdout, stderr } = await runProgram(nativeCodex(), args, { cwd, env, input });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout;
};

const install = (project: CodexProject, ...options: string[]): Promise<string> =>
  project.ok(['mcp', 'install', '--host', 'codex', '--yes', ...options]);

/** Has a Codex that may only read do something; its calls of tools, in order. */
async function callsOf(project: CodexProject, message: string, ...options: string[]) {
  const stdout = await codex(project, ['exec', '--json', '-s', 'read-only', ...options, '-'], message);
  const events = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  return events.flatMap(({ type, item }) =>
    type === 'item.completed' && item.type === 'mcp_tool_call' ? [item] : [],
  );
}

const MESSAGE = '{"type":"item.completed","item":{"id":"item_%s","type":"agent_message","text":"at %s"}}\\n';
/** For the shell agent: once there is a file `go`, a hundred messages, one after the other. */
const TALKATIVE = `run until [ -e go ]; do sleep 0.05; done; i=0; while [ $i -lt 100 ]; do i=$((i + 1)); printf '${MESSAGE}' $i $i; sleep 0.02; done`;

test.concurrent('Codex reads what is installed for it, and what it wrote itself is replaced', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: {} });
  const config = join(project.codexHome, 'config.toml');
  const before = readFileSync(config, 'utf8');
  await install(project);
  expect(JSON.parse(await codex(project, ['mcp', 'get', 'zwarm', '--json']))).toMatchObject({
    name: 'zwarm',
    enabled: true,
    transport: {
      type: 'stdio',
      command: process.execPath,
      args: [ZWARM, 'mcp'],
      env: { ZWARM_WAIT_SEC: '1500' },
      env_vars: expect.arrayContaining(['ZWARM_SESSION_ID', 'OPENAI_API_KEY']),
    },
    startup_timeout_sec: 20,
    tool_timeout_sec: 1800,
  });
  await install(project, '--remove');
  expect(readFileSync(config, 'utf8')).toBe(before);
  expect(await codex(project, ['mcp', 'list'])).not.toContain('zwarm');

  await codex(project, ['mcp', 'add', 'zwarm', '--env', 'ZWARM_WAIT_SEC=5', '--', 'zwarm', 'mcp']);
  writeFileSync(config, '\n# the end\n', { flag: 'a' });
  await install(project);
  expect(readFileSync(config, 'utf8')).toMatch(/\n# the end\n$/);
  expect(await codex(project, ['mcp', 'get', 'zwarm', '--json'])).toContain('"ZWARM_WAIT_SEC": "1500"');
});

test.concurrent('a host that may only read has nobody write for it, unless it was installed so', async (t) => {
  const scenarios = {
    worker: [{ shell: 'echo from the worker > written' }, { message: 'written' }],
    host: [
      calls(['list_sessions', {}]),
      calls(['delegate', { task: 'write it [[worker]]' }]),
      { message: 'that was it' },
    ],
  };
  const project = await createCodexProject(t.onTestFinished, { script: { scenarios } });
  const go = async (): Promise<string[]> =>
    (await callsOf(project, 'go [[host]]')).map(
      ({ tool, status, error }) => `${tool} ${status}${error ? `: ${error.message}` : ''}`,
    );
  const written = join(project.directory, 'written');
  const config = join(project.codexHome, 'config.toml');
  const before = readFileSync(config, 'utf8');
  await install(project);
  const asked = [
    'list_sessions completed',
    'delegate failed: MCP tool call requires approval, but approval policy is never',
  ];
  expect(await go()).toEqual(asked);
  expect(existsSync(written)).toBe(false);
  expect(await project.list()).toEqual([]);

  await install(project, '--unattended');
  expect(await go()).toEqual(['list_sessions completed', 'delegate completed']);
  expect(readFileSync(written, 'utf8')).toBe('from the worker\n');

  // And back.
  await install(project);
  expect(await go()).toEqual(asked);
  expect(await project.list()).toHaveLength(1);
  await install(project, '--remove');
  expect(readFileSync(config, 'utf8')).toBe(before);
});

test.concurrent('a worker that speaks a hundred times costs a model that does as it is told three calls at most', async (t) => {
  const lead = [
    calls(['delegate', { task: TALKATIVE, name: 'worker', mode: 'async' }]),
    { advised: 'zwarm' },
    { message: 'the worker is done' },
  ];
  const project = await createCodexProject(t.onTestFinished, { script: { scenarios: { lead } } });
  project.env['ZWARM_CODEX_BIN'] = SHELL_AGENT;
  await install(project, '--unattended');
  const calling = callsOf(project, 'go [[lead]]');
  await eventually(
    'the host is told that it works',
    async () => (await project.model.requests()).length > 1,
    90,
  );
  writeFileSync(join(project.directory, 'go'), '');
  const called = await calling;
  expect(called.map(({ tool, result }) => ({ tool, ...result?.structured_content }))).toMatchObject([
    { tool: 'delegate', status: 'running' },
    { tool: 'wait_sessions', running: 0, sessions: [{ status: 'completed', response: 'done' }] },
  ]);
  const { messages } = await project.show('worker');
  expect(messages.filter(({ role }) => role === 'assistant')).toHaveLength(101);
});

/** Codex, told of `zwarm mcp` as its documentation says, with the variables that the server's own agents need. */
const SERVER = [
  `command=${JSON.stringify(process.execPath)}`,
  `args=${JSON.stringify([ZWARM, 'mcp'])}`,
  'required=true',
  'default_tools_approval_mode="approve"',
  'supports_parallel_tool_calls=true',
  'env_vars=["CODEX_HOME"]',
].join(',');

test.concurrent('Codex runs agents with the tools: in parallel, on, to an end', async (t) => {
  const lead = [
    calls(
      ['delegate', { task: 'do it [[alpha]]', name: 'alpha', mode: 'async' }],
      ['delegate', { task: 'do it [[gamma]]', name: 'gamma', mode: 'async' }],
    ),
    calls(['wait_sessions', { ids: ['alpha', 'gamma'], mode: 'any' }]),
    calls(
      ['get_trajectory', { session_id: 'alpha', full: true }],
      ['get_trajectory', { session_id: 'gamma' }],
    ),
    calls(['converse', { session_id: 'alpha', message: 'mend it [[again]]' }]),
    calls(['end_session', { session_id: 'gamma', reason: 'too slow' }]),
    calls(['list_sessions', {}]),
    { message: 'alpha has done it, gamma was ended' },
  ];
  const scenarios = {
    alpha: [{ shell: 'echo from alpha' }, { message: 'alpha is done' }],
    again: [{ message: 'alpha has mended it' }],
    gamma: [endless('sleep 300')],
    lead,
  };
  const project = await createCodexProject(t.onTestFinished, { script: { scenarios } });
  const called = await callsOf(project, 'go [[lead]]', '-c', `mcp_servers.zwarm={${SERVER}}`);
  expect(called.map(({ tool, result }) => ({ tool, ...result?.structured_content }))).toMatchObject([
    { tool: 'delegate', success: true, mode: 'async' },
    { tool: 'delegate', success: true, mode: 'async' },
    { tool: 'wait_sessions', running: 1, completed: 1 },
    { tool: 'get_trajectory', session_id: expect.any(String) },
    { tool: 'get_trajectory', session_id: expect.any(String) },
    { tool: 'converse', success: true, turn: 2, response: 'alpha has mended it' },
    { tool: 'end_session', success: true, status: 'killed', reason: 'too slow' },
    { tool: 'list_sessions', count: 2, running: 0, completed: 1 },
  ]);
  // The two were asked for at once, and are told in the order in which they were answered.
  const ofAlpha = called.find((call) => call.arguments.full);
  expect(JSON.stringify(ofAlpha)).toContain('from alpha');
  expect(await project.list()).toMatchObject(Array(2).fill({ source: 'mcp:codex-mcp-client', parent: null }));
  expect((await project.show('alpha')).turns.map(({ how }) => how)).toEqual(['fresh', 'native']);
});
