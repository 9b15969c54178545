import { mkdirSync, mkdtempSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ModelStep, startAnthropicModel } from './anthropic-model.ts';
import { INSTALLATIONS, installedPackage } from './installed.ts';
import { createProject, type OnFinished } from './project.ts';

/** The version that `fixtures/streams/claude-2.1.328` was recorded with; its program is native, and runs without Node. */
export const CLAUDE_VERSION = '2.1.328';

const programIn = (directory: string): string | undefined => {
  const path = join(directory, 'node_modules', '.bin', 'claude');
  const found = statSync(path, { throwIfNoEntry: false });
  // Where npm could not get the native program, a script of some lines is in its place.
  return found !== undefined && found.size > 1_000_000 ? path : undefined;
};

/** The real Claude Code. */
export const CLAUDE = installedPackage('@anthropic-ai/claude-code', CLAUDE_VERSION, programIn);

/** What the real Claude Code needs in its environment, with its own files in `home`, and its scripted model. */
export async function claudeEnvironment(finished: OnFinished, home: string, steps: readonly ModelStep[]) {
  const model = await startAnthropicModel(steps, finished);
  const env = {
    ZWARM_CLAUDE_BIN: programIn(CLAUDE.directory),
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
    DISABLE_TELEMETRY: '1',
  };
  return { model, env };
}

/** A project for the real Claude Code, with a home of its own and a scripted model. */
export async function createClaudeProject(finished: OnFinished, steps: readonly ModelStep[]) {
  const project = createProject('ein größeres Projekt', finished);
  mkdirSync(INSTALLATIONS, { recursive: true });
  // Not in the temporary directory: a confined agent has another one.
  const home = mkdtempSync(join(INSTALLATIONS, 'claude-home-'));
  finished(() => rm(home, { recursive: true, force: true, maxRetries: 20 }));
  const { model, env } = await claudeEnvironment(finished, home, steps);
  Object.assign(project.env, { ...env, ZWARM_AGENT: 'claude' });
  return { ...project, model, claudeHome: join(home, '.claude') };
}
