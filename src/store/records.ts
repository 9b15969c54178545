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

/** The version of a record is for readers to come: one that we do not know is read as ours. */
const v = z.catch(z.literal(1), 1);
const string = z.string();
const strings = z.array(string);

const machine = { host: string, boot_id: string, pid_ns: string, pid: count, uid: count };
const identity: Schema<ProcessIdentity> = z.lazy(() => z.object({ ...machine, start: string }));

const sessionRecord: Schema<SessionRecord> = z.lazy(() =>
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
  return withPaths(parse(sessionRecord, text), (path) => resolve(projectRoot, path));
}

const projectRecord: Schema<ProjectRecord> = z.lazy(() =>
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

/** `project.json`. @throws DamagedRecord */
export const parseProjectRecord = (text: string): ProjectRecord => parse(projectRecord, text);

const requestRecord: Schema<RequestRecord> = z.lazy(() =>
  z.object({
    v,
    kind: z.enum(TURN_KINDS),
    queued: flag,
    claimer: identity,
    nonce: string,
    by: orNull(string),
    at: isoTime,
    to: orNull(count),
    covers: z._default(z.array(count), []),
  }),
);

/** `request.json`. @throws DamagedRecord */
export const parseRequestRecord = (text: string): RequestRecord => parse(requestRecord, text);

const launchRecord: Schema<LaunchRecord> = z.lazy(() =>
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

/** `launch.json`. @throws DamagedRecord */
export const parseLaunchRecord = (text: string): LaunchRecord => parse(launchRecord, text);

const cancelRecord: Schema<CancelRecord> = z.lazy(() =>
  z.object({
    v,
    why: z.enum(CANCEL_WHYS),
    reason: orNull(string),
    by: identity,
    at: isoTime,
  }),
);

/** `cancel.json`. @throws DamagedRecord */
export const parseCancelRecord = (text: string): CancelRecord => parse(cancelRecord, text);

const exitRecord: Schema<ExitRecord> = z.lazy(() =>
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

/** `exit.json`. @throws DamagedRecord, also for a file that a full disk cut short */
export const parseExitRecord = (text: string): ExitRecord => parse(exitRecord, text);

const runnerStat = z.lazy(() =>
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
  const { stat, lstart, uptime, ...known } = parse(runnerStat, text);
  // Field 22 counted behind the last ')': the name of a command may hold spaces and parentheses.
  const start = lstart ?? stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  if (!start) throw new DamagedRecord('field stat does not say when the runner started');
  return { identity: { ...known, start }, uptime };
}
