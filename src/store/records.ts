import { isAbsolute, relative, resolve } from 'node:path';
import * as z from 'zod/mini';
import { amount, count, decode, flag, isoTime, orNull, path, type Schema } from '../core/decode.ts';
import { isSessionId, type SessionId } from '../core/ids.ts';
import { isWithin } from '../core/path.ts';
import type { ProcessIdentity, Sandbox } from '../core/session.ts';
import { DamagedRecord } from './read-file.ts';

/** A record as the text of its file. */
export function encode(record: object): string {
  return `${JSON.stringify(record)}\n`;
}

/** Reads the text of one kind of record. Its schema is built with the first of them: most commands read few kinds. */
function parser<T>(build: () => Schema<T>): (text: string) => T {
  let schema: Schema<T> | undefined;
  return (text) => {
    schema ??= build();
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch (error) {
      throw new DamagedRecord('not valid JSON', { cause: error });
    }
    return decode(schema, json, (problem) => new DamagedRecord(problem));
  };
}

/** What a parser yields; records never change. */
type Parsed<P extends (text: string) => unknown> = Frozen<ReturnType<P>>;
type Frozen<T> = T extends string ? T : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** The version is for future readers: an unknown one is read as ours. */
const v = z.catch(z.literal(1), 1);
const string = z.string();
const strings = z.array(string);

const machine = { host: string, boot_id: string, pid_ns: string, pid: count, uid: count };
const runLimits = () =>
  orNull(z.object({ max_time_s: orNull(count), max_silence_s: orNull(count), max_log_bytes: orNull(count) }));
const budget = () => orNull(z.object({ unit: string, most: amount }));
const changeCount = () => z.object({ files: count, added: count, removed: count });
const sessionId = z.custom<SessionId>((value) => typeof value === 'string' && isSessionId(value));
const identity = (): Schema<ProcessIdentity> => z.object({ ...machine, start: string });

/**
 * What each record holds, by its file. A word of a list that can grow is any text: a newer zwarm may have written it, and
 * whoever reads it decides whether it has to be known. @throws DamagedRecord, also for a file that a full disk cut short
 */
