import type { ChangeCount } from './changes.ts';
import type { Step } from './conversation/steps.ts';
import type { SessionId } from './ids.ts';
import type { Metadata } from './rules/metadata.ts';
import type { Pending } from './rules/queue.ts';
import type { Retry } from './rules/retry.ts';
import type { SessionStatus, TurnStatus } from './status.ts';

/** What an agent may touch, from the least to the most. */
export const SANDBOXES = ['read-only', 'workspace-write', 'danger-full-access'] as const;
export type Sandbox = (typeof SANDBOXES)[number];

/** What identifies a process: a pid alone is reused, and means nothing on another host. */
export interface ProcessIdentity {
  readonly host: string;
  readonly boot_id: string;
  readonly pid_ns: string;
  readonly pid: number;
  /** Linux: clock ticks from boot to the start (field 22 of `/proc/<pid>/stat`); macOS: `ps -o lstart=`. */
  readonly start: string;
  readonly uid: number;
}

/** What runs the turns of a session. */
export const EXECUTORS: readonly string[] = ['local'];

/** What the stream of an adopted turn is. */
export const ADOPTED_STREAMS: readonly string[] = ['printed', 'history'];

/** Whether a word is one of the sandboxes that this version knows; a newer one may have written another. */
export const isSandbox = (word: string): word is Sandbox => SANDBOXES.some((one) => one === word);

/** How a turn reached its agent: a new thread, the agent's own resumption, or a replayed transcript. */
export type How = 'fresh' | 'native' | 'replay';

/**
 * Token counts as printed. Cached tokens lie within input, reasoning within output; total = input + output. `at_least`:
 * some of it was cut off before it was counted.
 */
export interface TokenUsage {
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_output_tokens: number | null;
  readonly total_tokens: number;
  readonly at_least: boolean;
}

/** Why a session failed: `code` for programs, `message` for people. `hint` says what to do next. */
export interface SessionError {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly retryable: boolean;
  readonly retry_at: string | null;
}

/** The part of a summary that comes from the session's record. */
export interface RecordSummary {
  readonly tags: readonly string[];
  readonly metadata: Metadata;
  readonly title: string | null;
  readonly task: string | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly sandbox: string | null;
  /** Whether nothing keeps the agent within that sandbox. */
  readonly unconfined: boolean | null;
  readonly working_dir: string | null;
  readonly work_in: string | null;
  /** The tree of its own in which it works; null where it has none. */
  readonly worktree: { readonly path: string; readonly branch: string; readonly base: string } | null;
  readonly source: string | null;
  readonly parent: string | null;
  readonly forked_from: { readonly id: string; readonly turn: number } | null;
  readonly created_at: string | null;
  /** What of its records only a newer zwarm knows, in words: such a session is read here, and does not go on. */
  readonly unknown_words: readonly string[];
}

/** The part of a summary that depends on what the turns did. */
export interface SessionState {
  readonly status: SessionStatus;
  /** The turn that the status is about; null where there is none. */
  readonly turn: number | null;
  /** The newest message of the conversation; in a list on one line. */
  readonly last_prompt: string | null;
  /** What it is doing now, on one line; null unless it runs. */
  readonly current_step: string | null;
  readonly turn_started_at: string | null;
  readonly updated_at: string | null;
  /**
   * When something was last asked of it, began or ended; of a turn that ended without telling, its last sign of life. The
   * order of lists.
   */
  readonly active_at: string | null;
  readonly ended_at: string | null;
  readonly duration_ms: number | null;
  readonly pid: number | null;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly error: SessionError | null;
  /** Why it waits; null unless it does. */
  readonly pending: Pending | null;
  /** How many messages wait for their turn. */
  readonly queued: number;
  readonly thread_id: string | null;
  /** The model that ran the turn in that thread, as far as the agent tells. */
  readonly model_used: string | null;
  readonly token_usage: TokenUsage | null;
  readonly last_message: string | null;
  /** The first line of that. */
  readonly answer_line: string | null;
  /** What its turns have changed that have ended; null where that is not known. */
  readonly diff_stat: ChangeCount | null;
}

