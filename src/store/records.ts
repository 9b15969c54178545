import { isAbsolute, relative, resolve } from 'node:path';
import { isWithin } from '../core/path.ts';
import {
  type CancelRecord,
  type ExitRecord,
  type ForkOrigin,
  type GitState,
  type LaunchRecord,
  type ProcessIdentity,
  type RequestRecord,
  type RunnerRecord,
  SANDBOXES,
  type SessionRecord,
  type TurnKind,
} from '../core/session.ts';
import type { CancelWhy, NotRunWhy } from '../core/status.ts';
import { parseIso } from '../core/time.ts';
import type { ProjectRecord } from './project-record.ts';
import { DamagedRecord } from './read-file.ts';

/*
 * The records of the store, read by hand: these few checks run for every session of every list, where loading a
 * schema library would cost more than all of them. Unknown fields are ignored; what is missing or of another type
 * makes the record damaged.
 */

type Json = Readonly<Record<string, unknown>>;

export function objectOf(text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new DamagedRecord('not valid JSON', { cause: error });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new DamagedRecord('not a JSON object');
}

function bad(key: string): never {
  throw new DamagedRecord(`field ${key} is missing or of the wrong type`);
}

function own(json: Json, key: string): unknown {
  return Object.hasOwn(json, key) ? json[key] : undefined;
}

export function string(json: Json, key: string): string {
  const value = own(json, key);
  return typeof value === 'string' ? value : bad(key);
}

export function nullableString(json: Json, key: string): string | null {
  const value = own(json, key) ?? null;
  return value === null || typeof value === 'string' ? value : bad(key);
}

export function nullableCount(json: Json, key: string): number | null {
  const value = own(json, key) ?? null;
  if (value === null) return null;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : bad(key);
}

function nullableNumber(json: Json, key: string): number | null {
  const value = own(json, key) ?? null;
  if (value === null) return null;
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : bad(key);
}

export function count(json: Json, key: string): number {
  return nullableCount(json, key) ?? bad(key);
}

function strings(json: Json, key: string): string[] {
  const value = own(json, key);
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : bad(key);
}

function counts(json: Json, key: string): number[] {
  const value = own(json, key);
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0)
    ? value
    : bad(key);
}

function time(json: Json, key: string): string {
  const value = string(json, key);
  return parseIso(value) === null ? bad(key) : value;
}

export function oneOf<T extends string>(json: Json, key: string, known: readonly T[]): T {
  const value = own(json, key);
  return known.find((word) => word === value) ?? bad(key);
}

export function nested(json: Json, key: string): Json {
  const value = own(json, key);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : bad(key);
}

/** A record as the text of its file. */
export function encode(record: object): string {
  return `${JSON.stringify(record)}\n`;
}

function gitState(json: Json): GitState {
  return {
    root: string(json, 'root'),
    head: nullableString(json, 'head'),
    branch: nullableString(json, 'branch'),
  };
}

function forkOrigin(json: Json): ForkOrigin {
  return {
    id: string(json, 'id'),
    turn: count(json, 'turn'),
    history_bytes: nullableCount(json, 'history_bytes'),
  };
}

/** A path in or below the root of a project as it is recorded: relative to that, so that the project can move. */
export function recordedPath(path: string, projectRoot: string): string {
  return isWithin(path, projectRoot) ? relative(projectRoot, path) || '.' : path;
}

/** `session.json` of a project with this root. */
export function encodeSession(record: SessionRecord, projectRoot: string): string {
  const { working_dir, git } = record;
  return encode({
    ...record,
    working_dir: recordedPath(working_dir, projectRoot),
    git: git === null ? null : { ...git, root: recordedPath(git.root, projectRoot) },
  });
}

/** `session.json` of a project with this root. @throws DamagedRecord */
export function parseSessionRecord(text: string, projectRoot: string): SessionRecord {
  const json = objectOf(text);
  const git = (own(json, 'git') ?? null) === null ? null : gitState(nested(json, 'git'));
  return {
    v: 1,
    agent: string(json, 'agent'),
    task: string(json, 'task'),
    working_dir: resolve(projectRoot, string(json, 'working_dir')),
    work_in: nullableString(json, 'work_in'),
    model: nullableString(json, 'model'),
    sandbox: oneOf(json, 'sandbox', SANDBOXES),
    agent_args: strings(json, 'agent_args'),
    source: string(json, 'source'),
    tags: strings(json, 'tags'),
    parent: nullableString(json, 'parent'),
    forked_from: (own(json, 'forked_from') ?? null) === null ? null : forkOrigin(nested(json, 'forked_from')),
    git: git === null ? null : { ...git, root: resolve(projectRoot, git.root) },
    executor: oneOf(json, 'executor', ['local']),
    orchestrates: own(json, 'orchestrates') === true,
    created_at: time(json, 'created_at'),
  };
}

