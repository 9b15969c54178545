import { isAbsolute, relative, resolve } from 'node:path';
import * as z from 'zod/mini';
import { amount, count, decode, flag, isoTime, orNull, type Schema } from '../core/decode.ts';
import { isWithin } from '../core/path.ts';
import { HOWS, type ProcessIdentity, SANDBOXES, TURN_KINDS } from '../core/session.ts';
import { CANCEL_WHYS, NOT_RUN_WHYS } from '../core/status.ts';
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
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** The version is for future readers: an unknown one is read as ours. */
const v = z.catch(z.literal(1), 1);
const string = z.string();
const strings = z.array(string);

const machine = { host: string, boot_id: string, pid_ns: string, pid: count, uid: count };
const identity = (): Schema<ProcessIdentity> => z.object({ ...machine, start: string });

/** What each record holds, by its file. @throws DamagedRecord, also for a file that a full disk cut short */
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
      sandbox: z.enum(SANDBOXES),
      agent_args: strings,
      source: string,
      tags: strings,
      parent: orNull(string),
      // Its turns up to that one are copies. The agent's history file is unchanged while it has the size that it had then.
      forked_from: orNull(z.object({ id: string, turn: count, history_bytes: orNull(count) })),
      // Where the directory stood in git when the session was created.
      git: orNull(z.object({ root: string, head: orNull(string), branch: orNull(string) })),
      executor: z.literal('local'),
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
      created_at: isoTime,
    }),
  ),
  request: parser(() =>
    z.object({
      v,
      kind: z.enum(TURN_KINDS),
      queued: flag,
      claimer: identity(),
      // Random; part of the mark that every process of the turn carries in its environment.
      nonce: string,
      // Who asked for the turn: `user`, `orchestrator:<id>` or `mcp:<client>`; null where nobody recorded it.
      by: orNull(string),
      at: isoTime,
      // Of a rewind: the turn to which it winds back, 0 for the beginning.
      to: orNull(count),
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
      how: z.enum(HOWS),
      // Why it is a replay, in words; else null.
      why: orNull(string),
      at: isoTime,
    }),
  ),
  cancel: parser(() =>
    z.object({ v, why: z.enum(CANCEL_WHYS), reason: orNull(string), by: identity(), at: isoTime }),
  ),
  exit: parser(() =>
    z.object({
      v,
      code: orNull(count),
      why: orNull(z.enum(NOT_RUN_WHYS)),
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
export type ForkOrigin = NonNullable<SessionRecord['forked_from']>;
export type GitState = NonNullable<SessionRecord['git']>;
/** `project.json`: which directory a store belongs to. Replaced only when the project has moved. */
export type ProjectRecord = Parsed<typeof parse.project>;
/** `request.json`: the claim of a turn. */
export type RequestRecord = Parsed<typeof parse.request>;
/** `launch.json`: what was started. A record for people and for usage accounting, never an input. */
export type LaunchRecord = Parsed<typeof parse.launch>;
/** `cancel.json`: who asked a turn to stop; `reason` as given, or null. */
export type CancelRecord = Parsed<typeof parse.cancel>;
/** `exit.json`: how a turn ended. */
export type ExitRecord = Parsed<typeof parse.exit>;

/** A path in or below the root of a project as it is recorded: relative to that, so that the project can move. */
export function recordedPath(path: string, projectRoot: string): string {
  return isWithin(path, projectRoot) ? relative(projectRoot, path) || '.' : path;
}

/** The paths of a session's record, each changed in the same way. */
function withPaths(record: SessionRecord, change: (path: string) => string): SessionRecord {
  const { working_dir, git } = record;
  return {
    ...record,
    working_dir: change(working_dir),
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
