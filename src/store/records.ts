import { isAbsolute, relative, resolve } from 'node:path';
import * as z from 'zod/mini';
import { amount, count, decode, flag, isoTime, orNull, type Schema } from '../core/decode.ts';
import { isWithin } from '../core/path.ts';
import {
  type CancelRecord,
  type ExitRecord,
  HOWS,
  type LaunchRecord,
  type ProcessIdentity,
  type ProjectRecord,
  type RequestRecord,
  type RunnerRecord,
  SANDBOXES,
  type SessionRecord,
  TURN_KINDS,
} from '../core/session.ts';
import { CANCEL_WHYS, NOT_RUN_WHYS } from '../core/status.ts';
import { DamagedRecord } from './read-file.ts';

/** A record as the text of its file. */
export function encode(record: object): string {
  return `${JSON.stringify(record)}\n`;
}

function parse<T>(schema: Schema<T>, text: string): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new DamagedRecord('not valid JSON', { cause: error });
  }
  const decoded = decode(schema, json);
  if (decoded.ok) return decoded.value;
  throw new DamagedRecord(decoded.problem);
}

/** Reads the text of one kind of record. Its schema is built with the first of them: most commands read few kinds. */
function parser<T>(build: () => Schema<T>): (text: string) => T {
  let schema: Schema<T> | undefined;
  return (text) => {
    schema ??= build();
    return parse(schema, text);
  };
}

/** The version is for future readers: an unknown one is read as ours. */
const v = z.catch(z.literal(1), 1);
const string = z.string();
const strings = z.array(string);

const machine = { host: string, boot_id: string, pid_ns: string, pid: count, uid: count };
const identity = (): Schema<ProcessIdentity> => z.object({ ...machine, start: string });

const parseStored = parser<SessionRecord>(() =>
  z.object({
    v,
    agent: string,
    task: string,
    working_dir: string,
    work_in: orNull(string),
    model: orNull(string),
    sandbox: z.enum(SANDBOXES),
    agent_args: strings,
    source: string,
    tags: strings,
    parent: orNull(string),
    forked_from: orNull(z.object({ id: string, turn: count, history_bytes: orNull(count) })),
    git: orNull(z.object({ root: string, head: orNull(string), branch: orNull(string) })),
    executor: z.literal('local'),
    orchestrates: flag,
    created_at: isoTime,
  }),
);

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
  return withPaths(parseStored(text), (path) => resolve(projectRoot, path));
}

/** `project.json`. @throws DamagedRecord */
export const parseProjectRecord = parser<ProjectRecord>(() =>
  z.object({
    v,
    store_id: string,
    path: string.check(z.refine(isAbsolute)),
    host: string,
    inode: string,
    birth_time: isoTime,
    created_at: isoTime,
  }),
);

/** `request.json`. @throws DamagedRecord */
export const parseRequestRecord = parser<RequestRecord>(() =>
  z.object({
    v,
    kind: z.enum(TURN_KINDS),
    queued: flag,
    claimer: identity(),
    nonce: string,
    by: orNull(string),
    at: isoTime,
    to: orNull(count),
    covers: z._default(z.array(count), []),
  }),
);

/** `launch.json`. @throws DamagedRecord */
export const parseLaunchRecord = parser<LaunchRecord>(() =>
  z.object({
    v,
    argv: strings,
    program: string,
    agent_version: orNull(string),
    thread_id: orNull(string),
    forks: flag,
    how: z.enum(HOWS),
    why: orNull(string),
    at: isoTime,
  }),
);

/** `cancel.json`. @throws DamagedRecord */
export const parseCancelRecord = parser<CancelRecord>(() =>
  z.object({
    v,
    why: z.enum(CANCEL_WHYS),
    reason: orNull(string),
    by: identity(),
    at: isoTime,
  }),
);

/** `exit.json`. @throws DamagedRecord, also for a file that a full disk cut short */
export const parseExitRecord = parser<ExitRecord>(() =>
  z.object({
    v,
    code: orNull(count),
    why: orNull(z.enum(NOT_RUN_WHYS)),
    detail: orNull(string),
    cancelled: flag,
    uptime: orNull(amount),
    ended_at: orNull(string),
    events_bytes: orNull(count),
  }),
);

const parseStat = parser(() =>
  z.object({
    ...machine,
    stat: z._default(string, ''),
    lstart: orNull(string),
    uptime: orNull(amount),
  }),
);

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
