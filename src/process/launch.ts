import { spawn } from '../syscalls.ts';
import { MARK_VARIABLE } from './identity.ts';
import { RUNNER_SUFFIX } from './turn-processes.ts';

/** A turn runner to start, and the environment that the agent inherits. */
interface RunnerSpec {
  /** `bin/turn-runner.sh` */
  readonly script: string;
  /** The turn's directory: the runner works there. */
  readonly cwd: string;
  /** The beginning of `runner.stat`: an unclosed JSON object. */
  readonly identity: string;
  readonly directory: string;
  /** The agent's stdin, a file of the turn's directory. */
  readonly input: string;
  /** What the turn may take, as the watcher reads it: seconds, seconds of silence, bytes; or null. */
  readonly limits: readonly number[] | null;
  /** Whether the turn has its worktree made ready first. */
  readonly setup: boolean;
  /** Absolute path of the agent's program, and its arguments. */
  readonly program: string;
  readonly argv: readonly string[];
  /** That of the agent, in octal; of this process if left out. */
  readonly umask?: string | undefined;
  /** What the agent inherits, the turn's mark included. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The umask of this process, in octal. */
export const ownUmask = (): string => process.umask().toString(8).padStart(4, '0');

/**
 * Starts a turn runner in a session and process group of its own. Never throws: `ended` resolves with the reason when it
 * could not be spawned or has ended. `release` lets this process exit while the runner goes on.
 */
export function spawnRunner(spec: RunnerSpec): { ended: Promise<Error>; release(): void } {
  const { script, cwd, identity, directory, input, program, argv } = spec;
  const { umask = ownUmask() } = spec;
  const limits = spec.limits === null ? {} : { limits: spec.limits.join(' ') };
  const given = { identity, umask, directory, input, ...limits, ...(spec.setup && { setup: 'yes' }) };
  const own = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
  // The runner removes the suffix for its agent: whoever ends the agent must not end the runner.
  const env = { ...spec.env, [MARK_VARIABLE]: `${spec.env[MARK_VARIABLE] ?? ''}${RUNNER_SUFFIX}` };
  try {
    // By absolute path: whatever the PATH says, this is the shell that the runner was written for.
    const args = [script, ...own, '--', program, ...argv];
    const child = spawn('/bin/sh', args, { cwd, detached: true, env, stdio: 'ignore' });
    const ended = new Promise<Error>((resolve) => {
      child.once('error', resolve);
      child.once('exit', (code, signal) =>
        resolve(new Error(`the turn runner ended with ${signal ?? `exit code ${code}`}`)),
      );
    });
    return { ended, release: () => child.unref() };
  } catch (error) {
    // E2BIG is thrown, not emitted.
    const why = error instanceof Error ? error : new Error(String(error));
    return { ended: Promise.resolve(why), release: () => undefined };
  }
}

/** A waker to start, in a directory of its own. */
interface WakerSpec {
  /** `bin/waker.sh` */
  readonly script: string;
  readonly cwd: string;
  /** The beginning of `waker.stat`: an unclosed JSON object. */
  readonly identity: string;
  /** The file that says when it is to act. */
  readonly at: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Starts a waker in a session and process group of its own; resolves when it runs, or rejects. */
export function spawnWaker({ script, cwd, identity, at, env }: WakerSpec): Promise<void> {
  return spawnDetached('/bin/sh', [script, '--identity', identity, '--at', at], { cwd, env });
}

/** Starts a program in a session and process group of its own; resolves when it runs, or rejects. */
export function spawnDetached(
  program: string,
  args: readonly string[],
  place: Pick<WakerSpec, 'cwd' | 'env'>,
): Promise<void> {
  const child = spawn(program, args, { ...place, detached: true, stdio: 'ignore' });
  child.unref();
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
}
