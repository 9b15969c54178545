import { execFile } from 'node:child_process';

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
