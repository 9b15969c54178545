import type { AgentChoice } from '../core/agent-info.ts';
import type { Answer } from '../core/check.ts';
import type { ManagerContext } from '../manager/context.ts';
import type { SessionManager } from '../manager/session-manager.ts';
import type { Style } from '../render/style.ts';

/** A program with its arguments. */
export type PagerCommand = readonly [program: string, ...args: string[]];

/** Where a program runs, and for how long at most. */
interface Place {
  readonly cwd: string;
  readonly env: ManagerContext['env'];
  readonly timeoutMs: number;
}

/** A stream that people or programs read. */
export interface OutputStream {
  write(text: string): void;
  /** Writes, and waits until it was taken, also where nobody reads any more. */
  send(chunk: string | Uint8Array): Promise<void>;
  /** Aborts when the reader has left (`| head`). */
  readonly closed: AbortSignal;
  /** Whether it is a terminal, or is to be written to as if it were one (`ZWARM_FORCE_TTY`). */
  readonly isTTY: boolean;
  /** Whether colours, links and a moving cursor mean anything there: a terminal that is not made up. */
  readonly takesEscapes: boolean;
  /** 80 where it is no terminal. */
  readonly columns: number;
  /** Lines of the screen; 24 where it is no terminal, infinite where that is made up. */
  readonly rows: number;
  /** Calls `act` when the terminal gets another size, until the returned function is called. */
  onResize(act: () => void): () => void;
}

/** What a person says to a question: `no` is anything but yes, `interrupted` is Ctrl-C. */
export type Agreement = 'yes' | 'no' | 'interrupted';

/**
 * Everything that a command may know of the world outside: `main` makes it from the process, tests make their own.
 * Reading `cwd` throws a ZwarmError where that directory was deleted.
 */
export interface CliContext extends Omit<ManagerContext, 'stateDir' | 'client' | 'project'> {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: {
    readonly isTTY: boolean;
    readAll(): Promise<Buffer>;
    /** What comes, as it comes. */
    pieces(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  };
  /** The version in `package.json`. */
  version(): string;
  /** Aborts on Ctrl-C; only a command that asks for this outlives the first one. */
  onInterrupt(): AbortSignal;
  /** Aborts on Ctrl-C, and when this process is asked to end or its terminal goes; the reason is the exit code. */
  onEnd(): AbortSignal;
  /** Calls `leave` before Ctrl-Z stops this process, and `back` when it goes on, until the returned function is called. */
  onStop(leave: () => void, back: () => void): () => void;
  /** Serves the tools of `zwarm mcp` on stdin and stdout until the client closes its end. */
  serveTools(
    managerFor: (client: string, roots: () => Promise<readonly string[]>) => Promise<SessionManager>,
    offered: { readonly agents: readonly AgentChoice[]; readonly mayLand: boolean },
  ): Promise<void>;
  /** Runs a program away from the terminal; its exit code and output. @throws Error that says why there is none */
  capture(program: string, args: readonly string[], place: Place): Promise<Answer>;
  /** Runs a shell command with arguments on the user's terminal; its exit code, or null. */
  runOnTerminal(command: string, args: readonly string[]): Promise<number | null>;
  /** Gives the user's terminal to a program until it ends; its exit code, or null. @throws Error that says why not */
  handOver(program: string, args: readonly string[], place: Omit<Place, 'timeoutMs'>): Promise<number | null>;
  /** Asks a person, on stderr. */
  ask(question: string): Promise<Agreement>;
  /** Shows a text, piece by piece, with a pager; false where it cannot be run. `env` is added to our own. */
  runPager(pager: PagerCommand, pieces: Iterable<string>, env: Record<string, string>): Promise<boolean>;
}

/** What the action of a verb is given: the context, and the ways that all verbs share to reach sessions and streams. */
export interface Verb {
  readonly context: CliContext;
  /** The manager for the global options. */
  readonly manager: SessionManager;
  /** The last of the arguments: those behind `--`. */
  readonly behindDashes: readonly string[];
  /** Whether the user has named the project: --project. */
  readonly namesProject: boolean;
  /** The same where something else is known, such as the client of the tools. */
  managerFor(other: Partial<ManagerContext>): SessionManager;
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
  /** Ends the verb with this exit code. */
  exit(code: number): void;
}
