/** Whether a process lives: `cannot_tell` when it belongs to another host or another pid namespace. */
export type Liveness = 'yes' | 'no' | 'cannot_tell';

/** The states of a turn that has ended. */
const FINAL_STATUSES = ['completed', 'failed', 'killed', 'lost'] as const;

/** The states of a turn, and of a session that has at least one readable turn. */
export const TURN_STATUSES = ['pending', 'running', ...FINAL_STATUSES, 'unknown'] as const;
export type TurnStatus = (typeof TURN_STATUSES)[number];

/**
 * Every status that a session can show: that of the turn that speaks for it; `ready` where no turn of its conversation has run in
 * it, as in a fork that waits for its first message; `damaged` where its records cannot be read.
 */
export const SESSION_STATUSES = [...TURN_STATUSES, 'ready', 'damaged'] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

/** Why a turn was asked to stop. `never-launched`: another command declared its launch dead. */
export const CANCEL_REASONS = [
  'kill',
  'interrupt',
  'withdraw',
  'dependency',
  'limit',
  'never-launched',
] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/** Why nothing ran, as the turn runner or the launcher recorded it. */
export const NOT_RUN_REASONS = [
  'cancelled',
  'no_working_dir',
  'no_agent',
  // The command that makes its worktree ready failed.
  'setup',
  'not_launched',
  'spawn_error',
] as const;
export type NotRunReason = (typeof NOT_RUN_REASONS)[number];

/** The end of a turn as recorded in `exit.json`. `code` is the shell's: 128+n stands for signal n. */
export interface ExitFact {
  readonly code: number | null;
  /** A `NotRunReason`, or the word of a newer zwarm. */
  readonly why: string | null;
  readonly detail: string | null;
  readonly cancelled: boolean;
}

/** The last event by which the agent itself ended the turn, or began to work after it had. */
export type Terminal =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'begun' };

/** All that the status of a turn depends on, read in the order of the fields (`manager/read-turn`). */
export interface TurnFacts {
  /** Something else ran it: the end that was recorded is what is known of it. */
  readonly adopted: boolean;
  readonly queued: boolean;
  readonly claimer: Liveness;
  /** Milliseconds from the claim to when the reading began: negative when that came first, or the clock was set back. */
  readonly ageMs: number;
  /** Whether a runner has begun: `runner.stat` exists. */
  readonly launched: boolean;
  /** Whether any process with the mark of the turn lives, the runner included. */
  readonly living: Liveness;
  /** A `CancelReason`, or the word of a newer zwarm. */
  readonly cancel: string | null;
  readonly exit: ExitFact | null;
  readonly terminal: Terminal | null;
}

/** Why a turn has failed; `manager/turn/explain-failure` puts it into words. */
export type FailureReason =
  | { readonly kind: 'not_run'; readonly why: string; readonly detail: string | null }
  | { readonly kind: 'agent_failed'; readonly message: string }
  | { readonly kind: 'exit_code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'no_result' };

/** The status of a turn and what is known of its end; an unknown exit code is null. */
export type TurnVerdict = { readonly exitCode: number | null; readonly signal: string | null } & (
  | { readonly status: Exclude<TurnStatus, 'failed'> }
  | { readonly status: 'failed'; readonly reason: FailureReason }
);

/** For this long a claim without a runner counts as being launched, even if its claimer has died. */
export const LAUNCH_GRACE_MS = 5000;
// A long list may find a claim this much newer than the beginning of its reading.
const LONGEST_READING_MS = 60_000;

// In the numbering of Linux, as far as that is portable.
const FIRST_SIGNALS = 'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM'.split(' ');
const SIGNALS: ReadonlyMap<number, string> = new Map([
  ...FIRST_SIGNALS.map((name, i): [number, string] => [i + 1, name]),
  [24, 'XCPU'],
  [25, 'XFSZ'],
  [31, 'SYS'],
]);

/** Splits a shell's exit code, where 128+n is death by signal n, into code or signal; null stays unknown. */
export function splitExitCode(code: number | null): { exitCode: number | null; signal: string | null } {
  const name = code === null ? undefined : SIGNALS.get(code - 128);
  return name === undefined ? { exitCode: code, signal: null } : { exitCode: null, signal: `SIG${name}` };
}

function verdict(status: Exclude<TurnStatus, 'failed'>, code: number | null = null): TurnVerdict {
  return { status, ...splitExitCode(code) };
}

function failure(reason: FailureReason, code: number | null): TurnVerdict {
  return { status: 'failed', reason, ...splitExitCode(code) };
}

function ended(exit: ExitFact, cancel: string | null, terminal: Terminal | null): TurnVerdict {
  const { code } = exit;
  // A runner that came after its launch had been declared dead ran nothing: the turn stays what readers called it.
  if (exit.why === 'cancelled' && cancel === 'never-launched') return verdict('lost');
  if (code === 0 && terminal?.kind === 'completed') return verdict('completed', code);
  if (exit.cancelled) return verdict('killed', code);
  if (exit.why !== null) return failure({ kind: 'not_run', why: exit.why, detail: exit.detail }, code);
  if (terminal?.kind === 'failed') return failure({ kind: 'agent_failed', message: terminal.message }, code);
  if (code === 0 || code === null) return failure({ kind: 'no_result' }, code);
  const { signal } = splitExitCode(code);
  return failure(signal === null ? { kind: 'exit_code', code } : { kind: 'signal', signal }, code);
}

function vanished(cancel: string | null, terminal: Terminal | null): TurnVerdict {
  if (terminal?.kind === 'completed') return verdict('completed');
  if (cancel !== null && cancel !== 'never-launched') return verdict('killed');
  if (terminal?.kind === 'failed') return failure({ kind: 'agent_failed', message: terminal.message }, null);
  return verdict('lost');
}

function notLaunched(facts: TurnFacts): TurnVerdict {
  const { queued, claimer, cancel } = facts;
  // Nothing has run, so its stream counts for nothing.
  if (queued) return cancel === null ? verdict('pending') : vanished(cancel, null);
  const young = facts.ageMs > -LONGEST_READING_MS && facts.ageMs < LAUNCH_GRACE_MS;
  if (cancel === null && young) return verdict('pending');
  // It was cancelled, but its launcher records the end, and may be recording another one at this moment.
  if (cancel !== 'never-launched') {
    if (claimer === 'yes') return verdict('pending');
    if (claimer === 'cannot_tell') return verdict('unknown');
  }
  return vanished(cancel, facts.terminal);
}

/** The first row that fits of the table in `docs/architecture.md`. A final status never changes as facts are added. */
export function deriveStatus(facts: TurnFacts): TurnVerdict {
  const { cancel, exit, terminal, living } = facts;
  if (facts.adopted && (exit?.code ?? null) === null)
    return vanished(exit?.cancelled ? 'kill' : null, terminal);
  if (exit !== null) return ended(exit, cancel, terminal);
  if (living === 'yes') return verdict('running');
  if (living === 'cannot_tell') return verdict('unknown');
  return facts.launched ? vanished(cancel, terminal) : notLaunched(facts);
}

/** Whether something runs or is about to. */
export function isActive(status: SessionStatus): boolean {
  return status === 'running' || status === 'pending';
}

/** Whether nothing that happens later can change this status. */
export function isFinal(status: SessionStatus): boolean {
  return FINAL_STATUSES.some((final) => final === status);
}

/** Whether nothing of a session runs, waits, or may live elsewhere. */
export function isAtRest(status: SessionStatus): boolean {
  return status === 'ready' || isFinal(status);
}
