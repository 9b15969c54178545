import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createCodexProject, nativeCodex } from '../helpers/codex.ts';
import { eventually, runProgram, ZWARM } from '../helpers/project.ts';

/** A model's call of a tool of zwarm. */
function call(tool: string, args: object, number = 0): object {
  return {
    type: 'function_call',
    id: `fc_${tool}_${number}`,
    call_id: `call_${tool}_${number}`,
    namespace: 'mcp__zwarm',
    name: tool,
    arguments: JSON.stringify(args),
  };
}

/** A step in which the model calls several tools at once. */
const calls = (...items: readonly object[]): object => ({ output: items });

/** Codex, told of `zwarm mcp` as its documentation says, with the variables that the server's own agents need. */
const SERVER = [
  `command=${JSON.stringify(process.execPath)}`,
  `args=${JSON.stringify([ZWARM, 'mcp'])}`,
  'required=true',
  'default_tools_approval_mode="approve"',
  'supports_parallel_tool_calls=true',
  'env_vars=["CODEX_HOME"]',
].join(',');

/** What a Codex that was run by hand has called, in order. */
function toolCalls(stream: string): readonly object[] {
  const events = stream.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  return events.flatMap(({ type, item }) =>
    type === 'item.completed' && item.type === 'mcp_tool_call'
      ? [{ tool: item.tool, fields: item.result?.structured_content }]
      : [],
  );
}

const WORKERS = {
  alpha: [{ shell: 'echo from alpha' }, { message: 'alpha is done' }],
  again: [{ message: 'alpha has mended it' }],
  gamma: [{ shell: 'sleep 300', shellArgs: { yield_time_ms: 250_000 } }, { message: 'gamma is done' }],
};

test.concurrent('Codex runs agents with the tools: in parallel, on, to an end', async (t) => {
  const lead = [
    calls(
      call('delegate', { task: 'do it [[alpha]]', name: 'alpha', mode: 'async' }, 1),
      call('delegate', { task: 'do it [[gamma]]', name: 'gamma', mode: 'async' }, 2),
    ),
    calls(call('wait_sessions', { ids: ['alpha', 'gamma'], mode: 'any' })),
    calls(
      call('get_trajectory', { session_id: 'alpha', full: true }, 1),
      call('get_trajectory', { session_id: 'gamma' }, 2),
    ),
    calls(call('converse', { session_id: 'alpha', message: 'mend it [[again]]' })),
    calls(call('end_session', { session_id: 'gamma', reason: 'too slow' })),
    calls(call('list_sessions', {})),
    { message: 'alpha has done it, gamma was ended' },
  ];
  const project = await createCodexProject(t.onTestFinished, { script: { scenarios: { ...WORKERS, lead } } });
  // Not one of zwarm's own: a Codex as a user runs it.
  const args = ['exec', '--json', '-s', 'read-only', '-c', `mcp_servers.zwarm={${SERVER}}`, '-'];
  const { env, directory: cwd } = project;
  const { code, stdout, stderr } = await runProgram(nativeCodex(), args, { cwd, env, input: 'go [[lead]]' });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toContain('alpha has done it, gamma was ended');
  expect(stdout).toContain('from alpha');
  expect(toolCalls(stdout)).toMatchObject([
    { tool: 'delegate', fields: { status: 'running' } },
    { tool: 'delegate', fields: { status: 'running' } },
    { tool: 'wait_sessions', fields: { running: 1, completed: 1 } },
    { tool: 'get_trajectory', fields: { session_id: expect.any(String) } },
    { tool: 'get_trajectory', fields: { session_id: expect.any(String) } },
    { tool: 'converse', fields: { success: true, turn: 2, response: 'alpha has mended it' } },
    { tool: 'end_session', fields: { success: true, status: 'killed', reason: 'too slow' } },
    { tool: 'list_sessions', fields: { count: 2, running: 0, completed: 1 } },
  ]);
  expect(await project.list()).toMatchObject(Array(2).fill({ source: 'mcp:codex-mcp-client', parent: null }));
  expect((await project.show('alpha')).turns.map(({ how }) => how)).toEqual(['fresh', 'native']);
});

test.concurrent('zwarm orchestrate gives its agent the tools, and its sessions go on without it', async (t) => {
  const lead = [
    calls(
      call('delegate', { task: 'one [[gamma]]', name: 'one', mode: 'async' }, 1),
      call('delegate', { task: 'two [[alpha]]', name: 'two', mode: 'async' }, 2),
    ),
    calls(call('wait_sessions', { ids: ['two'] })),
    { message: 'reached' },
  ];
  const more = [calls(call('wait_sessions', { ids: ['one'] }))];
  const project = await createCodexProject(t.onTestFinished, {
    script: { scenarios: { ...WORKERS, lead, more } },
  });
  const id = await project.ok(['orchestrate', '-q', 'reach the goal [[lead]]']);
  await project.ok(['wait', id]);
  const goal = 'reach the goal [[lead]]';
  expect(await project.show(id)).toMatchObject({
    status: 'completed',
    last_message: 'reached',
    title: goal,
    // The agent was told its part; the user's words are the message.
    turns: [{ prompt: goal }],
  });
  const input = readFileSync(project.turnFile(id, 1, 'input.md'), 'utf8');
  expect(input).toMatch(/^You are an orchestrator.*The goal:\n\nreach the goal \[\[lead\]\]$/s);
  const source = `orchestrator:${id}`;
  expect((await project.list()).filter((row) => row.id !== id)).toMatchObject(
    Array(2).fill({ parent: id, source }),
  );
  const tree = (await project.ok(['ls', '--tree', '-q'])).split('\n');
  expect(tree[0]).toBe(id);
  expect(tree).toHaveLength(3);

  // It remembers, and keeps its tools.
  await project.ok(['inject', id, '-q', 'go on [[more]]']);
  expect(project.launch(id, 2).argv.join(' ')).toContain('mcp_servers.zwarm=');
  await eventually('it waits', async () =>
    (await project.model.requests()).some(({ body }) => JSON.stringify(body.input).includes('go on')),
  );
  const statuses = async () =>
    Object.fromEntries((await project.list()).map((row) => [row.name ?? row.id, row.status]));
  await project.ok(['kill', id]);
  expect(await statuses()).toEqual({ [id]: 'killed', one: 'running', two: 'completed' });
  await project.ok(['kill', '--tree', id]);
  expect(await statuses()).toEqual({ [id]: 'killed', one: 'killed', two: 'completed' });
});
