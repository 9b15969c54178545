import { constants, lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SessionId } from '../core/ids.ts';
import {
  type ForkOrigin,
  type RecordSummary,
  SANDBOXES,
  type Sandbox,
  type SessionError,
  type SessionState,
  type TokenUsage,
} from '../core/session.ts';
import { isFinal, type TurnStatus } from '../core/status.ts';
import { replaceFile } from './files.ts';
import { BUILDING_PREFIX, sessionDir, sessionFile, summaryFile, turnDir } from './layout.ts';
import { readBeginning } from './read-file.ts';
import { encode, objectOf, recordedPath } from './records.ts';
import type { SessionStore } from './sessions.ts';

/*
 * `summary.json`: all that a list shows of a session, as it stood when its newest turn ended. A cache, read by lists
 * only, and the one file that is replaced. An agent may have written anything into it.
 *
 * Reading it is the fast path of `ls`, which may do so ten thousand times: one small file is opened, and two looks tell
 * whether it is current. Nobody asks what kind of file it is, one buffer serves for all, the text is ASCII, which needs
 * no decoding, and what was parsed is checked where it is, not copied. Whatever is unusual makes it no summary: then
 * the reader computes.
 */

/** By what `session.json` is known to be what it was. */
export interface RecordVersion {
  readonly bytes: number;
  readonly mtime_ms: number;
}

/** What a list shows of a session, and what tells whether that is current. */
export interface Summary extends RecordSummary, SessionState {
  /** The number of the newest turn. */
  readonly newest: number;
  readonly record: RecordVersion;
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Whether a value is an object with these many fields and no more: they would be shown with ours. */
function isObjectOf(fields: number, value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.keys(value).length === fields;
}

function isVersion(value: unknown): value is RecordVersion {
  return isObjectOf(2, value) && isCount(value['bytes']) && typeof value['mtime_ms'] === 'number';
}

function isFork(value: unknown): value is Pick<ForkOrigin, 'id' | 'turn'> {
  return isObjectOf(2, value) && isString(value['id']) && isCount(value['turn']);
}

/** A text of at most so many characters, as those that we write are. */
function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length <= longest;
}

const LONGEST_TITLE = 96;
const LONGEST_LISTED = 500;
const LONGEST_FAILURE = 4096;
/** Of names, paths and the like. */
const LONGEST_NAME = 4096;

const MOST_TAGS = 100;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const isTime = (value: unknown): boolean => typeof value === 'string' && TIME.test(value);

function isError(value: unknown): value is SessionError {
  return (
    isObjectOf(5, value) &&
    isString(value['code']) &&
    isText(value['message'], LONGEST_FAILURE) &&
    (value['hint'] === null || isText(value['hint'], LONGEST_FAILURE)) &&
    typeof value['retryable'] === 'boolean' &&
    (value['retry_at'] === null || isString(value['retry_at']))
  );
}

function isUsage(value: unknown): value is TokenUsage {
  return (
    isObjectOf(5, value) &&
    isCount(value['input_tokens']) &&
    isCount(value['cached_input_tokens']) &&
    isCount(value['output_tokens']) &&
    (value['reasoning_output_tokens'] === null || isCount(value['reasoning_output_tokens'])) &&
    isCount(value['total_tokens'])
  );
}

type Json = ReturnType<typeof objectOf>;

function isRecordSummary(json: Json): boolean {
  return (
    Array.isArray(json['tags']) &&
    json['tags'].length <= MOST_TAGS &&
    json['tags'].every((tag) => isText(tag, LONGEST_LISTED)) &&
    isText(json['title'], LONGEST_TITLE) &&
    isText(json['task'], LONGEST_LISTED) &&
    isText(json['agent'], LONGEST_NAME) &&
    (json['model'] === null || isText(json['model'], LONGEST_NAME)) &&
    SANDBOXES.includes(json['sandbox'] as Sandbox) &&
    isText(json['working_dir'], LONGEST_NAME) &&
    (json['work_in'] === null || isText(json['work_in'], LONGEST_NAME)) &&
    isText(json['source'], LONGEST_NAME) &&
    (json['parent'] === null || isText(json['parent'], LONGEST_NAME)) &&
    (json['forked_from'] === null || isFork(json['forked_from'])) &&
    isTime(json['created_at'])
  );
}

