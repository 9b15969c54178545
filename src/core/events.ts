/** How far something that an agent does has come. `interrupted` is computed by the fold, never written. */
export type StepStatus = 'in_progress' | 'completed' | 'failed' | 'declined' | 'interrupted';

/** One file that an agent added, changed or deleted; the path is the agent's word, never used as a path by us. */
export interface FileEdit {
  readonly path: string;
  readonly kind: 'add' | 'update' | 'delete' | 'unknown';
  /** What has changed as lines that begin with ` `, `+` or `-`, under `@@` heads; absent where the agent does not tell. */
  readonly diff?: string;
}

export interface PlanItem {
  readonly text: string;
  readonly completed: boolean;
}

/** Token counts. `cachedInput` lies within `input`, `reasoning` within `output`; null is not reported. */
export interface Tokens {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
  readonly reasoning: number | null;
  /** What the agent says that they cost, in US dollars. */
  readonly costUsd: number | null;
}

/**
 * Token counts as an agent reported them: a running total of its thread or of this process, those since its last report
 * of that kind, or those of one call of the model, which may be reported several times while they grow.
 */
export interface UsageReport extends Tokens {
  readonly of: 'thread' | 'process' | 'since_last' | { readonly call: string };
}

/**
 * What one line of any agent's stream means. `seq` counts the lines of the turn from 0; `subagent` names the tool call by
 * which the agent has started another one, whose event it is. `model` is the one that the agent says it uses; absent where
 * its stream does not tell.
 */
export type AgentEvent = { readonly seq: number; readonly subagent?: string } & (
  | { readonly type: 'thread_started'; readonly threadId: string; readonly model?: string }
  | { readonly type: 'message'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'command';
      readonly id: string;
      readonly command: string;
      readonly output: string | null;
      readonly exitCode: number | null;
      readonly status: StepStatus;
      /** Why it never began, and what to do about that; absent where it may have run. */
      readonly refused?: string;
    }
  | {
      readonly type: 'file_change';
      readonly id: string;
      readonly changes: readonly FileEdit[];
      readonly status: StepStatus;
    }
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly name: string;
      readonly args: unknown;
      readonly result: unknown;
      readonly status: StepStatus;
    }
  | { readonly type: 'plan'; readonly id: string; readonly items: readonly PlanItem[] }
  | { readonly type: 'usage'; readonly usage: UsageReport }
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'retry'; readonly message: string }
  /** The agent begins to work, perhaps once more: an end that it has told before does not count any longer. */
  | { readonly type: 'turn_started' }
  | { readonly type: 'turn_completed' }
  | { readonly type: 'turn_failed'; readonly message: string }
  /** A known line that adds nothing to other lines. */
  | { readonly type: 'redundant' }
  | { readonly type: 'unknown'; readonly raw: string }
  /** `raw` is null where the line was too long to be read. */
  | { readonly type: 'malformed'; readonly raw: string | null }
);

/** An event without the number of its line. */
export type UnnumberedEvent = AgentEvent extends infer E
  ? E extends AgentEvent
    ? Omit<E, 'seq'>
    : never
  : never;

/** One line of a stream, decoded; `seq` counts from 0. `text` is null where the line was too long to be read. */
export interface Line {
  readonly seq: number;
  readonly text: string | null;
}

/** Translates the lines of one turn, in order; never throws. Each line gives known events, or one unknown or malformed. */
export type LineParser = (line: Line) => readonly AgentEvent[];
