import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nativeCodexPaths } from '../../src/agents/codex/native.ts';
import { CACHE_HOME } from './cache.ts';
import { type FakeModel, type ModelScript, startFakeModel } from './fake-model.ts';
import { createProject, type Ended, type OnFinished, type Project, runProgram } from './project.ts';

/** The version that `fixtures/streams/codex-0.169` was recorded with. */
export const CODEX_VERSION = '0.169.0';

const AGENTS = join(CACHE_HOME, 'zwarm-test-agents');
const INSTALLED = join(AGENTS, `codex-${CODEX_VERSION}`);
const PACKAGE = join('node_modules', '@openai', 'codex');

/** The directory of programs that a user's PATH would name, and in it the script that npm links as `codex`. */
export const CODEX_PATH = join(INSTALLED, 'node_modules', '.bin');
export const CODEX_WRAPPER = join(CODEX_PATH, 'codex');

function nativeIn(directory: string): string | undefined {
  const natives = nativeCodexPaths(process.platform, process.arch);
  return natives.map((inner) => join(directory, PACKAGE, inner)).find(existsSync);
}

/** The native program of the installed Codex. */
export function nativeCodex(): string {
  const native = nativeIn(INSTALLED);
  if (native === undefined) throw new Error(`Codex is not installed in ${INSTALLED}`);
  return native;
}

function isComplete(directory: string): boolean {
  const manifest = join(directory, PACKAGE, 'package.json');
  if (!existsSync(manifest) || nativeIn(directory) === undefined) return false;
  return JSON.parse(readFileSync(manifest, 'utf8')).version === CODEX_VERSION;
}

/** Installs the real Codex outside the repository, unless it is there. What was interrupted is begun again. */
export async function installCodex(): Promise<void> {
  if (isComplete(INSTALLED)) return;
  mkdirSync(AGENTS, { recursive: true });
  const building = mkdtempSync(`${INSTALLED}.new-`);
  try {
    writeFileSync(join(building, 'package.json'), '{ "private": true }');
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `@openai/codex@${CODEX_VERSION}`];
    const { code, stderr } = await runProgram('npm', args, { cwd: building, env: process.env });
    if (code !== 0 || !isComplete(building)) {
      const why = `npm could not install @openai/codex@${CODEX_VERSION}, which the contract tests run`;
      throw new Error(`${why}: ${stderr.trim() || 'it has no native program for this machine'}`);
    }
    // What is in the way is the rest of an interrupted installation, unless another test run was faster.
    if (!isComplete(INSTALLED)) rmSync(INSTALLED, { recursive: true, force: true });
    if (!existsSync(INSTALLED)) renameSync(building, INSTALLED);
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
}

/** A project whose codex is the real one, talking to a scripted model on loopback. */
export interface CodexProject extends Project {
  readonly model: FakeModel;
  /** Its CODEX_HOME; outside the temporary directory, where Codex warns about it. */
  readonly codexHome: string;
  /** What was recorded of the launch of a turn. */
  launch(id: string, turn: number): { argv: string[]; program: string; agent_version: string };
}

// Codex puts empty guards (.git, .codex, .agents) into every directory that a sandboxed command may write, and leaves
// them there when it is killed hard. In the temporary directory they would disturb other tests.
const config = (url: string, retries: number): string => `
model = "gpt-5.5"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "${url}"
wire_api = "responses"
request_max_retries = ${retries}
stream_max_retries = ${retries}
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
`;

export interface CodexOptions {
  readonly script: ModelScript;
  /** Instead of the model's address. */
  readonly url?: string;
}

/** A git repository to run the real Codex in, in a path of the harder kind; everything of it ends with the test. */
export async function createCodexProject(
  finished: OnFinished,
  { script, url }: CodexOptions,
): Promise<CodexProject> {
  const model = await startFakeModel(script, finished);
  mkdirSync(AGENTS, { recursive: true });
  const codexHome = mkdtempSync(join(AGENTS, 'home-'));
  finished(() => rm(codexHome, { recursive: true, force: true, maxRetries: 20 }));
  writeFileSync(join(codexHome, 'config.toml'), config(url ?? model.url, 1));
  const project = createProject('ein größeres Projekt', finished);
  Object.assign(project.env, {
    ZWARM_CODEX_BIN: undefined,
    CODEX_HOME: codexHome,
    PATH: `${CODEX_PATH}:${process.env['PATH']}`,
  });
  const git = await runProgram('git', ['init', '-q'], { cwd: project.directory, env: project.env });
  if (git.code !== 0) throw new Error(`git init: ${git.stderr}`);
  return {
    ...project,
    model,
    codexHome,
    launch: (id, turn) => JSON.parse(readFileSync(project.turnFile(id, turn, 'launch.json'), 'utf8')),
  };
}

/**
 * Fails where Codex cannot build its sandbox: a container without user namespaces, for example. Tests of the sandbox
 * would otherwise prove nothing, as a command that cannot start writes nowhere.
 */
export async function requireSandbox(): Promise<void> {
  const probe: Ended = await runProgram(nativeCodex(), ['sandbox', '--', 'sh', '-c', 'echo ran'], {
    cwd: AGENTS,
    env: { PATH: process.env['PATH'], HOME: AGENTS },
  });
  if (probe.stdout.trim() === 'ran') return;
  throw new Error(
    `Codex cannot build its sandbox here, so that nothing can be tested about it: ${probe.stderr.trim()}\n` +
      'Run these tests where unprivileged user namespaces are allowed.',
  );
}
