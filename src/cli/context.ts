import type { ManagerContext } from '../manager/context.ts';
import type { SessionManager } from '../manager/session-manager.ts';
import type { Style } from '../render/style.ts';

/** A program with its arguments. */
export type PagerCommand = readonly [program: string, ...args: string[]];

/** A stream that people or programs read. */
export interface OutputStream {
  write(text: string): void;
  /** Writes, and waits until it was taken, also where nobody reads any more. */
  send(chunk: string | Uint8Array): Promise<void>;
  /** Aborts when the reader has left (`| head`). */
  readonly closed: AbortSignal;
  readonly isTTY: boolean;
  /** 80 where it is no terminal. */
  readonly columns: number;
  /** Lines of the screen; 24 where it is no terminal. */
  readonly rows: number;
}

/**
 * Everything that a command may know of the world outside: `main` makes it from the process, tests make their own.
 * Reading `cwd` throws a ZwarmError where that directory was deleted.
 */
export interface CliContext extends Omit<ManagerContext, 'stateDir' | 'client' | 'project'> {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: { readonly isTTY: boolean; readAll(): Promise<Buffer> };
  /** The version in `package.json`. */
  version(): string;
  /** Aborts on Ctrl-C; only a command that asks for this outlives the first one. */
  onInterrupt(): AbortSignal;
  /** Serves the tools of `zwarm mcp` on stdin and stdout until the client closes its end. */
  serveTools(managerFor: (client: string) => Promise<SessionManager>): Promise<void>;
  /** Runs a shell command with arguments on the user's terminal; its exit code, or null. */
  runOnTerminal(command: string, args: readonly string[]): Promise<number | null>;
  /** Asks a person, on stderr; true for yes, false for anything else, Ctrl-C and the end of the input. */
  ask(question: string): Promise<boolean>;
  /** Shows a text, piece by piece, with a pager; false where it cannot be run. `env` is added to our own. */
  runPager(pager: PagerCommand, pieces: Iterable<string>, env: Record<string, string>): Promise<boolean>;
}

/** What the action of a verb is given: the context, and the ways that all verbs share to reach sessions and streams. */
export interface Verb {
  readonly context: CliContext;
  /** The manager for the global options. */
  readonly manager: SessionManager;
  /** The same for a client of the tools. */
  managerFor(served: Pick<ManagerContext, 'client' | 'project'>): SessionManager;
  /** How to write for a stream. */
  style(stream: 'stdout' | 'stderr'): Promise<Style>;
  /** How to write a page of a conversation on stdout: rendered for a terminal, elsewhere as it was written. */
  pageStyle(): Promise<Style>;
  /** Prints one JSON document on stdout. */
  printJson(value: unknown): void;
  /** Prints a line on stdout. */
  print(line: string): void;
  /** Prints a line on stderr, only if that is a terminal. */
  hint(text: string): void;
  /** Prints a line on stderr, with our name before it, neutralised. */
  warn(text: string): void;
  /** Whether the user agrees, by `--yes` or on the terminal. @throws ZwarmError `usage` where there is none */
  confirm(question: string, yes: boolean): Promise<boolean>;
  /** Ends the verb with this exit code. */
  exit(code: number): void;
}
