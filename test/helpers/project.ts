import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { SessionDetail, SessionSummary } from '../../src/core/session.ts';
import { createSessionManager } from '../../src/manager/session-manager.ts';
import { statOf } from '../../src/process/identity.ts';
import { hasStore, storeDir } from '../../src/store/project-store.ts';
import { TEST_CACHE_HOME } from './cache.ts';
import { onScreen, type Screen, type ScreenOptions, testInstallation } from './context.ts';
import { removeTree } from './remove.ts';

/** A file of this repository. */
export const repositoryFile = (path: string): string =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The built command line. */
export const ZWARM = repositoryFile('bin/zwarm.js');
/** The scripted stand-in for codex; see its head for what it does. */
export const FAKE_AGENT = repositoryFile('fixtures/fake-agent');
/** One that does what its prompt says, in a shell: for tests that run many. */
export const SHELL_AGENT = repositoryFile('fixtures/shell-agent');
/** A recorded stream of the real Codex 0.169. */
export const stream = (name: string): string => repositoryFile(`fixtures/streams/codex-0.169/${name}.jsonl`);

/** How a command ended. */
export interface Ended extends Omit<Screen, 'code'> {
  /** Null where a signal ended it. */
  readonly code: number | null;
  readonly signal?: NodeJS.Signals | null;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Another user to run as; for root alone. */
  readonly uid?: number;
}

/** Runs a program to its end, with stdin from `input` (empty by default). */
export function runProgram(program: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const { input = '', uid, ...place } = options;
    const user = uid === undefined ? {} : { uid, gid: uid };
    const child = spawn(program, args, { ...place, stdio: 'pipe', ...user });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text) => {
        said[name] += text;
      });
    // A program that does not read its stdin closes it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...said }));
  });
}

/** What a scripted agent tells of one run. */
export interface AgentRun {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly stdin: string;
}

/** Reads the log of scripted agents: fields that end with NUL, and stdin of each run in a file beside it. */
export function readRuns(log: string): AgentRun[] {
  const fields = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').split('\0') : [];
  const runs: AgentRun[] = [];
  // The last one may be half written.
  for (let at = 0; at + 3 + Number(fields[at + 2]) < fields.length; at += 3 + Number(fields[at + 2])) {
    const [pid, cwd = '', count] = fields.slice(at, at + 3);
    const argv = fields.slice(at + 3, at + 3 + Number(count));
    runs.push({ pid: Number(pid), argv, cwd, stdin: fs.readFileSync(`${log}.${pid}`, 'utf8') });
  }
  return runs;
}

/** Registers what is to be done when a test has ended; the last one registered runs first. */
export type OnFinished = (cleanup: () => void | Promise<void>) => void;

type InProcess = ScreenOptions & Pick<RunOptions, 'input'>;

