import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { createSessionManager, type SessionManager } from '../../../src/manager/session-manager.ts';
import { storeDir } from '../../../src/store/project-store.ts';
import { copiedInstallation } from '../../helpers/context.ts';
import { eventually, processesWith, readRuns, runProgram } from '../../helpers/project.ts';
import { snapshot } from '../../helpers/tree.ts';

/** A project of its own for one case, with its sessions in this process and as commands. */
export interface Scene {
  readonly base: string;
  readonly directory: string;
  /** The directory of state. */
  readonly state: string;
  /** The project's store in it, whether it is there or not. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The verbs, in this process: its calls are counted. */
  readonly manager: SessionManager;
  /** The same two hours later, when debris may go. */
  readonly later: SessionManager;
  /** The verbs with a copy of the turn runner that has this text. */
  withRunner(text: string): SessionManager;
  /** Does what a runner has done when its turn has ended; its calls are counted too. */
  settle(id: string, turn: number): Promise<void>;
  /** Runs a verb as a process that is killed at its n-th call; its exit code, or null when that call came. */
  killedAt(n: number, args: readonly string[], env?: Scene['env']): Promise<number | null>;
  /** What belongs to the user, in the project, in the home and beside them: each path with its content. */
  strangers(): Readonly<Record<string, string>>;
  /** The same as it was before anything was done. */
  readonly strangersAtFirst: Readonly<Record<string, string>>;
  /** The prompts that the agent got, one for each run. */
  prompts(): readonly string[];
  /** Ends what still runs and removes everything. */
  end(): Promise<void>;
}

/** What a turn runner tells those that it calls. */
export function turnEnv(id: string, turn: number): Scene['env'] {
  return { ZWARM_SESSION_ID: id, ZWARM_TURN: String(turn) };
}

/** In memory where that can be had: what is flushed there costs nothing, and thousands of records are. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export function createScene(): Scene {
  const installed = inject('installed');
  const base = realpathSync(mkdtempSync(join(PLACE, 'zwarm-scene-')));
  const directory = join(base, 'project');
  const home = join(base, 'home');
  const log = join(base, 'runs');
  const runner = join(base, 'turn-runner.sh');
  mkdirSync(directory);
  mkdirSync(home);
  // What Codex takes for a repository, and git and zwarm for none.
  writeFileSync(join(base, '.git'), '');
  for (const place of [base, directory, home]) {
    mkdirSync(join(place, 'mine'), { mode: 0o755 });
    writeFileSync(join(place, 'mine', 'file'), place, { mode: 0o644 });
  }
  const state = join(home, '.local', 'state', 'zwarm');
  // What zwarm and the agent may make: the state, the window, and the files of these tests.
  const ours = [state, join(directory, '.zwarm'), log, runner];
  const strangers = (): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.entries(snapshot(base)).filter(
        ([path]) => !ours.some((one) => one.startsWith(path) || path.startsWith(one)),
      ),
    );
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    ZWARM_CODEX_BIN: join(installed, 'agent', 'codex'),
    FAKE_AGENT_LOG: log,
  };
  const { paths, ...rest } = copiedInstallation();
  const context = {
    ...rest,
    // No settling: it would be one Node for each turn. It has a loop of its own.
    paths: { ...paths, node: '/nonexistent' },
    cwd: directory,
    env,
    uid: process.getuid?.() ?? 0,
    stateDir: null,
  };
  return {
    base,
    directory,
    state,
    root: storeDir(state, directory),
    env,
    manager: createSessionManager(context),
    later: createSessionManager({ ...context, now: () => Date.now() + 7_200_000 }),
    withRunner(text) {
      writeFileSync(runner, text);
      return createSessionManager({ ...context, paths: { ...context.paths, runner } });
    },
    settle: (id, turn) =>
      createSessionManager({ ...context, env: { ...env, ...turnEnv(id, turn) } }).settle(),
    async killedAt(n, args, more) {
      const { code, signal, stderr } = await runProgram(
        process.execPath,
        [join(installed, 'bin', 'zwarm.js'), ...args],
        { cwd: directory, env: { ...env, ...more, ZWARM_FAULT: `SIGKILL@${n}` } },
      );
      if (signal !== 'SIGKILL' && code !== 0) throw new Error(`zwarm ${args.join(' ')}: ${code} ${stderr}`);
      return code;
    },
    strangers,
    strangersAtFirst: strangers(),
    prompts() {
      // A new thread is told before the message what was said earlier.
      const messageIn = (stdin: string): string => stdin.split(/^<.* end of the record>\n\n/m).at(-1) ?? '';
      return readRuns(log).map(({ stdin }) => messageIn(stdin));
    },
    async end() {
      await eventually('every process of the case has ended', () => {
        const left = processesWith(`HOME=${home}`);
        for (const pid of left) {
          try {
            process.kill(pid, 'SIGKILL');
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
          }
        }
        return left.length === 0;
      });
      await rm(base, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}
