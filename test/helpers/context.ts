import type { CliContext } from '../../src/cli/context.ts';
import { run } from '../../src/cli/run.ts';
import { installation } from '../../src/installation.ts';
import type { Project } from './project.ts';

/** What a screen shows. */
export interface Screen {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ScreenOptions {
  readonly tty?: boolean;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  readonly cwd?: string;
  readonly editor?: CliContext['runOnTerminal'];
  readonly interrupt?: AbortSignal;
}

/** Runs a command line in this process, with a terminal of any size or none, against a project's files. */
export async function onScreen(
  project: Project,
  argv: readonly string[],
  options: ScreenOptions = {},
): Promise<Screen> {
  const written = { stdout: '', stderr: '' };
  const output = (name: keyof typeof written): CliContext['stdout'] => ({
    write: (text) => {
      written[name] += text;
    },
    isTTY: options.tty ?? false,
    columns: options.columns ?? 80,
  });
  const code = await run(argv, {
    ...installation(),
    stdout: output('stdout'),
    stderr: output('stderr'),
    stdin: {
      isTTY: options.stdin === undefined && (options.tty ?? false),
      readAll: () => Promise.resolve(Buffer.from(options.stdin ?? '')),
    },
    env: { ...project.env, ...options.env },
    cwd: options.cwd ?? project.directory,
    uid: process.getuid?.() ?? 0,
    version: () => '0.0.0-test',
    onInterrupt: () => options.interrupt ?? new AbortController().signal,
    runOnTerminal: options.editor ?? (() => Promise.resolve(null)),
  });
  return { code, ...written };
}
