import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startGeminiModel } from '../helpers/gemini-model.ts';
import { hostStory, LAST_WORDS } from '../helpers/host-story.ts';
import { installedPackage, orWhyNot } from '../helpers/installed.ts';
import { createShellProject, runProgram } from '../helpers/project.ts';

const GEMINI = installedPackage('@google/gemini-cli', '0.61.0');
const missing = await orWhyNot(GEMINI);

/** What Gemini CLI is told beside the server of zwarm. */
const OWN_SETTINGS = {
  general: { disableAutoUpdate: true, disableUpdateNag: true },
  privacy: { usageStatisticsEnabled: false },
  security: { auth: { selectedType: 'gemini-api-key' } },
};

/** An answer of a tool out of what Gemini CLI makes of it for its model. */
function answerIn({ output, error }: { readonly output?: string; readonly error?: string }): unknown {
  if (output !== undefined) return JSON.parse(output.replaceAll(/^<.*>$/gm, ''));
  const [call] = JSON.parse(error?.split(' with response: ').at(-1) ?? '[]');
  return JSON.parse(call.functionResponse.response.content[0].text);
}

test.runIf(missing === null)(
  'Gemini CLI reads what is installed for it, tells its roots, and its model gets every answer and refusal',
  async (t) => {
    const { base, directory: cwd, env, ok } = createShellProject();
    const story = hostStory(cwd);
    const model = await startGeminiModel(story, LAST_WORDS, t.onTestFinished);
    await ok(['mcp', 'install', '--host', 'gemini', '--unattended', '--yes']);
    const settings = join(base, 'home/.gemini/settings.json');
    const installed = JSON.parse(readFileSync(settings, 'utf8'));
    // Like a host that starts its servers elsewhere: then it is asked for its roots.
    installed.mcpServers.zwarm.cwd = join(base, 'home');
    await ok(['config', 'set', 'allowed_dirs', cwd]);
    writeFileSync(settings, JSON.stringify({ ...installed, ...OWN_SETTINGS }));
    const surroundings = {
      ...{ ...env, PWD: cwd, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
      ...{ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: model.url },
    };
    const program = join(GEMINI.directory, 'node_modules', '.bin', 'gemini');
    const args = ['-m', 'gemini-2.5-pro'];
    const { code, stdout, stderr } = await runProgram(program, args, { cwd, env: surroundings, input: 'go' });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain(LAST_WORDS);
    expect(model.told().map(answerIn)).toMatchObject(story.map(({ told }) => told));
  },
);
