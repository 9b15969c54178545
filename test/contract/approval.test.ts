import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type CodexProject, createCodexProject, nativeCodex, requireSandbox } from '../helpers/codex.ts';
import { runProgram } from '../helpers/project.ts';

beforeAll(requireSandbox);

const call = (tool: string, args: object): object => ({ mcp: { server: 'zwarm', tool, arguments: args } });

const SCENARIOS = {
  worker: [{ shell: 'echo from the worker > written' }, { message: 'written' }],
  host: [
    call('list_sessions', {}),
    call('delegate', { task: 'write it [[worker]]' }),
    { message: 'that was it' },
  ],
};

const install = (project: CodexProject, ...options: string[]): Promise<string> =>
  project.ok(['mcp', 'install', '--host', 'codex', '--yes', ...options]);

/** Runs Codex as a user does who lets it only read; what its calls of tools came to. */
async function readOnlyHost({ directory: cwd, env }: CodexProject): Promise<string[]> {
  const args = ['exec', '--json', '-s', 'read-only', '-'];
  const { code, stdout, stderr } = await runProgram(nativeCodex(), args, { cwd, env, input: 'go [[host]]' });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const events = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  return events.flatMap(({ type, item }) =>
    type === 'item.completed' && item.type === 'mcp_tool_call'
      ? [`${item.tool} ${item.status}${item.error ? `: ${item.error.message}` : ''}`]
      : [],
  );
}

test.concurrent('a host that may only read has nobody write for it, unless it was installed so', async (t) => {
  const project = await createCodexProject(t.onTestFinished, { script: { scenarios: SCENARIOS } });
  const written = join(project.directory, 'written');
  const config = join(project.codexHome, 'config.toml');
  const before = readFileSync(config, 'utf8');
  await install(project);
  const asked = [
    'list_sessions completed',
    'delegate failed: MCP tool call requires approval, but approval policy is never',
  ];
  expect(await readOnlyHost(project)).toEqual(asked);
  expect(existsSync(written)).toBe(false);
  expect(await project.list()).toEqual([]);

  await install(project, '--unattended');
  expect(await readOnlyHost(project)).toEqual(['list_sessions completed', 'delegate completed']);
  expect(readFileSync(written, 'utf8')).toBe('from the worker\n');

  // And back.
  await install(project);
  expect(await readOnlyHost(project)).toEqual(asked);
  expect(await project.list()).toHaveLength(1);
  await install(project, '--remove');
  expect(readFileSync(config, 'utf8')).toBe(before);
});
