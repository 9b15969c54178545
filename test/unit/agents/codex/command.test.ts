import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import type { TurnRequest } from '../../../../src/agents/agent.ts';
import { codexCommand } from '../../../../src/agents/codex/command.ts';
import { codex, nativeCodexPaths } from '../../../../src/agents/codex/index.ts';
import { SANDBOXES } from '../../../../src/core/session.ts';

const THREAD = '01a1f880-c978-76c0-be58-213b143ff767';
const place = { workingDir: '/some where/ünï', sandbox: 'workspace-write' } as const;
const begins = { threadId: null, newThreadId: THREAD, forks: false };
const first = { ...place, ...begins, confined: false, model: null, agentArgs: [], schema: null, tools: null };
const argv = (request: Partial<TurnRequest>): readonly string[] => codexCommand({ ...first, ...request });
const HEAD = ['exec', '--json', '-C', '/some where/ünï', '-s', 'workspace-write'];
/** Whatever its user has Codex start, an agent that runs no others does not get zwarm's tools. */
const NO_TOOLS = ['-c', 'mcp_servers.zwarm={command="true",enabled=false}'];

test.each<[string, Partial<TurnRequest>, string[]]>([
  ['the first turn', {}, [...HEAD, ...NO_TOOLS, '-']],
  ['a model', { model: 'gpt-5.5' }, [...HEAD, '-m', 'gpt-5.5', ...NO_TOOLS, '-']],
  [
    'a schema, on a later turn, too',
    { threadId: THREAD, schema: { text: '{}', path: '/s.json' } },
    [...HEAD, '--output-schema', '/s.json', ...NO_TOOLS, 'resume', THREAD, '-'],
  ],
  ['a later turn', { threadId: THREAD }, [...HEAD, ...NO_TOOLS, 'resume', THREAD, '-']],
  ['a fork', { threadId: THREAD, forks: true }, [...HEAD, ...NO_TOOLS, 'fork', THREAD, '-']],
  [
    'everything, with all options before the word resume',
    { threadId: THREAD, model: 'm', agentArgs: ['--skip-git-repo-check', '-c', 'a="b c"'] },
    [...HEAD, '-m', 'm', ...NO_TOOLS, '--skip-git-repo-check', '-c', 'a="b c"', 'resume', THREAD, '-'],
  ],
])('what Codex is told: %s', (_, request, expected) => {
  expect(argv(request)).toEqual(expected);
});

test.each<[string, string[], string[]]>([
  ['a setting', ['-c', 'mcp_servers.zwarm.enabled=true'], []],
  ['a table', ['--config=mcp_servers.zwarm={command="zwarm",args=["mcp"]}'], []],
  ['another server', ['-c', 'mcp_servers.zwarm-2.enabled=true'], NO_TOOLS],
])('what the user says of the server of tools holds: %s', (_, agentArgs, noTools) => {
  expect(argv({ agentArgs })).toEqual([...HEAD, ...noTools, ...agentArgs, '-']);
});

test('an orchestrator is given its tools, all of which it may call', () => {
  const tools = { program: '/bin/node', args: ['z', 'mcp'], variables: ['HOME'], tools: ['a', 'b'] };
  const words = argv({ tools, agentArgs: ['-c', 'mcp_servers.zwarm.enabled=false'] });
  expect(words.slice(0, HEAD.length + 1)).toEqual([...HEAD, '-c']);
  const [server = '', ...rest] = words.slice(HEAD.length + 1);
  expect(parse(server)).toEqual({
    mcp_servers: {
      zwarm: {
        enabled: true,
        command: '/bin/node',
        args: ['z', 'mcp'],
        required: true,
        startup_timeout_sec: 20,
        tool_timeout_sec: 1800,
        supports_parallel_tool_calls: true,
        default_tools_approval_mode: 'approve',
        tools: { a: { approval_mode: 'approve' }, b: { approval_mode: 'approve' } },
        env: { ZWARM_WAIT_SEC: '1500' },
        env_vars: ['HOME'],
      },
    },
  });
  expect(rest).toEqual(['-c', 'mcp_servers.zwarm.enabled=false', '-']);
});

test('the sandbox is stated on every turn, whichever it is', () => {
  for (const sandbox of SANDBOXES)
    expect(argv({ sandbox, threadId: THREAD }).slice(4, 6)).toEqual(['-s', sandbox]);
});

test('Codex is asked to stop by SIGINT first', () => {
  expect(codex.stopSignals).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL']);
});

test('the native program is looked for where each layout of the package has it', () => {
  expect(nativeCodexPaths('linux', 'x64')).toEqual([
    'node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex',
    '../codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex',
    'vendor/x86_64-unknown-linux-musl/bin/codex',
    'vendor/x86_64-unknown-linux-musl/codex/codex',
    'bin/codex-x86_64-unknown-linux-musl',
  ]);
  expect(nativeCodexPaths('darwin', 'arm64')[2]).toBe('vendor/aarch64-apple-darwin/bin/codex');
  expect(nativeCodexPaths('linux', 'riscv64')).toEqual([]);
});
