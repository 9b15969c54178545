import type { Answer, Finding } from '../core/check.ts';
import type { ContextFill } from '../core/conversation/compact.ts';
import type { HistoryReader } from '../core/conversation/session-file.ts';
import type { Step } from '../core/conversation/steps.ts';
import type { TimedItem } from '../core/conversation/trajectory.ts';
import type { LineParser } from '../core/events.ts';
import type { ProgramQuery } from '../core/program.ts';
import type { Sandbox, SessionError } from '../core/session.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A server of tools (MCP, on stdin and stdout) for an agent. */
export interface ToolServer {
  readonly program: string;
  readonly args: readonly string[];
  /** The names of the variables of the agent's environment that it needs. */
  readonly variables: readonly string[];
  /** The names of its tools; the agent may call all of them without asking. */
  readonly tools: readonly string[];
}

/** A turn to run. The prompt is always the agent's stdin. */
export interface TurnRequest {
  /** Absolute, real path. */
  readonly workingDir: string;
  readonly sandbox: Sandbox;
  /** Whether zwarm itself keeps the agent's processes within that sandbox. */
  readonly confined: boolean;
  /** Null leaves the choice to the agent's configuration. */
  readonly model: string | null;
  /** The user's arguments for this turn. */
  readonly agentArgs: readonly string[];
  /** The thread to continue, as its parser has checked it; null begins a new one. */
  readonly threadId: string | null;
  /** A name for the thread that begins, for an agent that lets it be chosen; a random UUID. */
  readonly newThreadId: string;
  /** Continue in a new thread that begins as a copy of that one. */
  readonly forks: boolean;
  /** What the answer is to be: a JSON schema, as text and as a file; null for any answer. */
  readonly schema: { readonly text: string; readonly path: string } | null;
  /** The tools of zwarm; null for an agent that may not run others, even where its user has given it the tools. */
  readonly tools: ToolServer | null;
}

/** A thread that a person goes on with in the agent's own program. */
export type InteractiveThread = Pick<TurnRequest, 'workingDir' | 'sandbox' | 'model'> & {
  readonly threadId: string;
};

/** How an agent's program is started for a turn. */
export interface CommandSpec {
  readonly args: readonly string[];
  /** What its environment has besides, or instead, of the caller's; undefined leaves a variable out. */
  readonly env: Environment;
}

/** What the user's arguments for an agent's program mean. */
export interface UserArguments {
  /** An argument that cannot be passed on, why, and what to type instead; or null. */
  readonly refused: { readonly argument: string; readonly why: string; readonly hint: string } | null;
  /** Those that are given to a new thread, which keeps what they name. */
  readonly newThread: readonly string[];
  /** Those that are repeated on every turn. */
  readonly everyTurn: readonly string[];
  /** The argument that the program needs to run outside of a git repository; null where it runs there as it is. */
  readonly outsideOfGit: string | null;
}

/** A path among the user's arguments, and what has to be there for the program to find it. */
export interface PathArgument {
  /** The long name of the option. */
  readonly option: string;
  readonly path: string;
  readonly is: PathKind;
  /** What may not be in the path, as the program would divide it there; or null. */
  readonly divider: string | null;
}

/** `new file`: one that the program writes, in a directory that is there. */
export type PathKind = 'file' | 'directory' | 'file or directory' | 'new file';

/** Says what stands for a path in the arguments. @throws ZwarmError `usage` where it cannot be passed on */
export type PlacePath = (argument: PathArgument) => string;

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

/** A failure as it was recorded: the message of the agent's terminal event, if any, and the end of its stderr. */
export interface Failure {
  readonly message: string | null;
  readonly stderr: string;
}

/** A failure in words, with what to do about it. */
export type Explanation = Omit<SessionError, 'retry_at'>;

/** What an adapter may look at besides an answer. */
export interface ProbeSurroundings {
  /** The environment that a turn would have. */
  readonly env: Environment;
  /** The text of the agent's configuration file, or null where there is none. */
  readonly configuration: string | null;
  /** What is at the agent's reserved path; absent where there is none, or nothing there. */
  readonly reserved?: Reserved;
}

/** Something at a path that belongs to the user with the id `owner`; null stands for the one who asks. */
export interface Reserved {
  readonly path: string;
  readonly owner: number | null;
}

/** A question to an agent's program: it ends by itself, and changes nothing of a project. */
export interface ProbeQuestion {
  /** The checks that the answer decides, such as `login`. */
  readonly names: readonly string[];
  readonly args: readonly string[];
  /** What the answer means, by name; a name is left out where the answer does not decide it. */
  judge(answer: Answer, surroundings: ProbeSurroundings): Readonly<Record<string, Finding>>;
}

/** What `doctor` asks an agent besides its version. */
export interface AgentProbe {
  /** The path of the agent's configuration, or null. */
  configurationFile(env: Environment): string | null;
  /** The path outside of every home at which the agent wants a directory of the user with that id. */
  reservedPath?(uid: number): string;
  readonly questions: readonly ProbeQuestion[];
}

/** The session files of an agent, one for each thread. */
export interface SessionFiles {
  /** A pattern of all of them below the directory of the history. */
  readonly all: string;
  /** Makes readers, each for one file; loaded only when one is read. */
  loadReader(): Promise<() => HistoryReader>;
}

