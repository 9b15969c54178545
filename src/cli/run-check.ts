import type { CliContext } from './context.ts';

/** Runs a check of the user's in a directory: whether it passes. What it prints is talk, as stdout is for results. */
export async function passes(
  { env, handOver }: CliContext,
  command: string,
  directory: string,
): Promise<boolean> {
  const args = ['-c', `exec >&2; ${command}`];
  return (await handOver('/bin/sh', args, { cwd: directory, env })) === 0;
}