/** Only of what has ended: no process is believed to live on the word of a cache. */
function isFinalState(json: Json): boolean {
  return (
    isFinal(json['status'] as TurnStatus) &&
    isCount(json['turn']) &&
    isTime(json['updated_at']) &&
    (json['ended_at'] === null || isTime(json['ended_at'])) &&
    (json['duration_ms'] === null || isCount(json['duration_ms'])) &&
    json['pid'] === null &&
    (json['exit_code'] === null || isCount(json['exit_code'])) &&
    (json['signal'] === null || isString(json['signal'])) &&
    (json['error'] === null || isError(json['error'])) &&
    json['pending'] === null &&
    (json['thread_id'] === null || isString(json['thread_id'])) &&
    (json['token_usage'] === null || isUsage(json['token_usage'])) &&
    json['cost_usd'] === null &&
    (json['last_message'] === null || isText(json['last_message'], LONGEST_LISTED))
  );
}

function isSummary(json: Json, fold: number): json is Json & Summary {
  return (
    json['fold'] === fold &&
    isCount(json['newest']) &&
    isVersion(json['record']) &&
    isRecordSummary(json) &&
    isFinalState(json) &&
    (json['turn'] as number) >= 1 &&
    (json['turn'] as number) <= json['newest']
  );
}

const IF_ANY = { throwIfNoEntry: false } as const;
const READABLE = constants.S_IFREG | constants.S_IRUSR;

/** Whether there still is the record of which a summary was made: a regular file that we may read. */
function isUnchanged(path: string, { bytes, mtime_ms }: RecordVersion): boolean {
  const stat = lstatSync(path, IF_ANY);
  return (
    stat !== undefined &&
    stat.size === bytes &&
    stat.mtimeMs === mtime_ms &&
    (stat.mode & (constants.S_IFMT | constants.S_IRUSR)) === READABLE
  );
}

/** Hardly a summary that we write comes near this; one that does is not believed, and computed. */
const LONGEST = 1 << 16;

/**
 * Reads the summaries of a store: what a list shows of a session, or null where no summary tells that which is current
 * and of this version of the fold. That the session is a real directory, its caller knows.
 */
export function createSummaryReader(
  { root, projectRoot }: SessionStore,
  fold: number,
): (id: SessionId) => Summary | null {
  const buffer = Buffer.allocUnsafeSlow(LONGEST);
  return (id) => {
    try {
      const length = readBeginning(summaryFile(root, id), buffer);
      if (length === LONGEST) return null;
      const json = objectOf(buffer.toString('latin1', 0, length));
      if (!isSummary(json, fold)) return null;
      // Anything in the place of the next turn, a tombstone or damage too.
      if (lstatSync(turnDir(root, id, json.newest + 1), IF_ANY) !== undefined) return null;
      if (!isUnchanged(sessionFile(root, id), json.record)) return null;
      return { ...json, working_dir: resolve(projectRoot, json.working_dir ?? '') };
    } catch {
      // Missing, closed, no JSON: whoever computes meets again what else is in the way, and tells it.
      return null;
    }
  };
}

/** The same text of a JSON document in ASCII. */
function asciiJson(json: string): string {
  return json.replace(/[\x80-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Replaces the summary of a session. `unique` keeps two writers' temporary files apart. @throws DamagedRecord */
export function writeSummary(
  { root, projectRoot }: SessionStore,
  id: SessionId,
  fold: number,
  summary: Summary,
  unique: string,
): void {
  const working_dir = recordedPath(summary.working_dir ?? '', projectRoot);
  const recorded = { v: 1, fold, ...summary, working_dir };
  const temporary = `${sessionDir(root, id)}/${BUILDING_PREFIX}${unique}`;
  replaceFile(summaryFile(root, id), asciiJson(encode(recorded)), temporary);
}