/** One row of `ls`, and the head of everything else: the JSON contract of `docs/formats.md`. */
export interface SessionSummary extends RecordSummary, SessionState {
  readonly id: SessionId;
  /** The root of the project whose session it is. */
  readonly project: string;
  readonly name: string | null;
  /** In US dollars, as far as it is known; `cost_at_least`: a part of it is not. */
  readonly cost_usd: number | null;
  readonly cost_at_least: boolean;
  /** While it runs with write access: the other sessions whose agents write in the same directory. */
  readonly shared_with: readonly SessionId[];
  /** How many processes of its ended turns still run; null where nobody looked, or where that cannot be told. */
  readonly processes_left: number | null;
  readonly needs_attention: boolean | null;
  readonly log_file: string | null;
}

/** What a row shows of a session: the newest message of its conversation, else its task, or what is wrong with it. */
export function messageOfRow({ status, last_prompt, task, error }: SessionSummary): string {
  // Of one that is ready its task may have been rewound.
  return last_prompt ?? (status === 'ready' ? null : task) ?? error?.message ?? '';
}

/** One turn as `show` prints it. */
export interface TurnView {
  readonly turn: number;
  /** A `TurnKind`, or the word of a newer zwarm. */
  readonly kind: string;
  readonly agent: string;
  /** As `request.json` has them. */
  readonly by: string | null;
  readonly to: number | null;
  readonly covers: readonly number[];
  /** Which repetition of its message it is, of how many at most; null where it is not repeated. */
  readonly retry: Retry | null;
  /** Whether it is part of the conversation: false for a marker, for what was rewound, and for what was withdrawn. */
  readonly in_conversation: boolean;
  /** Whether it was rewound. */
  readonly undone: boolean;
  readonly prompt: string | null;
  readonly status: TurnStatus;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  /** How long it ran, or has run; null where that is not known. */
  readonly duration_ms: number | null;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly error: SessionError | null;
  readonly answer: string | null;
  readonly token_usage: TokenUsage | null;
  readonly cost_usd: number | null;
  /** What it changed; null where that is not known. */
  readonly diff_stat: ChangeCount | null;
  /** A `How`, or the word of a newer zwarm. */
  readonly how: string | null;
  /** Why it was a replay, in words; else null. */
  readonly replay_reason: string | null;
  readonly warnings: readonly string[];
  readonly log_file: string;
  readonly stderr_file: string;
  /** The host where it ran; null for this one. */
  readonly host: string | null;
}

/** One utterance of a conversation; `timestamp` is null where the agent gives none. */
export interface Message {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly turn: number;
  readonly timestamp: string | null;
}

/** All that `show` prints. */
export interface SessionDetail extends SessionSummary {
  readonly turns: readonly TurnView[];
  readonly messages: readonly Message[];
}

/** The steps of a turn. */
export interface TurnSteps {
  readonly turn: number;
  /** Whether it was rewound. */
  readonly undone: boolean;
  readonly steps: readonly Step[];
}

/** The beginning of a text, without half of a surrogate pair at its end. */
const beginning = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

const TITLE_LIMIT = 48;
/** The first line of a task, cut at a word before 48 characters: the title of its session. */
export function titleOf(task: string): string {
  // However long the task, no more than this is looked at.
  const start = beginning(task.trim(), 8 * TITLE_LIMIT);
  const [first = ''] = start.split(/\r?\n/, 1);
  const characters = Array.from(first.length < start.length ? first.trimEnd() : first);
  if (characters.length <= TITLE_LIMIT) return characters.join('');
  const cut = characters.slice(0, TITLE_LIMIT - 1).join('');
  const space = cut.lastIndexOf(' ');
  return `${(space > 20 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** A long text as lists show it: at most `limit` characters, the last of them an ellipsis when something was cut. */
export function cutText(text: string, limit = 500): string {
  if (text.length <= limit) return text;
  // Copied: a slice would keep the whole string in memory.
  return `${Array.from(beginning(text, limit - 1)).join('')}…`;
}

/** The longest line of a list. */
export const LONGEST_LINE = 200;

/** The first line of a text that has any words. */
export const firstLine = (text: string): string => /\S.*/.exec(text)?.[0] ?? '';

/** The same on one line: every run of white space becomes a single space. */
export const cutLine = (text: string, limit: number): string =>
  cutText(
    beginning(text, 8 * limit)
      .replace(/\s+/g, ' ')
      .trim(),
    limit,
  );

/** A list in words: the first five, and how many more there are. */
export function firstFew(words: readonly string[]): string {
  const more = words.length - 5;
  return words.slice(0, 5).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The message of a failure, cut to 4,096 characters; the stream keeps all of it. */
export const cutFailure = (text: string): string => cutText(text, 4096);
