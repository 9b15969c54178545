import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { conversationOf, startFakeModel } from './codex.ts';
import { INSTALLATIONS, installedPackage, isInstalled } from './installed.ts';
import { createProject, type OnFinished, runProgram } from './project.ts';

/** The version that `fixtures/streams/opencode-1.18.33` was recorded with; its program is native. */
export const OPENCODE_VERSION = '1.18.33';

const programIn = (directory: string): string | undefined => {
  const path = join(directory, 'node_modules', '.bin', 'opencode');
  return existsSync(path) ? path : undefined;
};

/** The real opencode. */
export const OPENCODE = installedPackage('opencode-ai', OPENCODE_VERSION, programIn);

/** What opencode is told of a model, which is on loopback. */
export const opencodeConfiguration = (url: string): object => ({
  autoupdate: false,
  share: 'disabled',
  model: 'fake/m',
  small_model: 'fake/m',
  provider: {
    fake: { npm: '@ai-sdk/openai', options: { baseURL: url, apiKey: 'none' }, models: { m: { name: 'm' } } },
  },
});

/** A step in which the model calls a tool of opencode, perhaps after some words. */
export const call = (name: string, args: object, words?: string): object => ({
  output: [
    ...(words === undefined
      ? []
      : [
          {
            ...{ type: 'message', status: 'completed', id: 'msg_0', role: 'assistant' },
            content: [{ type: 'output_text', text: words, annotations: [] }],
          },
        ]),
    {
      ...{ type: 'function_call', status: 'completed', id: `fc_${name}`, call_id: `call_${name}` },
      ...{ name, arguments: JSON.stringify(args) },
    },
  ],
});

/** What the real opencode needs in its environment, with its own files in `home`, and its scripted model. */
export async function opencodeEnvironment(
  finished: OnFinished,
  home: string,
  script: Parameters<typeof startFakeModel>[0],
) {
  cpSync(SETTLED, home, { recursive: true });
  const model = await startFakeModel(script, finished);
  const config = join(home, 'opencode.json');
  writeFileSync(config, JSON.stringify(opencodeConfiguration(model.url)));
  const env = {
    ZWARM_OPENCODE_BIN: programIn(OPENCODE.directory),
    OPENCODE_CONFIG: config,
    ...withoutModels(home),
    ...placesIn(home),
  };
  return { model, env };
}

/** What the first command of a user makes of opencode's own files: a confined one cannot. Made once, and copied then. */
const SETTLED = join(INSTALLATIONS, `opencode-${OPENCODE_VERSION}-settled`);

const placesIn = (home: string) => ({
  XDG_DATA_HOME: join(home, 'data'),
  XDG_CACHE_HOME: join(home, 'cache'),
  XDG_CONFIG_HOME: join(home, 'config'),
});

/** No model but the configured one: reading all that it knows takes half of opencode's time. */
function withoutModels(home: string) {
  const path = join(home, 'models.json');
  writeFileSync(path, '{}');
  return { OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_MODELS_PATH: path };
}

/** Makes it, unless it is there. */
export async function settleOpencode(): Promise<void> {
  if (!isInstalled(OPENCODE) || existsSync(SETTLED)) return;
  const home = mkdtempSync(`${SETTLED}.new-`);
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    ...placesIn(home),
    ...withoutModels(home),
  };
  const { code, stderr } = await runProgram(programIn(OPENCODE.directory) ?? '', ['models'], {
    cwd: home,
    env,
  });
  if (code !== 0) throw new Error(`opencode models: ${stderr}`);
  renameSync(home, SETTLED);
}

/** A project for the real opencode, with a home of its own and a scripted model, whose words follow `[[name]]`. */
export async function createOpencodeProject(
  finished: OnFinished,
  scenarios: Readonly<Record<string, readonly object[]>>,
) {
  const project = createProject('ein größeres Projekt', finished);
  mkdirSync(INSTALLATIONS, { recursive: true });
  // Not in the temporary directory: a confined agent has another one.
  const home = mkdtempSync(join(INSTALLATIONS, 'opencode-home-'));
  finished(() => rm(home, { recursive: true, force: true, maxRetries: 20 }));
  const { model, env } = await opencodeEnvironment(finished, home, { scenarios });
  Object.assign(project.env, { ...env, ZWARM_AGENT: 'opencode' });
  mkdirSync(join(project.base, 'home/.local/state/opencode'), { recursive: true });
  return {
    ...project,
    model,
    home,
    /** The conversation as the model was sent it last with tools, one line for each message, call and output. */
    async told(): Promise<readonly string[]> {
      const last = (await model.requests()).findLast(({ body }) => (body.tools ?? []).length > 0);
      return last === undefined ? [] : conversationOf(last);
    },
  };
}
