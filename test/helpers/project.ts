import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { SessionDetail, SessionSummary } from '../../src/core/session.ts';
import { createSessionManager } from '../../src/manager/session-manager.ts';
import { statOf } from '../../src/process/identity.ts';
import { hasStore, storeDir } from '../../src/store/project-store.ts';
import { onScreen, type Screen, type ScreenOptions, testInstallation } from './context.ts';
import { removeTree } from './directory.ts';

/** A file of this repository. */
export const repositoryFile = (path: string): string =>
  fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The same in the copy that tests run (see `test/build.ts`): no agent of a test can write there. */
export const installedFile = (path: string): string => join(process.env['TEST_INSTALLATION'] ?? '', path);

/** The built command line. */
export const ZWARM = installedFile('bin/zwarm.js');
/** The scripted stand-in for codex; see its head for what it does. */
export const FAKE_AGENT = installedFile('fixtures/fake-agent');
/** One that does what its prompt says, in a shell: for tests that run many. */
export const SHELL_AGENT = installedFile('fixtures/shell-agent');
/** A recorded stream of the real Codex 0.169. */
export const stream = (name: string): string => repositoryFile(`fixtures/streams/codex-0.169/${name}.jsonl`);

/** Where programs keep what they can make again for whoever runs the tests. */
export const CACHE_HOME = join(homedir(), '.cache');

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

/** What `createProject` makes. */
export type Project = ReturnType<typeof createProject>;

/**
 * A project in a directory of its own in `place`, with a home, state and temporary directory beside it, and zwarm to run
 * in it; removed (with every session in it killed) when the test ends. Its codex is the fake agent, which by default
 * prints a short real conversation. A concurrent test passes its own `onTestFinished`.
 */
