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
  /** Absolute path of the agent's program, and its arguments. */
  readonly program: string;
  readonly argv: readonly string[];
  /** What the agent inherits, the turn's mark included. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Starts a turn runner in a session and process group of its own. Never throws: `ended` resolves with the reason when it
 * could not be spawned or has ended. `release` lets this process exit while the runner goes on.
 */
export function spawnRunner(spec: RunnerSpec): { ended: Promise<Error>; release(): void } {
  const { script, cwd, identity, directory, input, program, argv } = spec;
  const umask = process.umask().toString(8).padStart(4, '0');
  const own = Object.entries({ identity, umask, directory, input }).flatMap(([name, value]) => [
    `--${name}`,
    value,
  ]);
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
