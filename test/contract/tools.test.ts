import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type CodexProject, createCodexProject, nativeCodex } from '../helpers/codex.ts';
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

interface ToolCallItem {
  readonly tool: string;
  readonly status: string;
  // biome-ignore lint/suspicious/noExplicitAny: each tool has fields of its own
  readonly fields: any;
}

/** What a Codex that was run by hand has called, in order. */
function toolCalls(stream: string): readonly ToolCallItem[] {
  const events = stream.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  return events.flatMap(({ type, item }) =>
    type === 'item.completed' && item.type === 'mcp_tool_call'
      ? [{ tool: item.tool, status: item.status, fields: item.result?.structured_content }]
      : [],
  );
}

const WORKERS = {
  alpha: [{ shell: 'echo from alpha' }, { message: 'alpha is done' }],
  again: [{ message: 'alpha has mended it' }],
  beta: [{ message: 'beta is done' }],
  gamma: [{ shell: 'sleep 300', shellArgs: { yield_time_ms: 250_000 } }, { message: 'gamma is done' }],
};

test.concurrent('Codex runs agents with the tools: in parallel, on, to an end', async (t) => {
  const project = await createCodexProject(t.onTestFinished, {
    script: {
      scenarios: {
        ...WORKERS,
        lead: [
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
        ],
      },
    },
  });
  // Not one of zwarm's own: a Codex as a user runs it.
  const args = ['exec', '--json', '-s', 'read-only', '-c', `mcp_servers.zwarm={${SERVER}}`, '-'];
  const { env, directory: cwd } = project;
  const { code, stdout, stderr } = await runProgram(nativeCodex(), args, { cwd, env, input: 'go [[lead]]' });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toContain('alpha has done it, gamma was ended');
  const made = toolCalls(stdout);
  expect(made.map(({ tool, status }) => `${tool} ${status}`)).toEqual([
    'delegate completed',
    'delegate completed',
    'wait_sessions completed',
    'get_trajectory completed',
    'get_trajectory completed',
    'converse completed',
    'end_session completed',
    'list_sessions completed',
  ]);
  const of = (tool: string) => made.filter((one) => one.tool === tool).map(({ fields }) => fields);
  expect(of('delegate').map(({ status }) => status)).toEqual(['running', 'running']);
  expect(of('wait_sessions')[0]).toMatchObject({ running: 1, completed: 1 });
  expect(JSON.stringify(of('get_trajectory'))).toContain('from alpha');
  expect(of('converse')[0]).toMatchObject({ success: true, turn: 2, response: 'alpha has mended it' });
  expect(of('end_session')[0]).toMatchObject({ success: true, status: 'killed', reason: 'too slow' });
  expect(of('list_sessions')[0]).toMatchObject({ count: 2, running: 0, completed: 1 });

  const rows = await project.list(['--source', 'mcp']);
  expect(rows.map(({ name, source, status, parent }) => ({ name, source, status, parent }))).toEqual(
    expect.arrayContaining([
      { name: 'alpha', source: 'mcp:codex-mcp-client', status: 'completed', parent: null },
      { name: 'gamma', source: 'mcp:codex-mcp-client', status: 'killed', parent: null },
    ]),
  );
  expect((await project.show('alpha')).turns.map(({ how }) => how)).toEqual(['fresh', 'native']);
});

const THREE = [
  calls(
    ...(['alpha', 'beta', 'gamma'] as const).map((name, i) =>
      call('delegate', { task: `do it [[${name}]]`, name, mode: 'async' }, i),
    ),
  ),
  calls(call('wait_sessions', { ids: ['alpha', 'beta'] })),
  calls(
    call('get_trajectory', { session_id: 'alpha' }, 1),
    call('get_trajectory', { session_id: 'beta' }, 2),
  ),
  calls(call('converse', { session_id: 'beta', message: 'once more [[again]]' })),
  calls(call('end_session', { session_id: 'gamma', reason: 'not needed' })),
];

async function orchestrate(project: CodexProject): Promise<string> {
  return project.ok(['orchestrate', '-q', 'reach the goal [[lead]]']);
}

test.concurrent('zwarm orchestrate does a job with three sessions', async (t) => {
  const project = await createCodexProject(t.onTestFinished, {
    script: {
      scenarios: { ...WORKERS, lead: [...THREE, { message: 'reached' }], more: [{ message: 'yes' }] },
    },
  });
  const lead = await orchestrate(project);
  await project.ok(['wait', lead]);
  const { last_message, status, error, title, turns } = await project.show(lead);
  expect({ status, error, last_message, title }).toEqual({
    status: 'completed',
    error: null,
    last_message: 'reached',
    title: 'reach the goal [[lead]]',
  });
  // The agent was told its part; the user's words are the message.
  expect(turns[0]?.prompt).toBe('reach the goal [[lead]]');
  const input = readFileSync(project.turnFile(lead, 1, 'input.md'), 'utf8');
  expect(input).toMatch(/^You are an orchestrator.*The goal:\n\nreach the goal \[\[lead\]\]$/s);

  const rows = await project.list();
  expect(
    rows
      .filter(({ id }) => id !== lead)
      .map(({ name, parent, source, status }) => ({ name, parent, source, status })),
  ).toEqual(
    expect.arrayContaining([
      { name: 'alpha', parent: lead, source: `orchestrator:${lead}`, status: 'completed' },
      { name: 'beta', parent: lead, source: `orchestrator:${lead}`, status: 'completed' },
      { name: 'gamma', parent: lead, source: `orchestrator:${lead}`, status: 'killed' },
    ]),
  );
  const tree = (await project.ok(['ls', '--tree', '-q'])).split('\n');
  expect(tree[0]).toBe(lead);
  expect(tree).toHaveLength(4);

  // It remembers, and keeps its tools.
  expect(await project.ok(['inject', lead, '--wait', 'are you there? [[more]]'])).toBe('yes');
  expect(project.launch(lead, 2).argv.join(' ')).toContain('mcp_servers.zwarm=');
});

test.concurrent('an orchestrator that is killed leaves its sessions running, unless --tree', async (t) => {
  const project = await createCodexProject(t.onTestFinished, {
    script: {
      scenarios: {
        slow: [{ shell: 'sleep 300', shellArgs: { yield_time_ms: 250_000 } }],
        lead: [
          calls(
            call('delegate', { task: 'one [[slow]]', name: 'one', mode: 'async' }, 1),
            call('delegate', { task: 'two [[slow]]', name: 'two', mode: 'async' }, 2),
          ),
          calls(call('wait_sessions', { ids: ['one', 'two'] })),
        ],
      },
    },
  });
  const statuses = async () =>
    Object.fromEntries((await project.list()).map(({ id, name, status }) => [name ?? id, status]));
  const begin = async () => {
    const lead = await orchestrate(project);
    await eventually('both work', async () => {
      const steps = await Promise.all(
        ['one', 'two'].map(async (name) =>
          (await project.list()).some(
            (row) => row.name === name && row.status === 'running' && row.parent === lead,
          ),
        ),
      );
      return steps.every(Boolean);
    });
    return lead;
  };
  const lead = await begin();
  await project.ok(['kill', lead]);
  expect(await statuses()).toEqual({ [lead]: 'killed', one: 'running', two: 'running' });
  await project.ok(['kill', '--tree', lead]);
  expect(await statuses()).toEqual({ [lead]: 'killed', one: 'killed', two: 'killed' });
});