export const parse = {
  stored: parser(() =>
    z.object({
      v,
      agent: string,
      task: string,
      working_dir: string,
      // The directory in which the agent is asked to work, relative to `working_dir`; null where it is the same.
      work_in: orNull(string),
      model: orNull(string),
      sandbox: string,
      // Whether nothing kept its agent within that sandbox.
      unconfined: flag,
      agent_args: strings,
      source: string,
      tags: strings,
      // What the program that started it has written on it.
      metadata: z._default(z.record(string, string), {}),
      parent: orNull(string),
      // Its turns up to that one are copies. The agent's history file is unchanged while it has the size that it had then.
      forked_from: orNull(z.object({ id: string, turn: count, history_bytes: orNull(count) })),
      // Where the directory stood in git when the session was created.
      git: orNull(z.object({ root: string, head: orNull(string), branch: orNull(string) })),
      executor: string,
      // The tree of its own in which it works; null where it has none.
      worktree: orNull(
        z.object({
          path: string,
          // Its own git directory, in `<common>/worktrees`.
          git_dir: string,
          branch: string,
          // The commit at which it begins, and the branch that this came from; null for none.
          base: string,
          base_branch: orNull(string),
          // The checkout that it was made from; null for a bare repository.
          checkout: orNull(string),
          // The first of ten ports that nobody else's tree has; null where all are taken.
          port_base: orNull(count),
          // Whether what was changed in that checkout came along: whoever changed it has not been asked for a setup.
          with_changes: flag,
        }),
      ),
      // When it came out of an archive: its turns up to that one ran elsewhere. The agent's history file is the one of these
      // turns while it has that size; null where it was not in the archive.
      unpacked: orNull(z.object({ at: isoTime, turn: count, history_bytes: orNull(count) })),
      // When it was made of a conversation that something else held: then `created_at` is when that began.
      imported_at: orNull(isoTime),
      // What each of its turns may take; null for all that it wants.
      run_limits: runLimits(),
      // By which a second start of the same caller finds it; or null.
      key: orNull(string),
      // What its answers are to be: a JSON schema, as text; or null.
      schema: orNull(string),
      // What all of its turns may use; null where the configuration decides.
      budget: budget(),
      // Whether its agent gets the tools of zwarm, to run other sessions.
      orchestrates: flag,
      created_at: isoTime,
    }),
  ),
  project: parser(() =>
    z.object({
      v,
      // Random; names the store in the marks of its turns.
      store_id: string,
      // The real path of the project when the store was made or last relocated; then what stat says of that directory.
      path: string.check(z.refine(isAbsolute)),
      host: string,
      inode: string,
      birth_time: isoTime,
      // The name of its directory where that has not the key of the path, as another directory's store was there; or null.
      kept_at: orNull(string),
      // Where a command of the user's has found its project after it was moved, while it was not given its new place; or null.
      seen_at: orNull(string),
      created_at: isoTime,
    }),
  ),
  request: parser(() =>
    z.object({
      v,
      kind: string,
      queued: flag,
      claimer: identity(),
      // The turns that have to complete before it begins, all of them older; or only to end.
      after: z._default(z.array(z.object({ id: sessionId, turn: count })), []),
      even_if_failed: flag,
      // What this turn may take.
      run_limits: runLimits(),
      // Which of how many repetitions of its message this is, 0 the first; null where it is not repeated.
      retry: orNull(z.object({ number: count, most: count })),
      // Random; part of the mark that every process of the turn carries in its environment.
      nonce: string,
      // Who asked for the turn: `user`, `orchestrator:<id>`, `mcp:<client>` or `lib:<client>`; null where nobody recorded it.
      by: orNull(string),
      at: isoTime,
      // Of a rewind: the turn to which it winds back, 0 for the beginning.
      to: orNull(count),
      // What runs this turn; null where it is what the session was started with.
      runs: orNull(z.object({ agent: string, model: orNull(string), unconfined: flag })),
      // Of a turn that something else ran: the agent's thread, and whether its stream is what the agent printed, or lines
      // of the agent's own session file.
      adopted: orNull(
        z.object({
          thread_id: orNull(string),
          stream: string,
          started_at: orNull(isoTime),
        }),
      ),
      // Of one that holds the session open in the agent's own program: the thread, and the agent's file of it as it was before.
      opened: orNull(z.object({ thread_id: string, path: string, bytes: count })),
      // Of a compaction: the turns that its summary replaces.
      covers: z._default(z.array(count), []),
    }),
  ),
  launch: parser(() =>
    z.object({
      v,
      argv: strings,
      program: string,
      agent_version: orNull(string),
      // The agent's thread to go on with, or to fork; null for a new one.
      thread_id: orNull(string),
      forks: flag,
      how: string,
      // The program that keeps the agent within its sandbox; null where that is the agent itself, or nothing.
      confined_by: orNull(string),
      // Why it is a replay, in words; else null.
      why: orNull(string),
      // Where the agent works, by which its words are read: a path; null where that was not recorded.
      working_dir: orNull(path),
      // Where the agent keeps what is of the account that it uses; empty where that is not known.
      account: orNull(string),
      // In which the clocks of the agent run: a name of IANA.
      time_zone: orNull(string),
      // Who starts the runner; null where that was not recorded.
      launcher: orNull(identity()),
      at: isoTime,
    }),
  ),
  environment: parser(() =>
    z.object({
      v,
      umask: string,
      env: z.record(string, string),
      // The checkout in which that command stood.
      checkout: string,
    }),
  ),
  deferral: parser(() => z.object({ v, reason: string, detail: string, not_before: isoTime })),
  hold: parser(() =>
    z.object({
      v,
      agent: string,
      // Where the agent keeps what is of that account: a directory; empty where it is not known.
      account: string,
      // As in the error of the turn that failed.
      code: string,
      message: string,
      retry_at: orNull(isoTime),
      at: isoTime,
    }),
  ),
  place: parser(() => z.object({ v, claimer: identity() })),
  tree: parser(() =>
    z.object({
      v,
      path: string,
      // The git directory that all worktrees of the repository share.
      common: string,
      branch: string,
      base: string,
      claimer: identity(),
      at: isoTime,
    }),
  ),
  trashed: parser(() =>
    z.object({
      v,
      // The names that the session had, its key included; empty where there was none.
      names: strings,
      // The worktree: where it was, where it is, and what it takes to ask git about it.
      tree: z.object({
        path: string,
        at: string,
        git_dir: string,
        common: string,
        branch: orNull(string),
        target: orNull(string),
        lock: orNull(string),
      }),
      // What existed only there, in words.
      reasons: strings,
      at: isoTime,
    }),
  ),
  landed: parser(() =>
    z.object({
      v,
      // The branch, and the commit that it got or was about to get.
      onto: string,
      commit: string,
      // The files of the session's tree that are in it: the name of a tree.
      tree: string,
      // Whether the branch is known to have got it.
      done: flag,
      // Files in which the agent was asked to merge both sides, which have markers until it has. Paths as bytes.
      asked: z._default(z.array(string), []),
      at: isoTime,
    }),
  ),
  slot: parser(() =>
    z.object({ v, turn: orNull(z.object({ id: sessionId, turn: count })), claimer: identity() }),
  ),
  notification: parser(() =>
    z.object({
      v,
      // `<id>.<turn>.<event>`
      key: string,
      event: string,
      at: isoTime,
      // Its root.
      project: string,
      id: sessionId,
      name: orNull(string),
      turn: count,
      agent: orNull(string),
      // As in the request of the turn.
      by: orNull(string),
      // How the turn ended, and why it failed.
      status: orNull(string),
      error: orNull(z.object({ code: string, message: string, retry_at: orNull(isoTime) })),
      // The beginning of its message.
      prompt: string,
    }),
  ),
  lastCall: parser(() =>
    z.object({
      v,
      program: string,
      events: count,
      // What went wrong, in words; null where it ended well.
      problem: orNull(string),
      // The end of what it printed.
      output: string,
      at: isoTime,
    }),
  ),
  cancel: parser(() =>
    z.object({
      v,
      why: string,
      reason: orNull(string),
      // The limit that was reached.
      limit: orNull(z.object({ name: string, allowed: count, observed: count })),
      by: identity(),
      at: isoTime,
    }),
  ),
  snapshot: parser(() =>
    z.object({
      v,
      // The name of its tree; null where there is none.
      tree: orNull(string.check(z.regex(/^[0-9a-f]{40,64}$/))),
      // Why there is none, in words.
      why: orNull(string),
      // The commit of the checkout at that time.
      head: orNull(string),
      // Paths as bytes, a character for each.
      left_out: z._default(
        z.array(
          z.object({
            path: string,
            why: string,
            bytes: orNull(count),
            mtime_ms: orNull(amount),
          }),
        ),
        [],
      ),
      // Of the end of a turn: what it changed, and what its session has changed by then.
      changed: orNull(changeCount()),
      total: orNull(changeCount()),
      at: isoTime,
    }),
  ),
  undo: parser(() =>
    z.object({
      v,
      // The turns whose changes were undone.
      turns: z.array(count),
      // The number of an undo that this one undoes; else null.
      undoes: orNull(count),
      // The names of the trees before and after: to go back to the one from the other.
      saved: string,
      result: string,
      // As in the request of a turn.
      by: orNull(string),
      at: isoTime,
    }),
  ),
  exit: parser(() =>
    z.object({
      v,
      code: orNull(count),
      why: orNull(string),
      detail: orNull(string),
      cancelled: flag,
      // Seconds since the machine began, or null.
      uptime: orNull(amount),
      ended_at: orNull(string),
      events_bytes: orNull(count),
    }),
  ),
};

