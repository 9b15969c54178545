import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { execa } from 'execa';
import type { Answer } from '../core/check.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Starts a program. Without descriptors execa throws, and its process emits the error of the system later. */
async function begin<T>(run: (by: typeof execa) => T): Promise<{ child: T }> {
  // Loaded only where a program is run: it costs more than all the rest of a start.
  const { execa } = await import('execa');
  const made: ChildProcess[] = [];
  const note = (message: unknown): void => void made.push((message as { process: ChildProcess }).process);
  subscribe('child_process', note);
  try {
    return { child: run(execa) };
  } catch (error) {
    const [child] = made;
    throw child === undefined ? error : (await once(child, 'error'))[0];
  } finally {
    unsubscribe('child_process', note);
  }
}

/** The most characters of an answer that are kept in memory. */
const ANSWER_LIMIT = 1 << 16;
/** How long the streams of a program that has ended may be held open by what it left in the background. */
const DRAIN_MS = 100;

/**
 * Runs a program away from the terminal and without input, and returns what it printed. One that has not ended in time is
 * killed with its process group. @throws Error that says why there is no answer
 */
export async function ask(
  program: string,
  args: readonly string[],
  { timeoutMs, ...place }: { cwd: string; env: Environment; timeoutMs: number },
): Promise<Answer> {
  const { child } = await begin((run) =>
    run(program, args, {
      ...place,
      extendEnv: false,
      detached: true,
      stdin: 'ignore',
      stripFinalNewline: false,
      maxBuffer: ANSWER_LIMIT,
      reject: false,
    }),
  );
  const close = (): void => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    limit = setTimeout(() => {
      // The child has not been reaped, so that no other group can have this number.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      close();
      child.unref();
      reject(new Error(`it gave no answer within ${timeoutMs / 1000} s`));
    }, timeoutMs);
  });
  child.once('exit', () => {
    clearTimeout(limit);
    // setImmediate: the streams are read once more before they are closed, however late the timer fires.
    setTimeout(() => setImmediate(close), DRAIN_MS).unref();
  });
  const result = await Promise.race([child, late]).finally(() => clearTimeout(limit));
  if (result.isMaxBuffer) throw new Error(`it printed more than ${ANSWER_LIMIT} characters`);
  if (result.signal !== undefined) throw new Error(`it was ended by ${result.signal}`);
  if (result.exitCode === undefined) throw result.cause;
  return { code: result.exitCode, stdout: result.stdout, stderr: result.stderr };
}

/** Runs a program on the user's terminal until it ends; the exit code, or null when it could not run or was killed. */
export async function runOnTerminal(command: string, args: readonly string[]): Promise<number | null> {
  // An editor is named with its arguments, as in EDITOR='code --wait': the shell splits it, as git does.
  const words = ['-c', `${command} "$@"`, command, ...args];
  const { child } = await begin((run) => run('/bin/sh', words, { stdio: 'inherit', reject: false }));
  return (await child).exitCode ?? null;
}

/** Gives a text to a program on the user's terminal, as fast as that reads it; false if it could not be run. */
export async function pipeToTerminal(
  [program, ...args]: readonly [string, ...string[]],
  pieces: Iterable<string>,
  env: Environment,
): Promise<boolean> {
  const begun = await begin((run) =>
    run(program, args, {
      env,
      extendEnv: false,
      // Not the pieces themselves: an array would be a list of streams.
      stdin: (function* () {
        yield* pieces;
      })(),
      stdout: 'inherit',
      stderr: 'inherit',
      reject: false,
    }),
  ).catch(() => null);
  if (begun === null) return false;
  const { exitCode, signal } = await begun.child;
  // With 126 and 127 a shell says that a program cannot be run, or is not found.
  return signal !== undefined || (exitCode !== undefined && exitCode !== 126 && exitCode !== 127);
}
