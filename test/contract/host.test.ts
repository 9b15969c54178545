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
import { FAILING } from '../helpers/host-story.ts';
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

/** What a token of an answer has at least: JSON with ids has some three characters for each. */
const TOKEN_CHARS = 3;

test.concurrent('three workers, of which one fails, cost a model seven calls and 900 tokens', async (t) => {
  const delegate = (name: string, task: string): [string, object] => [
    'delegate',
    { task, name, mode: 'async' },
  ];
  const failing = `run until [ -e go ]; do sleep 0.05; done; ${FAILING}`;
  const lead = [
    // None ends before all are begun; no two have the same task, of which the second would be told.
    calls(delegate('alpha', 'gate ./go'), delegate('beta', failing), delegate('gamma', 'gate go')),
    calls(['wait_sessions', { ids: ['alpha', 'beta', 'gamma'] }]),
    calls(['get_trajectory', { session_id: 'beta' }]),
    calls(['converse', { session_id: 'alpha', message: 'quick' }]),
    calls(['end_session', { session_id: 'gamma', reason: 'nothing to do' }]),
    { message: 'beta has failed' },
  ];
  const project = await createCodexProject(t.onTestFinished, { script: { scenarios: { lead } } });
  project.env['ZWARM_CODEX_BIN'] = SHELL_AGENT;
  await install(project, '--unattended');
  const calling = callsOf(project, 'go [[lead]]');
  await eventually('all are begun', async () => (await project.model.requests()).length > 1, 90);
  writeFileSync(join(project.directory, 'go'), '');
  const called = await calling;
  const ids = (await project.list()).map(({ id }) => id);
  const told = called.map(({ tool, arguments: args, result }) => ({
    call: `${tool} ${JSON.stringify(args)}`,
    answer: JSON.stringify(result.structured_content)
      .replaceAll(project.directory, '/home/you/project')
      .replaceAll(new RegExp(ids.join('|'), 'g'), 'k4hm8rvtzy')
      .replaceAll(/"(runtime|age_sec|tokens)":[\d.]+/g, '"$1":12345')
      // It may not have begun yet.
      .replace('"pending"', '"running"'),
  }));
  // Which of the three is answered first is nobody's choice.
  const lines = told.map(({ call, answer }) => `${call}\n  ${answer}\n`);
  expect([...lines.slice(0, 3).sort(), ...lines.slice(3)].join('')).toMatchInlineSnapshot(`
    "delegate {"task":"gate ./go","name":"alpha","mode":"async"}
      {"success":true,"hint":"still running: wait_sessions(ids=[\\"k4hm8rvtzy\\"]) waits for its end","session_id":"k4hm8rvtzy","name":"alpha","status":"running","turn":1,"agent":"codex","caller":"mcp:codex-mcp-client","project":"/home/you/project"}
    delegate {"task":"gate go","name":"gamma","mode":"async"}
      {"success":true,"hint":"still running: wait_sessions(ids=[\\"k4hm8rvtzy\\"]) waits for its end","session_id":"k4hm8rvtzy","name":"gamma","status":"running","turn":1,"agent":"codex","caller":"mcp:codex-mcp-client","project":"/home/you/project"}
    delegate {"task":"run until [ -e go ]; do sleep 0.05; done; printf '%s\\\\n' '{\\"type\\":\\"item.completed\\",\\"item\\":{\\"id\\":\\"item_1\\",\\"type\\":\\"command_execution\\",\\"command\\":\\"/bin/bash -lc '\\\\''make all'\\\\''\\",\\"aggregated_output\\":\\"cc -c a.c\\\\nno rule to make b.o\\\\n\\",\\"exit_code\\":2,\\"status\\":\\"failed\\"}}' '{\\"type\\":\\"turn.failed\\",\\"error\\":{\\"message\\":\\"the build is broken\\"}}'; exit 1","name":"beta","mode":"async"}
      {"success":true,"hint":"still running: wait_sessions(ids=[\\"k4hm8rvtzy\\"]) waits for its end","session_id":"k4hm8rvtzy","name":"beta","status":"running","turn":1,"agent":"codex","caller":"mcp:codex-mcp-client","project":"/home/you/project"}
    wait_sessions {"ids":["alpha","beta","gamma"]}
      {"success":true,"hint":"1 failed; why: get_trajectory(session_id=\\"k4hm8rvtzy\\")","sessions":[{"session_id":"k4hm8rvtzy","status":"completed","name":"alpha","turn":1,"is_running":false,"age_sec":12345,"response":"done","tokens":12345},{"session_id":"k4hm8rvtzy","status":"failed","name":"beta","turn":1,"is_running":false,"age_sec":12345,"error":"the build is broken","why":"$ make all [exit 2]\\ncc -c a.c\\nno rule to make b.o","hint":"get_trajectory(session_id=\\"k4hm8rvtzy\\", turn=1) shows what it did; converse continues where it stopped"},{"session_id":"k4hm8rvtzy","status":"completed","name":"gamma","turn":1,"is_running":false,"age_sec":12345,"response":"done","tokens":12345}],"count":3,"running":0,"completed":2,"failed":1,"caller":"mcp:codex-mcp-client","project":"/home/you/project"}
    get_trajectory {"session_id":"beta"}
      {"success":true,"session_id":"k4hm8rvtzy","steps":[{"step":null,"turn":1,"type":"user_message","by":"mcp:codex-mcp-client","summary":"run until [ -e go ]; do sleep 0.05; done; printf '%s\\\\n' '{\\"type\\":\\"item.completed\\",\\"item\\":{\\"id\\":\\"item_1\\",\\"type\\":\\"command_execution\\",\\"command\\":\\"/bin/bash -lc '\\\\''make all'\\\\''\\",\\"aggregated_output\\":\\"cc -…"},{"step":1,"turn":1,"type":"command","status":"failed","exit_code":2,"summary":"$ make all","last_lines":"cc -c a.c\\nno rule to make b.o"},{"step":2,"turn":1,"type":"error","summary":"the build is broken"}],"step_count":2,"caller":"mcp:codex-mcp-client","project":"/home/you/project"}
    converse {"session_id":"alpha","message":"quick"}
      {"success":true,"hint":"converse continues it; get_trajectory shows what it did","session_id":"k4hm8rvtzy","name":"alpha","tokens":12345,"runtime":12345,"status":"completed","turn":2,"response":"done","agent":"codex","caller":"mcp:codex-mcp-client","project":"/home/you/project"}
    end_session {"session_id":"gamma","reason":"nothing to do"}
      {"success":true,"hint":"its records stay; delete=true deletes them","session_id":"k4hm8rvtzy","status":"completed","turn":1,"tokens":12345,"deleted":false,"caller":"mcp:codex-mcp-client","project":"/home/you/project"}
    "
  `);
  expect(told.length).toBeLessThanOrEqual(7);
  const chars = told.reduce((sum, { answer }) => sum + answer.length, 0);
  expect(chars).toBeLessThanOrEqual(900 * TOKEN_CHARS);
});

