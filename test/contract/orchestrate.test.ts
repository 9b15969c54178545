import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CodexProject, calls, createCodexProject, endless } from '../helpers/codex.ts';
import { eventually, type OnFinished, ZWARM } from '../helpers/project.ts';

/* Which of zwarm's own agents get the tools, and what they do with them. */

const SCENARIOS = {
  look: [calls(['list_sessions', {}]), { message: 'looked' }],
  lead: [calls(['delegate', { task: 'do it [[worker]]' }]), { message: 'led' }],
  worker: [calls(['delegate', { task: 'and so on [[worker]]' }]), { message: 'worked' }],
};

/** A project whose user has Codex start zwarm's tools by himself. */
async function createHostProject(finished: OnFinished): Promise<CodexProject> {
  const project = await createCodexProject(finished, { script: { scenarios: SCENARIOS } });
  await project.ok(['mcp', 'install', '--host', 'codex', '--yes']);
  return project;
}

/** The calls of tools in a session, as its agent tells of them. */
async function toolCalls(project: CodexProject, id: string): Promise<string[]> {
  const steps: { type: string; name: string; status: string }[] = JSON.parse(
    await project.ok(['trajectory', id, '--json']),
  );
  return steps.flatMap(({ type, name, status }) => (type === 'tool_call' ? [`${name} ${status}`] : []));
}

/** Whether Codex told the model of servers, by request: it has tools for their resources only where it has servers. */
async function toldOf(project: CodexProject): Promise<boolean[]> {
  const requests = await project.model.requests();
  return requests.map(({ body }) => body.tools.some(({ name }) => name === 'list_mcp_resources'));
}

/** What Codex answered to the model's calls. */
async function outputs(project: CodexProject): Promise<string[]> {
  const last = (await project.model.requests()).at(-1);
  return (last?.body.input ?? []).flatMap(({ type, output }) =>
    type === 'function_call_output' ? [JSON.stringify(output)] : [],
  );
}

test.concurrent('an agent that runs no others does not get the tools of its user', async (t) => {
  const project = await createHostProject(t.onTestFinished);
  const id = await project.start(['-q', 'look around [[look]]']);
  await project.ok(['wait', id]);
  await project.ok(['inject', '--wait', id, 'once more [[look]]']);
  expect((await project.show(id)).turns.map(({ status, how }) => `${status} ${how}`)).toEqual([
    'completed fresh',
    'completed native',
  ]);
  expect(await toolCalls(project, id)).toEqual([]);
  expect(await toldOf(project)).toEqual([false, false, false, false]);
  expect(await outputs(project)).toEqual(Array(2).fill('"unsupported call: mcp__zwarmlist_sessions"'));
  expect(project.launch(id, 2).argv).toContain('mcp_servers.zwarm={command="true",enabled=false}');
});

test.concurrent('what the user says of that server holds', async (t) => {
  const project = await createHostProject(t.onTestFinished);
  const server = 'mcp_servers.zwarm.enabled=true';
  const id = await project.start(['-q', '--agent-arg=-c', `--agent-arg=${server}`, 'look around [[look]]']);
  await project.ok(['wait', id]);
  expect(await toolCalls(project, id)).toEqual(['zwarm.list_sessions completed']);
  expect(await toldOf(project)).toEqual([true, true]);
});

test.concurrent('an orchestrator has its own, whatever its user has Codex start; its agents have none', async (t) => {
  const project = await createHostProject(t.onTestFinished);
  // The user has switched it off, and wants to be asked for this tool.
  const config = join(project.codexHome, 'config.toml');
  const off = readFileSync(config, 'utf8').replace('required = true\n', '$&enabled = false\n');
  writeFileSync(config, `${off}[mcp_servers.zwarm.tools.delegate]\napproval_mode = "prompt"\n`);
  expect(off).toContain('enabled = false');
  const lead = await project.ok(['orchestrate', '-q', 'reach it [[lead]]']);
  await project.ok(['wait', lead]);
  await project.ok(['inject', '--wait', lead, 'go on [[lead]]']);
  expect(await toolCalls(project, lead)).toEqual(['zwarm.delegate completed', 'zwarm.delegate completed']);
  const workers = (await project.list()).filter(({ parent }) => parent === lead);
  expect(workers).toHaveLength(2);
  for (const { id } of workers) expect(await toolCalls(project, id)).toEqual([]);
  expect(project.launch(lead, 2).argv.join(' ')).toContain(ZWARM);
});

test.concurrent('zwarm orchestrate gives its agent the tools, and its sessions go on without it', async (t) => {
  const lead = [
    calls(
      ['delegate', { task: 'one [[gamma]]', name: 'one', mode: 'async' }],
      ['delegate', { task: 'two [[alpha]]', name: 'two', mode: 'async' }],
    ),
    calls(['wait_sessions', { ids: ['two'] }]),
    { message: 'reached' },
  ];
  const scenarios = {
    alpha: [{ message: 'alpha is done' }],
    gamma: [endless('sleep 300')],
    lead,
    more: [calls(['wait_sessions', { ids: ['one'] }])],
  };
  const project = await createCodexProject(t.onTestFinished, { script: { scenarios } });
  const goal = 'reach the goal [[lead]]';
  const id = await project.ok(['orchestrate', '-q', goal]);
  await project.ok(['wait', id]);
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