/** Where an agent keeps the history of its threads. */
export interface AgentHistory {
  /** An absolute path, or null where it is not known. */
  directory(env: Environment): string | null;
  /** Where the file of a thread lies below that directory: to try in this order; `*` is any part of one name. */
  patterns(threadId: string): readonly string[];
  /** Where a file of that name belongs below that directory, of a session that works in `workingDir`; null for no such name. */
  place(name: string, workingDir: string): string | null;
  /** How its files are read; null where zwarm cannot read them. */
  readonly files: SessionFiles | null;
  /** How full the context was when the file was last written, from its last lines; null where that is not known. */
  contextFill(tail: string): ContextFill | null;
  /** The model that one line of the file says is used from then on; null for any other line. */
  modelOf(line: string): { readonly model: string; readonly atMs: number } | null;
  /** The item in one line of the file; null for any other line. */
  timedItem(line: string): TimedItem | null;
  /** The key of a step, which equals that of its item; null for a step without an item. */
  stepKey(step: Step): string | null;
}

/** What is at some absolute paths: a text; null for something that is no file, or cannot be read. */
export type ConfigurationTexts = ReadonlyMap<string, string | null>;

/** A path as a text names it: absolute, below `~`, or relative to `base`. */
export interface NamedPath {
  readonly path: string;
  readonly base: string;
}

/** Commands or programs that run outside of an agent's sandbox. */
export interface OutsideOfSandbox {
  /** Which, and where that is said: the subject of a sentence, in the plural. */
  readonly what: string;
  /** What to do about it. */
  readonly otherwise: string;
}

/** What an agent can write. */
export interface Reach {
  readonly directories: readonly NamedPath[];
  /** What may let it write anywhere, as nobody here knows what it means: the file or the argument. */
  readonly unclear: readonly string[];
  /** What runs outside of its sandbox, whatever the mode of that, as somebody else than the user has said. */
  readonly outside: readonly OutsideOfSandbox[];
}

/** An agent that has a sandbox of its own, and what it may write there besides its directory. */
export interface OwnSandbox {
  readonly by: 'agent';
  /** What it may not write in any directory that it may write: names directly in that. */
  readonly closed: readonly string[];
  /** The absolute paths of what may say that it may write more, whether they are there or not. */
  configurationFiles(env: Environment, directory: string, args: readonly string[]): readonly string[];
  /** What it may write in a turn, as these are now. */
  writable(
    turn: { readonly env: Environment; readonly directory: string; readonly args: readonly string[] },
    texts: ConfigurationTexts,
  ): Promise<Reach>;
  /** What these texts let its sandbox leave open, in words; or null. */
  gap(texts: readonly string[]): string | null;
}

/** What an agent needs to write of its own state: absolute paths. */
export interface AgentState {
  /** Directories, which are made where they are missing: of its conversation, and caches. */
  readonly directories: readonly string[];
  /** Files, where they are there, such as a login that it refreshes. */
  readonly files: readonly string[];
  /** Directories below those that it obeys at its next start, and which it may not write. */
  readonly kept: readonly string[];
}

/** An agent without a sandbox: its rules are ones that a shell command can get around. zwarm confines it where it can. */
export interface NoSandbox {
  readonly by: 'nobody';
  state(env: Environment, directory: string): AgentState;
}

/** All that zwarm knows of one kind of agent: data and pure functions. */
export interface AgentAdapter {
  readonly name: string;
  /** Other names that users know it by. */
  readonly aliases: readonly string[];
  /** What it is, in a few words, for whoever has to choose. */
  readonly summary: string;
  /** Whether that version can begin a new thread with a copy of another one. */
  canFork(agentVersion: string | null): boolean;
  /** Whether it can be given tools. */
  readonly takesTools: boolean;
  /** Whether it can be made to answer in JSON of a schema. */
  readonly takesSchema: boolean;
  /** Where its program comes from: looked for, or part of this package. */
  readonly program: ({ readonly kind: 'path' } & ProgramQuery) | { readonly kind: 'embedded' };
  readArguments(args: readonly string[]): UserArguments;
  /** The same arguments with other paths: of arguments that are not refused. @throws ZwarmError as `place` */
  placePaths(args: readonly string[], place: PlacePath): readonly string[];
  command(turn: TurnRequest): CommandSpec;
  /** The variables by which the programs that it runs know that they are below it, and below which turn; exact names. */
  readonly markers: readonly string[];
  /** Sent in this order, a grace period after each, until the agent has ended. */
  readonly stopSignals: readonly StopSignal[];
  /** How its own program is started on a thread for a person at a terminal; null where zwarm could not read what was said. */
  readonly interactive: ((thread: InteractiveThread) => CommandSpec) | null;
  /** What keeps it within the sandbox of a session; null for an agent that does no work. */
  readonly confinement: OwnSandbox | NoSandbox | null;
  /** The absolute paths of what its program obeys whatever its directory: settings, hooks, rules, plugins; there or not. */
  obeyed(env: Environment): readonly string[];
  /**
   * Makes parsers for the lines of one turn, from any line on; loaded only when a stream is read. What a line adds to one
   * that the parser has not seen is `redundant`.
   */
  loadParser(agentVersion: string | null): Promise<() => LineParser>;
  /** Whether it reports what its turns cost. */
  readonly reportsCost: boolean;
  /**
   * Whether a turn that has ended is told by its whole stream: its tokens must be added up, or its end depends on what was
   * far before it. Else the last lines tell both.
   */
  readonly readsWhole: boolean;
  /** The history files of its threads; null where we know of none. */
  readonly history: AgentHistory | null;
  /** Where its own program makes worktrees, each as `<hash>/<name>`; null where no home is known. */
  readonly worktrees?: (env: Environment) => string | null;
  /** Null for a failure that the adapter does not know. */
  explain(failure: Failure): Explanation | null;
  /** Null for an agent that is part of this package. */
  readonly probe: AgentProbe | null;
}