function identity(json: Json): ProcessIdentity {
  return {
    host: string(json, 'host'),
    boot_id: string(json, 'boot_id'),
    pid_ns: string(json, 'pid_ns'),
    pid: count(json, 'pid'),
    start: string(json, 'start'),
    uid: count(json, 'uid'),
  };
}

const KINDS: readonly TurnKind[] = ['prompt', 'compact', 'rewind', 'imported', 'external', 'tombstone'];

/** `request.json`. @throws DamagedRecord */
export function parseRequestRecord(text: string): RequestRecord {
  const json = objectOf(text);
  return {
    v: 1,
    kind: oneOf(json, 'kind', KINDS),
    queued: own(json, 'queued') === true,
    claimer: identity(nested(json, 'claimer')),
    nonce: string(json, 'nonce'),
    by: nullableString(json, 'by'),
    at: time(json, 'at'),
    to: nullableCount(json, 'to'),
    covers: own(json, 'covers') === undefined ? [] : counts(json, 'covers'),
  };
}

/** `launch.json`. @throws DamagedRecord */
export function parseLaunchRecord(text: string): LaunchRecord {
  const json = objectOf(text);
  return {
    v: 1,
    argv: strings(json, 'argv'),
    program: string(json, 'program'),
    agent_version: nullableString(json, 'agent_version'),
    thread_id: nullableString(json, 'thread_id'),
    forks: own(json, 'forks') === true,
    how: oneOf(json, 'how', ['fresh', 'native', 'replay']),
    why: nullableString(json, 'why'),
    at: time(json, 'at'),
  };
}

/** Every reason for which a turn can be asked to stop. */
export const CANCELS: readonly CancelWhy[] = [
  'kill',
  'interrupt',
  'withdraw',
  'dependency',
  'limit',
  'never-launched',
];

/** `cancel.json`. @throws DamagedRecord */
export function parseCancelRecord(text: string): CancelRecord {
  const json = objectOf(text);
  return {
    v: 1,
    why: oneOf(json, 'why', CANCELS),
    reason: nullableString(json, 'reason'),
    by: identity(nested(json, 'by')),
    at: time(json, 'at'),
  };
}

const NOT_RUN: readonly NotRunWhy[] = [
  'cancelled',
  'no_working_dir',
  'no_agent',
  'not_launched',
  'spawn_error',
];

/** `exit.json`. @throws DamagedRecord, also for a file that a full disk cut short */
export function parseExitRecord(text: string): ExitRecord {
  const json = objectOf(text);
  return {
    v: 1,
    code: nullableCount(json, 'code'),
    why: nullableString(json, 'why') === null ? null : oneOf(json, 'why', NOT_RUN),
    detail: nullableString(json, 'detail'),
    cancelled: own(json, 'cancelled') === true,
    uptime: nullableNumber(json, 'uptime'),
    ended_at: nullableString(json, 'ended_at'),
    events_bytes: nullableCount(json, 'events_bytes'),
  };
}

/**
 * `runner.stat`, the one record that a shell writes: what the launcher knew of the machine, the runner's pid, and
 * its start as the kernel tells it. @throws DamagedRecord, also for one that was not written to its end
 */
export function parseRunnerStat(text: string): RunnerRecord {
  const json = objectOf(text);
  const lstart = nullableString(json, 'lstart');
  // Field 22 counted behind the last ')': the name of a command may hold spaces and parentheses.
  const stat = lstart === null ? string(json, 'stat') : '';
  const start = lstart ?? stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  if (start === undefined || start === '') bad('stat');
  return { identity: identity({ ...json, start }), uptime: nullableNumber(json, 'uptime') };
}

/** `project.json`. @throws DamagedRecord */
export function parseProjectRecord(text: string): ProjectRecord {
  const json = objectOf(text);
  const path = string(json, 'path');
  if (!isAbsolute(path)) bad('path');
  return {
    v: 1,
    store_id: string(json, 'store_id'),
    path,
    host: string(json, 'host'),
    inode: string(json, 'inode'),
    birth_time: time(json, 'birth_time'),
    created_at: time(json, 'created_at'),
  };
}