/** `session.json`: what was asked for. Written once. Paths in the project are recorded relative to its root. */
export type SessionRecord = Parsed<typeof parse.stored>;
/** The same where every word of it is known (`manager/session/unknown-words`). */
export type KnownRecord = SessionRecord & { readonly sandbox: Sandbox };
export type ForkOrigin = NonNullable<SessionRecord['forked_from']>;
export type Unpacked = NonNullable<SessionRecord['unpacked']>;
export type OwnTree = NonNullable<SessionRecord['worktree']>;
export type GitState = NonNullable<SessionRecord['git']>;
/** `project.json`: which directory a store belongs to. Replaced only when the project has moved. */
export type ProjectRecord = Parsed<typeof parse.project>;
/** `request.json`: the claim of a turn. */
export type RequestRecord = Parsed<typeof parse.request>;
/** What is known of a turn that something else ran. */
export type Adopted = NonNullable<RequestRecord['adopted']>;
/** The thread of a session that is open in the agent's own program. */
export type OpenedThread = NonNullable<RequestRecord['opened']>;
/** What runs a turn. */
export type Runs = NonNullable<RequestRecord['runs']>;
/** `launch.json`: what was started. A record for people and for usage accounting, never an input. */
export type LaunchRecord = Parsed<typeof parse.launch>;
/** `environment`: with what a queued turn is to run, as the command that queued it had it. Removed when it runs. */
export type EnvironmentRecord = Parsed<typeof parse.environment>;
/** `deferral.json`: until when a queued turn waits at least, and why. Replaced where that changes. */
export type DeferralRecord = Parsed<typeof parse.deferral>;
/** Why nothing that waits is begun with an account of an agent. */
export type HoldRecord = Parsed<typeof parse.hold>;
/** A place in the queue: who takes it. */
export type PlaceRecord = Parsed<typeof parse.place>;
/** `trees/<id>.json`: a worktree that is made or was made for a session. */
export type TreeRecord = Parsed<typeof parse.tree>;
/** `trash/<id>/removed.json`: what was removed, and where it was. */
export type TrashedRecord = Parsed<typeof parse.trashed>;
/** `landed.json`: what was brought onto a branch last. Written before the branch moves, and replaced when it has. */
export type LandedRecord = Parsed<typeof parse.landed>;
/** Who has a place among those that may run at once; `turn` is null where it was given back. */
export type SlotRecord = Parsed<typeof parse.slot>;
/** Something that the user is to be told. */
export type NotificationRecord = Parsed<typeof parse.notification>;
/** How the user's own program for that ended the last time. */
export type LastCallRecord = Parsed<typeof parse.lastCall>;
/** `cancel.json`: who asked a turn to stop; `reason` as given, or null. */
export type CancelRecord = Parsed<typeof parse.cancel>;
/** `before.json`, `after.json`: the files around a turn. */
export type SnapshotRecord = Parsed<typeof parse.snapshot>;
/** One of `undos/`: files that were moved back. */
export type UndoRecord = Parsed<typeof parse.undo>;
/** `exit.json`: how a turn ended. */
export type ExitRecord = Parsed<typeof parse.exit>;