/** A server of tools that are about other things, in words that are near. */
const OTHERS = `
const tools = [
  'list_tasks: List the tasks that are assigned to you', 'schedule_task: Schedule a task in the background',
  'run_query: Run several queries in parallel', 'run_tests: Run the tests of a project and wait for them',
  'code_review: Review the coding style of a change', 'run_workflow: Run a workflow and wait for it',
  'timer_wait: Wait for some seconds', 'parallel_download: Download several files in parallel',
].map((line) => ({ name: line.split(':')[0], description: line.split(': ')[1], inputSchema: { type: 'object' } }));
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const serverInfo = { name: 'others', version: '1' };
  const hello = { ...serverInfo, protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? hello : { tools } }));
});
`;

test.concurrent('who searches Codex for a way to run several at once finds the tools', async (t) => {
  const query = 'run several coding tasks in parallel and wait';
  const search = {
    ...{ type: 'tool_search_call', id: 'search', call_id: 'call_search', execution: 'client' },
    ...{ status: 'completed', arguments: { query } },
  };
  const steps = [{ output: [search] }, { message: 'found' }];
  const project = await createCodexProject(t.onTestFinished, { script: { steps } });
  await install(project, '--unattended');
  const others = join(project.base, 'others.cjs');
  writeFileSync(others, OTHERS);
  const server = `{command=${JSON.stringify(process.execPath)},args=[${JSON.stringify(others)}],required=true}`;
  await codex(project, ['exec', '-c', `mcp_servers.others=${server}`, '-'], 'go');
  const [, { body } = { body: { input: [] } }] = await project.model.requests();
  const found = body.input.flatMap(({ type, tools = [] }) => (type === 'tool_search_output' ? tools : []));
  const names = found.flatMap(({ name: server, tools }) => tools.map(({ name }) => `${server} ${name}`));
  expect(names).toEqual(
    expect.arrayContaining(['delegate', 'wait_sessions', 'converse'].map((name) => `mcp__zwarm ${name}`)),
  );
  // It does not find all that there is.
  expect(names.filter((name) => name.startsWith('mcp__others')).length).toBeLessThan(8);
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
    { tool: 'delegate', success: true },
    { tool: 'delegate', success: true },
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
