import { spawn } from 'node:child_process';
import type { Project } from './project.ts';
import { ZWARM } from './project.ts';

/** A command on a real terminal. */
export interface OnTerminal {
  /** All that the terminal was told so far. */
  shown(): string;
  /** Types on its keyboard. */
  type(keys: string): void;
  /** Its exit code, when it has ended. */
  readonly code: Promise<number | null>;
}

export interface TerminalOptions {
  readonly rows?: number;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Runs the built zwarm in a project on a pseudo terminal of the kernel; Linux, with script(1) of util-linux. */
export function onTerminal(
  project: Project,
  args: readonly string[],
  { rows = 24, columns = 80, env = {} }: TerminalOptions = {},
): OnTerminal {
  const quoted = [process.execPath, ZWARM, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const command = `stty rows ${rows} cols ${columns} && exec ${quoted.join(' ')}`;
  const child = spawn('script', ['-q', '-e', '-c', command, '/dev/null'], {
    cwd: project.directory,
    env: { ...project.env, TERM: 'xterm', SHELL: '/bin/sh', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text.replaceAll('\r\n', '\n');
  });
  return {
    shown: () => shown,
    type: (keys) => void child.stdin.write(keys),
    code: new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    }),
  };
}
