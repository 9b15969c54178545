import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startFakeModel } from '../helpers/codex.ts';
import { hostStory, LAST_WORDS } from '../helpers/host-story.ts';
import { isInstalled } from '../helpers/installed.ts';
import { OPENCODE, opencodeConfiguration } from '../helpers/opencode.ts';
import { createShellProject, runProgram } from '../helpers/project.ts';

test.runIf(isInstalled(OPENCODE))(
  'opencode reads what is installed for it, and its model gets every answer and refusal',
  async (t) => {
    const { base, directory: cwd, env, ok } = createShellProject();
    const story = hostStory(cwd);
    const steps = story.map(({ tool, args }, i) => ({
      output: [
        {
          ...{ type: 'function_call', status: 'completed', id: `fc_${i}`, call_id: `call_${i}` },
          ...{ name: `zwarm_${tool}`, arguments: JSON.stringify(args) },
        },
      ],
    }));
    // A title is asked for, too.
    const rules = [{ prompt: '^"?go', steps: [...steps, { message: LAST_WORDS }] }];
    const model = await startFakeModel({ rules }, t.onTestFinished);
    const config = join(base, 'opencode.json');
    writeFileSync(config, JSON.stringify(opencodeConfiguration(model.url)));
    await ok(['mcp', 'install', '--host', 'opencode', '--yes']);
    const surroundings = { ...env, PWD: cwd, OPENCODE_CONFIG: config, OPENCODE_DISABLE_MODELS_FETCH: '1' };
    const program = join(OPENCODE.directory, 'node_modules', '.bin', 'opencode');
    const args = ['run', '--format', 'json', '--dir', cwd, '-m', 'fake/m', 'go'];
    const { code, stdout, stderr } = await runProgram(program, args, { cwd, env: surroundings });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain(LAST_WORDS);
    // The last request has all that came before.
    const told = ((await model.requests()).at(-1)?.body.input ?? []).flatMap((item) =>
      item.type === 'function_call_output' ? [JSON.parse(String(item.output))] : [],
    );
    expect(told).toMatchObject(story.map(({ told }) => told));
  },
);
