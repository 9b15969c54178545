/** Every way in which a verb can refuse or fail, and the exit code that each one gives. */
export const EXIT_CODES = {
  io: 1,
  /** A session that was waited for ended otherwise than completed. */
  failed: 1,
  still_running: 1,
  /** git refused something, or is not there. */
  git_failed: 1,
  /** A file that was to be unpacked is not an archive of zwarm, or not as it was packed. */
  bad_archive: 1,
  usage: 2,
  config: 2,
  not_found: 3,
  ambiguous: 3,
  /** A turn of this session runs or is about to. */
  busy: 4,
  /** The user has it open in the agent's own program. */
  in_use: 4,
  not_running: 4,
  /** The session has no tree of its own. */
  no_tree: 4,
  /** The agent cannot go on with this conversation. */
  not_resumable: 4,
  /** Another command claimed the same turn first. */
  lost_race: 4,
  /** Only the host of the turn can tell whether it still lives. */
  unknown_liveness: 4,
  damaged: 4,
  /** The session was written by a newer zwarm, and what was asked for needs words that this one does not know. */
  newer_record: 4,
  /** The files before or after a turn are not known. */
  no_snapshot: 4,
  /** Both sides have changed the same lines: nothing was moved. */
  conflict: 4,
  over_quota: 4,
  /** Another directory stands where the project of a store was. */
  project_replaced: 4,
  name_taken: 4,
  not_allowed: 5,
  /** A budget is spent, or nobody can tell what is left of it. */
  over_budget: 5,
  /** The path of a session's directory now leads to another one. */
  directory_changed: 5,
  /** An agent could have put the program there that was about to run. */
  program_unsafe: 5,
  /** The agent of a turn could write to the state directory. */
  state_reachable: 5,
  installation_reachable: 5,
  /** Something would be made in a directory of another user's, or below their home. */
  foreign_directory: 5,
  /** The state directory is not a directory that only we can write. */
  state_dir_unsafe: 5,
  /** The state directory was written by a newer zwarm. */
  format_newer: 5,
  timeout: 124,
  agent_not_executable: 126,
  agent_not_found: 127,
  interrupted: 130,
} as const;

/** The machine-readable name of an error, as in `{"error": {"code": …}}`. */
export type ErrorCode = keyof typeof EXIT_CODES;

/** An error that a user can do something about: `message` says what and why, `hint` what to type next. */
export class ZwarmError extends Error {
  // In the bundle the class has another name, and the stack begins with the one that it has while it is made.
  static {
    Object.defineProperty(ZwarmError, 'name', { value: 'ZwarmError' });
    Object.defineProperty(ZwarmError.prototype, 'name', { value: 'ZwarmError' });
  }

  readonly code: ErrorCode;
  readonly hint: string | null;

  constructor(code: ErrorCode, message: string, hint: string | null = null, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = hint;
  }

  /** The process exit code that this error gives. */
  get exitCode(): number {
    return EXIT_CODES[this.code];
  }
}

/** An error in what was typed; `hint` says what to type instead. */
export function usageError(message: string, hint: string, cause?: unknown): ZwarmError {
  return new ZwarmError('usage', message, hint, cause);
}

/** Why a verb can do nothing with a session of whose conversation no turn has run in it: `what` is missing. */
export function readyError(
  id: string,
  what: string,
  hint = `give it a message: zwarm inject ${id} "…"`,
): ZwarmError {
  return new ZwarmError('not_running', `${id} is ready: ${what}`, hint);
}

/** The code of a failed operation of Node (`ENOSPC`), or null. */
export function errnoOf(error: unknown): string | null {
  const { code = null } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : null;
}

/** Whether an operation of Node failed with one of these codes. */
export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes(errnoOf(error) ?? '');
}

const IO_HINTS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free some space, then try again',
  EROFS: 'the file system is read-only: choose another directory with --state-dir DIR',
  EACCES: 'check the permissions, or choose another directory with --state-dir DIR',
  EPERM: 'check the owner, or choose another directory with --state-dir DIR',
  EMFILE: 'too many open files: raise the limit with ulimit -n',
  ENFILE: 'too many open files on this machine',
  EAGAIN: 'no more processes: end some, or raise the limit with ulimit -u',
};

/** An error of the operating system for people: `permission denied: /x (mkdir)`. */
function plainMessage(error: Error): string {
  const [, reason, call, path] = /^E[A-Z0-9]+: (.+?), (\w+)(?: '(.*)')?$/s.exec(error.message) ?? [];
  if (reason === undefined) return error.message;
  return path === undefined ? `${reason} (${call})` : `${reason}: ${path} (${call})`;
}

/** Any thrown value as a ZwarmError: everything that is not one becomes `io`, with its message. */
export function toZwarmError(error: unknown): ZwarmError {
  if (error instanceof ZwarmError) return error;
  const message = error instanceof Error ? plainMessage(error) : String(error);
  const errno = errnoOf(error) ?? (error instanceof Error ? errnoOf(error.cause) : null);
  return new ZwarmError('io', message, IO_HINTS[errno ?? ''] ?? null, error);
}

/** What is wrong with a text that cannot be understood, or cannot be edited safely. The message completes `FILE: `. */
export class TextProblem extends Error {
  override readonly name = 'TextProblem';
}
