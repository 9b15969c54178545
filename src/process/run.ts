import { execFile, spawn } from 'node:child_process';
import type { Answer } from '../core/check.ts';

/** The output of a short helper, or null when it failed or took longer than `timeoutMs`. */
export function outputOf(
  program: string,
  args: readonly string[],
  timeoutMs: number,
): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { timeout: timeoutMs, killSignal: 'SIGKILL' } as const;
    const child = execFile(program, [...args], options, (error, stdout) => resolve(error ? null : stdout));
    child.stdin?.end();
  });
}

/** Where and how long a question may be asked. */
export interface AskOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

/** A program that prints without end must not fill our memory; nothing that we ask has a longer answer. */
const ANSWER_LIMIT = 1 << 16;
/** How long the streams of a program that has ended may be held open by what it left in the background. */
const DRAIN_MS = 100;

/**
 * Runs a program away from the terminal and without input, and returns what it said (at most 64 Ki characters of each
 * stream). One that has not ended in time is killed with all of its process group.
 * @throws Error that says why there is no answer
 */
export function ask(
  program: string,
  args: readonly string[],
  { cwd, env, timeoutMs }: AskOptions,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    let limit: NodeJS.Timeout | undefined;
    child.once('error', (error) => {
      clearTimeout(limit);
      reject(error);
    });
    // Without descriptors there are no streams, and the error comes later.
    if (child.stdout === null || child.stderr === null) return;
    const { stdout, stderr } = child;
    for (const [name, stream] of [
      ['stdout', stdout],
      ['stderr', stderr],
    ] as const) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said[name] += text.slice(0, ANSWER_LIMIT - said[name].length);
      });
    }
    const close = (): void => {
      stdout.destroy();
      stderr.destroy();
    };
    limit = setTimeout(() => {
      // Not yet collected, so that no other process can be the leader of a group with this number.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      close();
      child.unref();
      reject(new Error(`it gave no answer within ${timeoutMs / 1000} s`));
    }, timeoutMs);
    child.once('exit', (code, signal) => {
      clearTimeout(limit);
      const answer = (): void => {
        close();
        if (code === null) reject(new Error(`it was ended by ${signal}`));
        else resolve({ code, ...said });
      };
      // Immediate: after a look at the streams, however late the timer comes.
      const drain = setTimeout(() => setImmediate(answer), DRAIN_MS);
      child.once('close', () => {
        clearTimeout(drain);
        answer();
      });
    });
  });
}

/** Runs a program on the user's terminal until it ends; the exit code, or null when it could not run or was killed. */
export async function runOnTerminal(command: string, args: readonly string[]): Promise<number | null> {
  // Loaded only here: it costs more than all the rest of a start.
  const { execa } = await import('execa');
  // An editor is named with its arguments, as in EDITOR='code --wait': the shell splits it, as git does.
  const result = await execa('/bin/sh', ['-c', `${command} "$@"`, command, ...args], {
    stdio: 'inherit',
    reject: false,
  });
  return result.exitCode ?? null;
}

/** What a shell says with its exit code when a program cannot be run or is not found. */
const NOT_RUN = [126, 127];

/**
 * Gives a text to a program on the user's terminal and waits until that has ended, however it does; false if it could
 * not be run. `env` is added to our own.
 */
export function pipeToTerminal(
  [program, ...args]: readonly [string, ...string[]],
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['pipe', 'inherit', 'inherit'] });
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === null || !NOT_RUN.includes(code)));
    // Undefined where no descriptor was left for the pipe.
    child.stdin?.on('error', (error: NodeJS.ErrnoException) => {
      // Left before its end: the reader has seen enough.
      if (error.code !== 'EPIPE') reject(error);
    });
    child.stdin?.end(text);
  });
}