/** The record of a session as it is for one of its turns, which another agent may run: the arguments are for the first. */
export function recordOfTurn<R extends SessionRecord>(record: R, { runs }: Pick<RequestRecord, 'runs'>): R {
  if (runs === null) return record;
  return { ...record, ...runs, agent_args: runs.agent === record.agent ? record.agent_args : [] };
}

/** How many of the first turns of a session are copies, which ran in another one. */
export const copiedTurns = ({ forked_from: fork }: Pick<SessionRecord, 'forked_from'>): number =>
  fork?.turn ?? 0;

/** A path in or below the root of a project as it is recorded: relative to that, so that the project can move. */
export function recordedPath(path: string, projectRoot: string): string {
  return isWithin(path, projectRoot) ? relative(projectRoot, path) || '.' : path;
}

/** The paths of a session's record, each changed in the same way. */
function withPaths(record: SessionRecord, change: (path: string) => string): SessionRecord {
  const { working_dir, git, worktree: tree } = record;
  return {
    ...record,
    working_dir: change(working_dir),
    worktree: tree && {
      ...tree,
      path: change(tree.path),
      git_dir: change(tree.git_dir),
      checkout: tree.checkout && change(tree.checkout),
    },
    git: git === null ? null : { ...git, root: change(git.root) },
  };
}

/** `session.json` of a project with this root. */
export function encodeSession(record: SessionRecord, projectRoot: string): string {
  return encode(withPaths(record, (path) => recordedPath(path, projectRoot)));
}

/** `session.json` of a project with this root. @throws DamagedRecord */
export function parseSessionRecord(text: string, projectRoot: string): SessionRecord {
  return withPaths(parse.stored(text), (path) => resolve(projectRoot, path));
}

const parseStat = parser(() =>
  z.object({
    ...machine,
    stat: z._default(string, ''),
    lstart: orNull(string),
    uptime: orNull(amount),
  }),
);

/** `runner.stat`: who runs a turn, and the seconds since the machine began, or null. */
export interface RunnerRecord {
  readonly identity: ProcessIdentity;
  readonly uptime: number | null;
}

/**
 * `runner.stat`, the one record that a shell writes: what the launcher knew of the machine, the runner's pid, and
 * its start as the kernel tells it. @throws DamagedRecord, also for one that was not written to its end
 */
export function parseRunnerStat(text: string): RunnerRecord {
  const { stat, lstart, uptime, ...known } = parseStat(text);
  // Field 22 counted behind the last ')': the name of a command may hold spaces and parentheses.
  const start = lstart ?? stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  if (!start) throw new DamagedRecord('field stat does not say when the runner started');
  return { identity: { ...known, start }, uptime };
}
