import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startFakeModel } from '../helpers/codex.ts';
import { isInstalled } from '../helpers/installed.ts';
import { OPENCODE } from '../helpers/opencode.ts';
import { createProject, runProgram } from '../helpers/project.ts';

const PROGRAM = join(OPENCODE.directory, 'node_modules', '.bin', 'opencode');

/** What opencode is told of the model; `mcp install` tells it of zwarm. */
const configuration = (url: string): object => ({
  autoupdate: false,
  share: 'disabled',
  provider: {
    fake: { npm: '@ai-sdk/openai', options: { baseURL: url, apiKey: 'none' }, models: { m: { name: 'm' } } },
  },
});

test.runIf(isInstalled(OPENCODE))(
  'opencode reads what is installed for it, and shows its model error and hint of a refusal',
  async (t) => {
    const call = {
      ...{ type: 'function_call', status: 'completed', id: 'fc_1', call_id: 'call_1' },
      ...{ name: 'zwarm_delegate', arguments: JSON.stringify({ task: 'x', working_dir: '/' }) },
    };
    const steps = [{ output: [call] }, { message: 'understood' }];
    // A title is asked for, too.
    const rules = [{ prompt: '^"?go', steps }];
    const model = await startFakeModel({ rules }, t.onTestFinished);
    const { base, directory: cwd, env, ok } = createProject();
    const config = join(base, 'opencode.json');
    writeFileSync(config, JSON.stringify(configuration(model.url)));
    await ok(['mcp', 'install', '--host', 'opencode', '--yes']);
    const args = ['run', '--format', 'json', '--dir', cwd, '-m', 'fake/m', 'go'];
    const surroundings = { ...env, PWD: cwd, OPENCODE_CONFIG: config, OPENCODE_DISABLE_MODELS_FETCH: '1' };
    const listed = await runProgram(PROGRAM, ['mcp', 'list'], { cwd, env: surroundings });
    expect(listed.stdout).toMatch(/zwarm.*connected/);
    const { code, stdout, stderr } = await runProgram(PROGRAM, args, { cwd, env: surroundings });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain('understood');
    const told = (await model.requests()).flatMap(({ body }) =>
      body.input.flatMap((item) => (item.type === 'function_call_output' ? [String(item.output)] : [])),
    );
    expect(told.map((text) => JSON.parse(text))).toEqual([
      { success: false, error: 'that directory is not allowed', hint: `allowed: ${cwd} and below` },
    ]);
  },
);