/** A project in a directory of its own, with a home, state and temporary directory beside it, and zwarm to run in it. */
export interface Project {
  /** Everything of this test lies below it. */
  readonly base: string;
  /** The project's directory; no git repository, but Codex would work in it. */
  readonly directory: string;
  readonly env: Record<string, string | undefined>;
  /** The directory of state that zwarm uses by itself. */
  readonly state: string;
  /** The project's store in it, whether it is there or not. */
  store(): string;
  /** Runs a command line of zwarm in the project, in this process. */
  zwarm(args: readonly string[], options?: InProcess): Promise<Screen>;
  /**
   * The same for one line: its words are split at blanks, but for those in quotes. All that it prints, and `[exit N]`
   * unless that is 0.
   */
  $(line: string, options?: InProcess): Promise<string>;
  /** The same in a process of its own, with what is built: for races, and where the process itself matters. */
  asProcess(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** The same, which must succeed; its stdout without the last newline. */
  ok(args: readonly string[], options?: InProcess): Promise<string>;
  /** Starts a session, which must succeed; its id. */
  start(args: readonly string[], options?: InProcess): Promise<string>;
  /** Starts a session that has ended well when this resolves; its id. */
  ended(args?: readonly string[], options?: InProcess): Promise<string>;
  list(args?: readonly string[]): Promise<SessionSummary[]>;
  show(id: string, args?: readonly string[]): Promise<SessionDetail>;
  /** A file of a turn. */
  turnFile(id: string, turn: number, name: string): string;
  /** Waits until a turn has ended, and does what its runner would do then in the built zwarm: `zwarm settle`. */
  settled(id: string, turn?: number): Promise<void>;
  /** The runs that the fake agent has logged. */
  runs(): AgentRun[];
}

/**
 * A fresh project in `place`, removed (with every session in it killed) when the test ends. Its codex is the fake
 * agent, which by default prints a short real conversation. A concurrent test passes its own `onTestFinished`.
 */
export function createProject(
  name = 'project',
  finished: OnFinished = onTestFinished,
  place = tmpdir(),
): Project {
  const base = fs.realpathSync(fs.mkdtempSync(join(place, 'zwarm-test-')));
  const directory = join(base, name);
  fs.mkdirSync(directory, { recursive: true });
  // What Codex takes for a repository around all of it, and git and zwarm for none.
  fs.writeFileSync(join(base, '.git'), '');
  for (const beside of ['home', 'tmp']) fs.mkdirSync(join(base, beside));
  const state = join(base, 'home', '.local', 'state', 'zwarm');
  // A test may make a repository of its project.
  const git = join(directory, '.git');
  const store = (): string => {
    const ofGit = storeDir(state, git);
    return hasStore(ofGit) ? ofGit : storeDir(state, directory);
  };
  const log = join(base, 'agent-runs');
  const env: Record<string, string | undefined> = {
    PATH: process.env['PATH'],
    HOME: join(base, 'home'),
    XDG_CACHE_HOME: TEST_CACHE_HOME,
    // No agent that may write there can write to the store.
    TMPDIR: join(base, 'tmp'),
    LANG: 'C.UTF-8',
    ZWARM_CODEX_BIN: FAKE_AGENT,
    FAKE_AGENT_LOG: log,
    FAKE_AGENT_STREAM: stream('message'),
  };
  const zwarm: Project['zwarm'] = (args, { input, ...options } = {}) =>
    onScreen({ directory, env }, args, { ...(input === undefined ? {} : { stdin: input }), ...options });
  const asProcess: Project['asProcess'] = (args, options = {}) =>
    runProgram(process.execPath, [ZWARM, ...args], {
      ...options,
      cwd: options.cwd ?? directory,
      env: { ...env, ...options.env },
    });
  const ok: Project['ok'] = async (args, options) => {
    const ended = await zwarm(args, options);
    if (ended.code !== 0)
      throw new Error(`zwarm ${args.join(' ')} ended with ${ended.code}: ${ended.stderr}`);
    return ended.stdout.replace(/\n$/, '');
  };
  const settled: Project['settled'] = async (id, turn = 1) => {
    await eventually(`the runner of turn ${turn} has ended`, () => {
      if (!fs.existsSync(turnFile(id, turn, 'exit.json'))) return false;
      const { pid } = JSON.parse(fs.readFileSync(turnFile(id, turn, 'runner.stat'), 'utf8'));
      return hasEnded(pid);
    });
    if (fs.existsSync(turnFile(id, turn, 'notified.json'))) return;
    const turnEnv = { ...env, ZWARM_SESSION_ID: id, ZWARM_TURN: String(turn) };
    const context = { ...testInstallation(), cwd: directory, uid: process.getuid?.() ?? 0, stateDir: state };
    await createSessionManager({ ...context, env: turnEnv }).settle();
  };
  finished(async () => {
    // Most tests leave nothing behind, and one zwarm for each of them would be a tenth of their time.
    if (processesWith(`HOME=${base}/`).length > 0) await zwarm(['kill', '--all', '--grace', '1s']);
    // A runner that is still settling would write into what we remove.
    await eventually(
      'every process of the project has ended',
      () => processesWith(`HOME=${base}/`).length === 0,
    );
    removeTree(base);
  });
  const turnFile: Project['turnFile'] = (id, turn, file) =>
    join(store(), 'sessions', id, 'turns', String(turn), file);
  return {
    base,
    directory,
    env,
    state,
    store,
    zwarm,
    async $(line, options) {
      const words = line.match(/'[^']*'|[^\s']+/g) ?? [];
      const { code, stdout, stderr } = await zwarm(
        words.map((word) => word.replaceAll("'", '')),
        options,
      );
      return stdout + stderr + (code === 0 ? '' : `[exit ${code}]\n`);
    },
    asProcess,
    ok,
    start: (args, options) => ok(['start', ...args], options),
    async ended(args = ['x'], options = {}) {
      const { id } = JSON.parse(await ok(['start', '--wait', '--json', ...args], options));
      await settled(id);
      return id;
    },
    list: async (args = []) => JSON.parse(await ok(['ls', '--json', ...args])),
    show: async (id, args = []) => JSON.parse(await ok(['show', id, '--json', ...args])),
    turnFile,
    settled,
    runs: () => readRuns(log),
  };
}

/** Whether a process has ended; a zombie has. */
export function hasEnded(pid: number): boolean {
  return statOf(pid)?.dead ?? true;
}

/** Waits for a condition; fails after \`seconds\`. For what no notification tells. */
export async function eventually<T>(
  what: string,
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  seconds = 30,
): Promise<T> {
  for (const deadline = performance.now() + seconds * 1000; performance.now() < deadline; await sleep(10)) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
  }
  throw new Error(`waited ${seconds} s in vain: ${what}`);
}

/** Where one environment after the other is read; what is beyond its end is nothing of ours. */
const ENVIRONMENT = Buffer.alloc(1 << 18);

/** Whether a process has this text in that file; what has ended, a zombie too, has none. */
function bears(pid: string, file: string, text: string): boolean {
  let fd = -1;
  try {
    fd = fs.openSync(`/proc/${pid}/${file}`, 'r');
    return ENVIRONMENT.subarray(0, fs.readSync(fd, ENVIRONMENT)).includes(text);
  } catch {
    // It ended while we looked, or it is another user's.
    return false;
  } finally {
    if (fd !== -1) fs.closeSync(fd);
  }
}

/** The living processes (zombies do not count) whose environment, or arguments, hold this text; Linux. */
export function processesWith(text: string, file: 'environ' | 'cmdline' = 'environ'): number[] {
  return fs
    .readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid && bears(entry, file, text))
    .map(Number);
}

/** Whether a process watches a directory, as `zwarm wait` does once it is ready for Ctrl-C; Linux. */
export function watchesFiles(pid: number): boolean {
  const directory = `/proc/${pid}/fdinfo`;
  try {
    return fs
      .readdirSync(directory)
      .some((fd) => fs.readFileSync(`${directory}/${fd}`, 'utf8').includes('inotify'));
  } catch (error) {
    // Closed, or the process has ended, while we looked.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
