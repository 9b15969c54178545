import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CODEX_WRAPPER, createCodexProject } from '../helpers/codex.ts';
import { runProgram, ZWARM } from '../helpers/project.ts';

const ANSWERS = { steps: [{ message: 'fine' }] };

test.concurrent('Codex reads what is installed for it as it was meant', async (t) => {
  const { env, directory, codexHome, ok } = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  const codex = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runProgram(CODEX_WRAPPER, args, { cwd: directory, env });
    if (code !== 0) throw new Error(`codex ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
  const config = join(codexHome, 'config.toml');
  const before = readFileSync(config, 'utf8');
  await ok(['mcp', 'install', '--host', 'codex', '--yes']);
  expect(JSON.parse(await codex('mcp', 'get', 'zwarm', '--json'))).toMatchObject({
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
  expect(await codex('mcp', 'list')).toMatch(/^zwarm .* enabled /m);
  await ok(['mcp', 'install', '--host', 'codex', '--yes', '--remove']);
  expect(readFileSync(config, 'utf8')).toBe(before);
  expect(await codex('mcp', 'list')).not.toContain('zwarm');
});

test.concurrent('an entry that Codex wrote itself is replaced', async (t) => {
  const { env, directory, codexHome, ok } = await createCodexProject(t.onTestFinished, { script: ANSWERS });
  const add = ['mcp', 'add', 'zwarm', '--env', 'ZWARM_WAIT_SEC=5', '--', 'zwarm', 'mcp'];
  expect(await runProgram(CODEX_WRAPPER, add, { cwd: directory, env })).toMatchObject({ code: 0 });
  const config = join(codexHome, 'config.toml');
  writeFileSync(config, `${readFileSync(config, 'utf8')}\n# the end\n`);
  await ok(['mcp', 'install', '--host', 'codex', '--yes']);
  const text = readFileSync(config, 'utf8');
  expect(text.match(/ZWARM_WAIT_SEC/g)).toHaveLength(1);
  expect(text).toMatch(/\n# the end\n$/);
  const got = await runProgram(CODEX_WRAPPER, ['mcp', 'get', 'zwarm', '--json'], { cwd: directory, env });
  expect(JSON.parse(got.stdout)).toMatchObject({ transport: { args: [ZWARM, 'mcp'] } });
});
