import { spawn } from 'node:child_process';
import type { ScreenOptions } from './context.ts';
import { type Project, ZWARM } from './project.ts';

/** Runs the built zwarm in a project on a pseudo terminal of the kernel; Linux, with script(1) of util-linux. */
export const onTerminal = (project: Project, args: readonly string[], options?: TerminalOptions) =>
  programOnTerminal(project, [process.execPath, ZWARM, ...args], options);

type TerminalOptions = Pick<ScreenOptions, 'rows' | 'columns' | 'env'>;

/** The same for any program with its arguments. */
export function programOnTerminal(
  project: Project,
  argv: readonly string[],
  { rows = 24, columns = 80, env = {} }: TerminalOptions = {},
) {
  const quoted = argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
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
    /** All that the terminal was told so far. */
    shown: () => shown,
    /** Types on its keyboard. */
    type: (keys: string) => void child.stdin.write(keys),
    /** Closes the terminal. */
    hangUp: () => void child.kill('SIGKILL'),
    /** Its exit code, when it has ended. */
    code: new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    }),
  };
}