export function createProject(name = 'project', finished: OnFinished = onTestFinished, place = tmpdir()) {
  const base = fs.realpathSync(fs.mkdtempSync(join(place, 'zwarm-test-')));
  const directory = join(base, name);
  fs.mkdirSync(directory, { recursive: true });
  // What Codex takes for a repository around all of it, and git and zwarm for none.
  fs.writeFileSync(join(base, '.git'), '');
  for (const beside of ['home', 'tmp']) fs.mkdirSync(join(base, beside));
  const state = join(base, 'home', '.local', 'state', 'zwarm');
  /** The project's store, whether it is there or not; a test may make a repository of its project. */
  const store = (): string => {
    const ofGit = storeDir(state, join(directory, '.git'));
    return hasStore(ofGit) ? ofGit : storeDir(state, directory);
  };
  const log = join(base, 'agent-runs');
  const env: Record<string, string | undefined> = {
    PATH: process.env['PATH'],
    HOME: join(base, 'home'),
    // No agent that may write there can write to the store.
    TMPDIR: join(base, 'tmp'),
    LANG: 'C.UTF-8',
    ZWARM_CODEX_BIN: FAKE_AGENT,
    FAKE_AGENT_LOG: log,
    FAKE_AGENT_STREAM: stream('message'),
  };
  const zwarm = (args: readonly string[], options: ScreenOptions = {}): Promise<Screen> =>
    onScreen({ directory, env }, args, options);
  const ok = async (args: readonly string[], options?: ScreenOptions): Promise<string> => {
    const { code, stdout, stderr } = await zwarm(args, options);
    if (code !== 0) throw new Error(`zwarm ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout.replace(/\n$/, '');
  };
  const turnFile = (id: string, turn: number, file: string): string =>
    join(store(), 'sessions', id, 'turns', String(turn), file);
  const settled = async (id: string, turn = 1): Promise<void> => {
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
    const living = () => processesBelow(base).length > 0;
    // Most tests leave nothing behind, and one zwarm for each of them would be a tenth of their time.
    if (living()) await zwarm(['kill', '--all', '--grace', '1s']);
    // A runner that is still settling would write into what we remove.
    await eventually('every process of the project has ended', () => !living());
    removeTree(base);
  });
  return {
    /** Everything of this test lies below it. */
    base,
    /** The project's directory; no git repository, but Codex would work in it. */
    directory,
    env,
    /** The directory of state that zwarm uses by itself. */
    state,
    store,
    /** Runs a command line of zwarm in the project, in this process. */
    zwarm,
    /** The same for one line of words, some in quotes: all that it prints, and `[exit N]` unless that is 0. */
    async $(line: string, options?: ScreenOptions): Promise<string> {
      const words = line.match(/'[^']*'|[^\s']+/g) ?? [];
      const argv = words.map((word) => word.replaceAll("'", ''));
      const { code, stdout, stderr } = await zwarm(argv, options);
      return stdout + stderr + (code === 0 ? '' : `[exit ${code}]\n`);
    },
    /** The same in a process of its own, with what is built: for races, and where the process itself matters. */
    asProcess: (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
      runProgram(process.execPath, [ZWARM, ...args], {
        cwd: directory,
        ...options,
        env: { ...env, ...options.env },
      }),
    /** The same, which must succeed; its stdout without the last newline. */
    ok,
    /** Starts a session, which must succeed; its id. */
    start: (args: readonly string[], options?: ScreenOptions) => ok(['start', ...args], options),
    /** Starts a session, and waits until its agent runs; its id. */
    async begin(prompt: string): Promise<string> {
      const before = readRuns(log).length;
      const id = await ok(['start', prompt]);
      await eventually('the agent runs', () => readRuns(log).length > before);
      return id;
    },
    /** A file in the project's directory, waited for: what an agent wrote there with one `echo`. */
    written(name: string): Promise<string> {
      const path = join(directory, name);
      const read = (): string => (fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '');
      return eventually(`${name} is written`, () => read().endsWith('\n') && read().trimEnd());
    },
    /** The living processes of a session. */
    marked: (id: string) => processesWith(`ZWARM_SESSION_ID=${id}`),
    /** Ends all processes of a session. They are stopped first: a runner that outlives its agent records the end. */
    lose(id: string): void {
      for (const signal of ['SIGSTOP', 'SIGKILL'] as const)
        for (const pid of processesWith(`ZWARM_SESSION_ID=${id}`)) process.kill(pid, signal);
    },
    /** Starts a session that has ended well when this resolves; its id. */
    async ended(args: readonly string[] = ['x'], options?: ScreenOptions): Promise<string> {
      const { id } = JSON.parse(await ok(['start', '--wait', '--json', ...args], options));
      await settled(id);
      return id;
    },
    list: async (args: readonly string[] = []): Promise<SessionSummary[]> =>
      JSON.parse(await ok(['ls', '--json', ...args])),
    show: async (id: string, args: readonly string[] = []): Promise<SessionDetail> =>
      JSON.parse(await ok(['show', id, '--json', ...args])),
    /** A file of a turn. */
    turnFile,
    /** Waits until a turn has ended, and does what its runner would do then in the built zwarm: `zwarm settle`. */
    settled,
    /** The runs that the fake agent has logged. */
    runs: () => readRuns(log),
  };
}

/** A project whose codex is the shell agent: cheap enough to be run often. */
export function createShellProject(name?: string, finished?: OnFinished): Project {
  const project = createProject(name, finished);
  project.env['ZWARM_CODEX_BIN'] = SHELL_AGENT;
  return project;
}

/** Lets zwarm find no program by which it could confine an agent. */
export function withoutConfiner({ base, env }: Pick<Project, 'base' | 'env'>): void {
  const programs = join(base, 'no-bwrap');
  fs.mkdirSync(programs);
  fs.writeFileSync(join(programs, 'bwrap'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  env['PATH'] = `${programs}:${env['PATH']}`;
}

/** Whether a process has ended; a zombie has. */
export function hasEnded(pid: number): boolean {
  return statOf(pid)?.dead ?? true;
}

/** Waits for a condition; fails after `seconds`. For what no notification tells. */
export async function eventually<T>(
  what: string,
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  seconds = 90,
): Promise<T> {
  for (const deadline = performance.now() + seconds * 1000; performance.now() < deadline; await sleep(10)) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
  }
  throw new Error(`waited ${seconds} s in vain: ${what}`);
}

/** The same without anything else happening in this process meanwhile: there no limit of the runner would end it. */
export function synchronously(what: string, look: () => boolean, seconds = 90): void {
  const deadline = performance.now() + seconds * 1000;
  while (!look()) if (performance.now() > deadline) throw new Error(`waited ${seconds} s in vain: ${what}`);
}

/** Where one environment after the other is read, behind a NUL; what is beyond its end is nothing of ours. */
const ENVIRONMENT = Buffer.alloc(1 << 18);

/** Whether a process has this text in that file, a NUL before and after each entry; what has ended, a zombie too, has none. */
function bears(pid: string, file: string, text: string): boolean {
  let fd = -1;
  try {
    fd = fs.openSync(`/proc/${pid}/${file}`, 'r');
    return ENVIRONMENT.subarray(0, 1 + fs.readSync(fd, ENVIRONMENT, { offset: 1 })).includes(text);
  } catch {
    // It ended while we looked, or it is another user's.
    return false;
  } finally {
    if (fd !== -1) fs.closeSync(fd);
  }
}

/** The living processes (zombies do not count) whose environment, or arguments, hold this text anywhere; Linux. */
export function processesNaming(text: string, file: 'environ' | 'cmdline' = 'environ'): number[] {
  return fs
    .readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid && bears(entry, file, text))
    .map(Number);
}

/** Those with this variable in their environment, `NAME=value`, whole. */
export function processesWith(variable: string): number[] {
  return processesNaming(`\0${variable}\0`);
}

/** Those whose home lies below a directory. */
export function processesBelow(directory: string): number[] {
  return processesNaming(`\0HOME=${directory}/`);
}

/** Whether a process watches so many directories, as `zwarm wait` does once it is ready for Ctrl-C; Linux. */
export function watchesFiles(pid: number, count = 1): boolean {
  const directory = `/proc/${pid}/fdinfo`;
  try {
    const read = (fd: string) => fs.readFileSync(`${directory}/${fd}`, 'utf8');
    const all = fs.readdirSync(directory).map(read).join('');
    return [...all.matchAll(/^inotify wd:/gm)].length >= count;
  } catch {
    // Closed, or the process has ended, while we looked.
    return false;
  }
}
