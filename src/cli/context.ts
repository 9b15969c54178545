import type { ConfigPlace, Settings } from '../core/rules/policy.ts';
import type { ManagerContext, RuntimePaths } from '../manager/context.ts';
import type { SessionManager } from '../manager/session-manager.ts';
import type { Style } from '../render/style.ts';

/** A program with its arguments. */
export type PagerCommand = readonly [program: string, ...args: string[]];

/** A stream that people or programs read. */
export interface OutputStream {
  write(text: string): void;
  /** Writes, and waits until it was taken: so no more is in memory than this. Resolves too when nobody reads. */
  send(chunk: string | Uint8Array): Promise<void>;
  /** Aborts when whoever read this is gone (`| head`). */
  readonly closed: AbortSignal;
  readonly isTTY: boolean;
  /** 80 where it is no terminal. */
  readonly columns: number;
  /** Lines of the screen; 24 where it is no terminal. */
  readonly rows: number;
}

/** Everything that a command may know of the world outside; `main` makes it from the process, tests make their own. */
export interface CliContext {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: { readonly isTTY: boolean; readAll(): Promise<Buffer> };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path. @throws ZwarmError when that directory is gone */
  readonly cwd: string;
  readonly uid: number;
  now(): number;
  newId(): string;
  newNonce(): string;
  loadSettings(place: ConfigPlace): Promise<Settings>;
  readonly paths: RuntimePaths;
  /** The version in `package.json`. */
  version(): string;
  /** Aborts when the user presses Ctrl-C; only a command that asks for it outlives the first one. */
  onInterrupt(): AbortSignal;
  /** Serves the tools of `zwarm mcp` on stdin and stdout, until the client closes its end. */
  serveTools(managerFor: (client: string) => Promise<SessionManager>): Promise<void>;
  /** Runs a shell command with one argument on the user's terminal; its exit code, or null. */
  runOnTerminal(command: string, args: readonly string[]): Promise<number | null>;
  /** Asks a person on the terminal, on stderr; true for yes, false for anything else, Ctrl-C and the end of the input. */
  ask(question: string): Promise<boolean>;
  /**
   * Shows a text with a pager on the user's terminal, as its pieces come, until the user leaves it; whether it could be run. `env` is added to
   * our own.
   */
  runPager(
    pager: PagerCommand,
    pieces: Iterable<string>,
    env: Readonly<Record<string, string>>,
  ): Promise<boolean>;
}

/** A client of the tools, by the name that it gives itself, and the project that was found when its server began. */
export interface ServedClient extends Pick<ManagerContext, 'project'> {
  readonly client: string;
}

/** What the action of a verb is given: the context, and the ways that all verbs share to reach sessions and streams. */
export interface Verb {
  readonly context: CliContext;
  /** The manager for the global options, loaded when a verb first needs it; `server` for a client of the tools. */
  manager(server?: ServedClient): Promise<SessionManager>;
  /** How to write for a stream. */
  style(stream: 'stdout' | 'stderr'): Promise<Style>;
  /** How to write a page of a conversation on stdout: rendered for a terminal, elsewhere as it was written. */
  pageStyle(): Promise<Style>;
  /** Prints one JSON document on stdout. */
  printJson(value: unknown): void;
  /** Prints a line on stderr, only if that is a terminal. */
  hint(text: string): void;
  /** Ends the verb with this exit code. */
  exit(code: number): void;
}
