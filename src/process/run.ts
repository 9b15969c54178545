import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
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

/** The most bytes of a text that are kept in memory. */
const ANSWER_LIMIT = 1 << 16;
/** How long the streams of a program that has ended may be held open by what it left in the background. */
const DRAIN_MS = 100;

interface Question {
  readonly cwd: string;
  readonly env: Environment;
  readonly timeoutMs: number;
  readonly input?: string | Uint8Array;
  /** In place of that of this process. */
  readonly umask?: number | undefined;
}

/** Starts a program with another umask, which Node gives no child of its own. */
function withUmask<T>(umask: number | undefined, start: () => T): T {
  if (umask === undefined) return start();
  const own = process.umask(umask);
  try {
    return start();
  } finally {
    process.umask(own);
  }
}

/**
 * Runs a program away from the terminal, and returns the bytes that it printed, at most `limit` of them. One that has not
 * ended in time is killed with its process group. Not by execa, which takes longer to load than git to list a repository:
 * every start would wait for it. @throws Error that says why there is no answer
 */
export function askBytes(
  program: string,
  args: readonly string[],
  { timeoutMs, input, umask, limit, cwd, env }: Question & { limit: number },
): Promise<{ code: number; stdout: Buffer; stderr: string }> {
  return new Promise((resolve, reject) => {
    const stdin = input === undefined ? 'ignore' : 'pipe';
    const options: SpawnOptions = { cwd, env: { ...env }, detached: true, stdio: [stdin, 'pipe', 'pipe'] };
    const child = withUmask(umask, () => spawn(program, args, options));
    const said = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    const close = (): void => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    let why: string | null = null;
    const end = (reason: string): void => {
      why ??= reason;
      // The child has not been reaped, so that no other group can have this number.
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGKILL');
      close();
    };
    for (const name of ['stdout', 'stderr'] as const) {
      let bytes = 0;
      child[name]?.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > limit) end(`it printed more than ${limit} bytes`);
        else said[name].push(piece);
      });
    }
    // A program that does not read its input closes it.
    child.stdin?.on('error', () => undefined).end(input);
    const timer = setTimeout(() => end(`it gave no answer within ${timeoutMs / 1000} s`), timeoutMs);
    child.once('exit', () => {
      clearTimeout(timer);
      // setImmediate: the streams are read once more before they are closed, however late the timer fires.
      setTimeout(() => setImmediate(close), DRAIN_MS).unref();
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code, signal) => {
      if (why !== null) return reject(new Error(why));
      if (code === null) return reject(new Error(`it was ended by ${signal}`));
      resolve({ code, stdout: Buffer.concat(said.stdout), stderr: Buffer.concat(said.stderr).toString() });
    });
  });
}

/** The same for a program that prints a short text. @throws Error that says why there is no answer */
export async function ask(program: string, args: readonly string[], question: Question): Promise<Answer> {
  const answer = await askBytes(program, args, { ...question, limit: ANSWER_LIMIT });
  return { ...answer, stdout: answer.stdout.toString() };
}

/** Runs a program on the user's terminal until it ends; the exit code, or null when it could not run or was killed. */
export async function runOnTerminal(command: string, args: readonly string[]): Promise<number | null> {
  // An editor is named with its arguments, as in EDITOR='code --wait': the shell splits it, as git does.
  const words = ['-c', `${command} "$@"`, command, ...args];
  const { child } = await begin((run) => run('/bin/sh', words, { stdio: 'inherit', reject: false }));
  return (await child).exitCode ?? null;
}

/** Gives the user's terminal to a program until it ends; its exit code, or null when it was killed. @throws Error */
export async function handOver(
  program: string,
  args: readonly string[],
  place: { readonly cwd: string; readonly env: Environment },
): Promise<number | null> {
  const { child } = await begin((run) =>
    run(program, args, { ...place, extendEnv: false, stdio: 'inherit', reject: false }),
  );
  const { exitCode, signal, cause } = await child;
  if (exitCode === undefined && signal === undefined) throw cause;
  return exitCode ?? null;
}

/**
 * Runs a program in a process group of its own, with our own output, until it ends: its exit code, null where a signal ended
 * it, `late` where it had not ended in time. Then its group is killed. @throws Error that says why it did not run
 */
export async function runInGroup(
  program: string,
  args: readonly string[],
  { timeoutMs, ...place }: Omit<Question, 'input'>,
): Promise<number | null | 'late'> {
  const { child } = await begin((run) =>
    run(program, args, {
      ...place,
      extendEnv: false,
      detached: true,
      stdin: 'ignore',
      stdout: 'inherit',
      stderr: 'inherit',
      reject: false,
    }),
  );
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    // It has not been reaped, so that no other group can have this number.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, timeoutMs);
  const { exitCode, signal, cause } = await child;
  clearTimeout(timer);
  if (isLate) return 'late';
  if (exitCode === undefined && signal === undefined) throw cause;
  return exitCode ?? null;
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
