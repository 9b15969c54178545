import type { Answer, Finding } from '../core/check.ts';
import type { ContextFill } from '../core/conversation/compact.ts';
import type { TimedItem } from '../core/conversation/step-times.ts';
import type { Step } from '../core/conversation/steps.ts';
import type { LineParser } from '../core/events.ts';
import type { ProgramQuery } from '../core/program.ts';
import type { Sandbox } from '../core/session.ts';

/** A server of tools (MCP, on stdin and stdout) that an agent is to have. */
export interface ToolServer {
  readonly program: string;
  readonly args: readonly string[];
  /** The names of the variables of the agent's own environment that it needs. */
  readonly variables: readonly string[];
  /** The names of its tools, all of which the agent may call unasked. */
  readonly tools: readonly string[];
}

/** A turn as an agent must be told about it. The prompt is not here: it is always the agent's stdin. */
export interface TurnRequest {
  /** Absolute, real path. */
  readonly workingDir: string;
  readonly sandbox: Sandbox;
  /** Null leaves the choice to the agent's own configuration. */
  readonly model: string | null;
  /** The user's own arguments, as far as they concern this turn. */
  readonly agentArgs: readonly string[];
  /** The agent's conversation to continue, checked by its own parser; null begins a new one. */
  readonly threadId: string | null;
  /** Continue it in a thread of its own, which leaves that one as it is. */
  readonly forks: boolean;
  /** zwarm's own tools; null for an agent that runs no others, and is not to have them from its user either. */
  readonly tools: ToolServer | null;
}

/** What the user's own arguments for an agent's program mean. */
export interface UserArguments {
  /** One that cannot be passed on, why, and what to type instead; or null. */
  readonly refused: { readonly argument: string; readonly why: string; readonly hint: string } | null;
  /** Those that go with the first turn alone. */
  readonly firstTurn: readonly string[];
  /** Those that are repeated on every turn. */
  readonly everyTurn: readonly string[];
  /** Whether the program refuses to run outside of a git repository. */
  readonly needsRepository: boolean;
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

/** How to run a turn: everything but the program itself. */
export interface CommandSpec {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** In this order, a grace period after each, until the agent has ended. */
  readonly stopSignals: readonly StopSignal[];
}

/** Where an agent's program comes from: looked for, or part of this package. */
export type ProgramSpec = ({ readonly kind: 'path' } & ProgramQuery) | { readonly kind: 'embedded' };

/** A failure as the files tell it, for the agent's adapter to put into words. */
export interface Failure {
  /** From the agent's own terminal event, or null. */
  readonly message: string | null;
  /** The end of its stderr. */
  readonly stderr: string;
}

/** A failure in words, with what to do about it. */
export interface Explanation {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  /** The same turn may succeed later without any change. */
  readonly retryable: boolean;
}

/** What an adapter may look at beside an answer. */
export interface ProbeSurroundings {
  /** The environment that a turn would have. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of the agent's configuration file, or null where there is none. */
  readonly configuration: string | null;
}

/** A question to an agent's program: it ends by itself, and changes nothing of a project. */
export interface ProbeQuestion {
  /** What the answer tells of, such as `login`. */
  readonly names: readonly string[];
  readonly args: readonly string[];
  /** What the answer means, by name; a name that is left out could not be told. */
  judge(answer: Answer, surroundings: ProbeSurroundings): Readonly<Record<string, Finding>>;
}

/** What `doctor` asks of an agent beside its version. */
export interface AgentProbe {
  /** The path of the agent's own configuration, or null. */
  configurationFile(env: ProbeSurroundings['env']): string | null;
  readonly questions: readonly ProbeQuestion[];
}

/** Where an agent keeps its own record of each thread. */
export interface AgentHistory {
  /** An absolute path, or null where the environment does not tell. */
  directory(env: ProbeSurroundings['env']): string | null;
  /**
   * Where the file of a thread lies below that directory: patterns to try in this order, in which `*` stands for any
   * part of one name.
   */
  patterns(threadId: string): readonly string[];
  /** How full the context was when the file was last written, from its text's last lines; null where that is not told. */
  contextFill(tail: string): ContextFill | null;
  /** What one line of the file tells of something that was done; null for every other line, and what is not known. */
  timedItem(line: string): TimedItem | null;
  /** The same of a step, by which an item is known to be that step; null where there is none. */
  stepKey(step: Step): string | null;
}

/** What an agent may write in the sandbox `workspace-write`, beside its directory and those for temporary files. */
export interface Confinement {
  /** The absolute paths of the files of its configuration that may name more directories, whether they are there or not. */
  configurationFiles(
    env: ProbeSurroundings['env'],
    directory: string,
    args: readonly string[],
  ): readonly string[];
  /** The directories that its arguments and the texts of these files name; relative to the session's directory, or below `~`. */
  writable(args: readonly string[], configurations: readonly string[]): Promise<readonly string[]>;
}

/** All that zwarm knows of one kind of agent: data and pure functions. */
export interface AgentAdapter {
  readonly name: string;
  readonly capabilities: {
    readonly resume: boolean;
    /** Whether that version can begin a new thread with a copy of another one. */
    readonly fork: (agentVersion: string | null) => boolean;
    readonly sandbox: readonly Sandbox[];
    /** Whether it can be given tools. */
    readonly tools: boolean;
  };
  readonly program: ProgramSpec;
  readArguments(args: readonly string[]): UserArguments;
  command(turn: TurnRequest): CommandSpec;
  /** Null for an agent without a sandbox of its own. */
  readonly confinement: Confinement | null;
  /**
   * A parser for the lines of one turn, loaded only when a stream is read. It lets no thread id pass that this agent
   * cannot have given: each becomes an argument of the next turn, and agents' output is not trusted.
   */
  loadParser(agentVersion: string | null): Promise<LineParser>;
  /** The agent's own files of its threads; null where it keeps none that we know. */
  readonly history: AgentHistory | null;
  /** Null when the failure says nothing that the adapter knows. */
  explain(failure: Failure): Explanation | null;
  /** Null when there is nothing to ask: the agent is part of this package. */
  readonly probe: AgentProbe | null;
}
