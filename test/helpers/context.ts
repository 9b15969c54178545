import { StringDecoder } from 'node:string_decoder';
import type { CliContext } from '../../src/cli/context.ts';
import { run } from '../../src/cli/run.ts';
import type { SessionId } from '../../src/core/ids.ts';
import { installation } from '../../src/installation.ts';
import { ask } from '../../src/process/run.ts';
import { installedFile, type Project, repositoryFile } from './project.ts';

/** What a screen shows. */
export interface Screen {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ScreenOptions {
  readonly tty?: boolean;
  readonly columns?: number;
  /** Without it no page is longer than the screen. */
  readonly rows?: number;
  readonly pager?: CliContext['runPager'];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** For stdin; without it that is empty, or with `tty` a terminal. */
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  readonly editor?: CliContext['runOnTerminal'];
  /** The program that gets the terminal. */
  readonly handOver?: CliContext['handOver'];
  readonly interrupt?: AbortSignal;
  /** What a person answers to a question, perhaps after doing something; without it none may be asked. */
  readonly answer?: boolean | (() => Promise<boolean>);
  /** The id of the session that is started. */
  readonly newId?: string;
  readonly now?: number | (() => number);
  /** Called with all that a stream shows, each time that something is added. */
  readonly onStdout?: (shown: string) => void;
  readonly onStderr?: (shown: string) => void;
}

/** For a machine that is slow: a runner that dies is noticed at once, however long it is waited for. */
export const SIGN_OF_LIFE_MS = 90_000;

/** The installation as if it were the copy that tests run. */
export function copiedInstallation(): ReturnType<typeof installation> {
  const { paths, ...rest } = installation();
  const [ours, copy] = [repositoryFile(''), `${installedFile('')}/`];
  const copied = Object.entries(paths).map(([name, path]) => [name, path.replace(ours, copy)]);
  return { ...rest, paths: { ...paths, ...Object.fromEntries(copied) } };
}

/** The same, in which no turn is settled by a process of its own; `Project.settled` does it. */
export function testInstallation(): ReturnType<typeof installation> {
  const { paths, ...rest } = copiedInstallation();
  const node = installedFile('fixtures/node-that-settles-nothing');
  return { ...rest, paths: { ...paths, node }, signOfLifeMs: SIGN_OF_LIFE_MS };
}

/** Runs a command line in this process, with a terminal of any size or none, against a project's files. */
export async function onScreen(
  project: Pick<Project, 'directory' | 'env'>,
  argv: readonly string[],
  options: ScreenOptions = {},
): Promise<Screen> {
  const written = { stdout: '', stderr: '' };
  // A character may come in two pieces.
  const decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') };
  const output = (name: keyof typeof written): CliContext['stdout'] => ({
    write(text) {
      written[name] += text;
      if (name === 'stderr') options.onStderr?.(written.stderr);
      else options.onStdout?.(written.stdout);
    },
    async send(chunk) {
      this.write(decoders[name].write(Buffer.from(chunk)));
    },
    closed: new AbortController().signal,
    isTTY: options.tty ?? false,
    takesEscapes: options.tty ?? false,
    columns: options.columns ?? 80,
    rows: options.rows ?? 1_000_000,
    onResize: () => () => undefined,
  });
  const { newId, now } = options;
  const code = await run(argv, {
    // What is installed in a host names the real one.
    ...(argv[0] === 'mcp' ? copiedInstallation() : testInstallation()),
    ...(newId === undefined ? {} : { newId: () => newId as SessionId }),
    ...(now === undefined ? {} : { now: typeof now === 'number' ? () => now : now }),
    stdout: output('stdout'),
    stderr: output('stderr'),
    stdin: {
      isTTY: options.input === undefined && (options.tty ?? false),
      readAll: () => Promise.resolve(Buffer.from(options.input ?? '')),
      pieces: () => [Buffer.from(options.input ?? '')],
    },
    env: { ...project.env, ...options.env },
    cwd: options.cwd ?? project.directory,
    uid: process.getuid?.() ?? 0,
    version: () => '0.0.0-test',
    onInterrupt: () => options.interrupt ?? new AbortController().signal,
    onEnd: () => options.interrupt ?? new AbortController().signal,
    onStop: () => () => undefined,
    serveTools: () => Promise.reject(new Error('the tools are served by a process of their own')),
    async ask(question) {
      if (options.answer === undefined) throw new Error(`nobody was to be asked: ${question}`);
      output('stderr').write(`${question}\n`);
      const agrees = typeof options.answer === 'function' ? await options.answer() : options.answer;
      return agrees ? 'yes' : 'no';
    },
    capture: ask,
    runPager: options.pager ?? (() => Promise.resolve(false)),
    handOver: options.handOver ?? (() => Promise.reject(new Error('no terminal is handed over'))),
    runOnTerminal: options.editor ?? (() => Promise.resolve(null)),
  });
  return { code, ...written };
}
