import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { nativeCodexPaths } from '../../src/agents/codex/index.ts';
import { INSTALLATIONS, installedPackage } from './installed.ts';
import { createProject, type OnFinished, repositoryFile, runProgram } from './project.ts';

/** The version that `fixtures/streams/codex-0.169` was recorded with. */
export const CODEX_VERSION = '0.169.0';

const PACKAGE = join('node_modules', '@openai', 'codex');

function nativeIn(directory: string): string | undefined {
  const natives = nativeCodexPaths(process.platform, process.arch);
  return natives.map((inner) => join(directory, PACKAGE, inner)).find(existsSync);
}

/** The real Codex. */
export const CODEX = installedPackage('@openai/codex', CODEX_VERSION, nativeIn);

/** The directory of programs that a user's PATH would name, and in it the script that npm links as `codex`. */
const CODEX_PATH = join(CODEX.directory, 'node_modules', '.bin');
export const CODEX_WRAPPER = join(CODEX_PATH, 'codex');

/** The native program of the installed Codex. */
export function nativeCodex(): string {
  const native = nativeIn(CODEX.directory);
  if (native === undefined) throw new Error(`Codex is not installed in ${CODEX.directory}`);
  return native;
}

/** The directory of the `bwrap` in Codex's package. */
export const pathOfBwrap = (): string => join(dirname(dirname(nativeCodex())), 'codex-resources');

/** A step in which the model calls tools of zwarm, all at once. */
export const calls = (...all: readonly [tool: string, args: object][]): object => ({
  output: all.map(([name, args], i) => ({
    type: 'function_call',
    id: `fc_${name}_${i}`,
    call_id: `call_${name}_${i}`,
    namespace: 'mcp__zwarm',
    name,
    arguments: JSON.stringify(args),
  })),
});

/**
 * A step whose command runs until its session is killed: Codex waits for one no longer than 30 seconds, then it asks what
 * to do next, and is told the same again.
 */
export const endless = (shell: string): object => ({
  shell,
  shellArgs: { yield_time_ms: 30_000 },
  times: 1000,
});

/** What the model says; the head of `fixtures/fake-model.mjs` explains it. */
interface ModelScript {
  readonly steps?: readonly object[];
  /** Picked by a user's message that holds `[[name]]`. */
  readonly scenarios?: Readonly<Record<string, readonly object[]>>;
  readonly rules?: readonly { readonly prompt: string; readonly steps: readonly object[] }[];
  readonly after?: 'repeat-last' | 'restart' | 'done';
}

interface Item {
  readonly type: string;
  readonly role?: string;
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly arguments?: string;
  readonly output?: unknown;
  /** Of an answer to a search for tools: those that were found, by server. */
  readonly tools?: readonly { readonly name: string; readonly tools: readonly { readonly name: string }[] }[];
}

/** A request that the model received. */
export interface ModelRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly model: string;
    readonly input: readonly Item[];
    readonly tools: readonly { readonly name?: string }[];
    /** What the answer is to be. */
    readonly text?: { readonly format?: object };
  };
}

/** Starts a stand-in for the model's server, on loopback, that ends with the test. */
export async function startFakeModel(script: ModelScript, finished: OnFinished) {
  const child = spawn(process.execPath, [repositoryFile('fixtures/fake-model.mjs'), '--quiet'], {
    env: { PATH: process.env['PATH'], FAKE_MODEL_SCRIPT: JSON.stringify(script) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  finished(async () => {
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const { url }: { url: string } = JSON.parse(String(line));
  const requests = async (): Promise<ModelRequest[]> => {
    const answer = await fetch(new URL('/_fake/requests', url), { headers: { connection: 'close' } });
    const all: (ModelRequest & { path: string })[] = JSON.parse(await answer.text());
    return all.filter(({ path }) => path.endsWith('/responses'));
  };
  return {
    url,
    /** What it was asked, oldest first. */
    requests,
    /** The same of one thread. */
    requestsOf: async (threadId: string) =>
      (await requests()).filter(({ headers }) => headers['thread-id'] === threadId),
    /** Has it say something else from here on. */
    async says(next: ModelScript): Promise<void> {
      const to = new URL('/_fake/script', url);
      await fetch(to, { method: 'POST', body: JSON.stringify(next), headers: { connection: 'close' } });
    },
  };
}

// What Codex itself adds to a conversation, as messages of the user.
const ADDED = /^<(environment_context|user_instructions|skills|permissions|turn_aborted)/;

/** What was said and done in a conversation as the model received it, one line each, without what Codex adds to it. */
export function conversationOf({ body }: ModelRequest): string[] {
  return body.input.flatMap((item) => {
    if (item.type === 'function_call') return [`call: ${item.arguments}`];
    if (item.type === 'function_call_output') return [`output: ${JSON.stringify(item.output)}`];
    if (item.role !== 'user' && item.role !== 'assistant') return [];
    const text = (item.content ?? []).map((part) => part.text ?? '').join('\n');
    return ADDED.test(text) ? [] : [`${item.role}: ${text}`];
  });
}

export type CodexProject = Awaited<ReturnType<typeof createCodexProject>>;

// Codex puts empty guards (.git, .codex, .agents) into every directory that a sandboxed command may write, and leaves
// them there when it is killed hard. In the temporary directory they would disturb other tests.
const config = (url: string): string => `
model = "gpt-5.5"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "${url}"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
`;

/** A git repository to run the real Codex in, in a path of the harder kind, with a scripted model or its address. */
export async function createCodexProject(
  finished: OnFinished,
  { script, url }: { readonly script: ModelScript; readonly url?: string },
) {
  const model = await startFakeModel(script, finished);
  mkdirSync(INSTALLATIONS, { recursive: true });
  const codexHome = mkdtempSync(join(INSTALLATIONS, 'home-'));
  finished(() => rm(codexHome, { recursive: true, force: true, maxRetries: 20 }));
  writeFileSync(join(codexHome, 'config.toml'), config(url ?? model.url));
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
    /** Outside the temporary directory, where Codex warns about it. */
    codexHome,
    /** What the model was sent last in the present thread of a session, one line for each message and call. */
    async told(id: string): Promise<string[]> {
      const { thread_id } = await project.show(id);
      const last = (await model.requestsOf(thread_id ?? '')).at(-1);
      return last === undefined ? [] : conversationOf(last);
    },
    /** What was recorded of the launch of a turn. */
    launch: (id: string, turn: number): { argv: string[]; program: string; agent_version: string } =>
      JSON.parse(readFileSync(project.turnFile(id, turn, 'launch.json'), 'utf8')),
  };
}

/** Fails where Codex cannot build its sandbox: there tests of it would prove nothing. */
export async function requireSandbox(): Promise<void> {
  const probe = await runProgram(nativeCodex(), ['sandbox', '--', 'sh', '-c', 'echo ran'], {
    cwd: INSTALLATIONS,
    env: { PATH: process.env['PATH'], HOME: INSTALLATIONS },
  });
  if (probe.stdout.trim() === 'ran') return;
  throw new Error(
    `Codex cannot build its sandbox here, so that nothing can be tested about it: ${probe.stderr.trim()}\n` +
      'Run these tests where unprivileged user namespaces are allowed.',
  );
}
