import { join } from 'node:path';
import type { SessionId } from '../core/ids.ts';
import { SESSION_STATUSES, type SessionError, type SessionState, type TokenUsage } from '../core/session.ts';
import { replaceFile } from './files.ts';
import { BUILDING_PREFIX, sessionDir, summaryFile } from './layout.ts';
import { requireOwn } from './own.ts';
import { readSmall, unlessDamaged } from './read-file.ts';
import { count, encode, nested, nullableCount, nullableString, objectOf, oneOf, string } from './records.ts';

/*
 * `summary.json`: how a session stood when its newest turn ended. A cache, read by lists only, and the one file that
 * is replaced. An agent may have written anything into it, so it is read like any other record.
 */

type Json = Readonly<Record<string, unknown>>;

function errorOf(json: Json): SessionError {
  return {
    code: string(json, 'code'),
    message: string(json, 'message'),
    hint: nullableString(json, 'hint'),
    retryable: json['retryable'] === true,
    retry_at: nullableString(json, 'retry_at'),
  };
}

function usageOf(json: Json): TokenUsage {
  return {
    input_tokens: count(json, 'input_tokens'),
    cached_input_tokens: count(json, 'cached_input_tokens'),
    output_tokens: count(json, 'output_tokens'),
    reasoning_output_tokens: nullableCount(json, 'reasoning_output_tokens'),
    total_tokens: count(json, 'total_tokens'),
  };
}

/** How a session stood, and the number of its newest turn then: with a later one it is out of date. */
export interface CachedState extends SessionState {
  readonly newest: number;
}

function parseSummary(text: string, fold: number): CachedState | null {
  const json = objectOf(text);
  if (json['fold'] !== fold) return null;
  const present = (key: string): boolean => (json[key] ?? null) !== null;
  return {
    status: oneOf(json, 'status', SESSION_STATUSES),
    turn: count(json, 'turn'),
    updated_at: nullableString(json, 'updated_at'),
    ended_at: nullableString(json, 'ended_at'),
    duration_ms: nullableCount(json, 'duration_ms'),
    pid: null,
    exit_code: nullableCount(json, 'exit_code'),
    signal: nullableString(json, 'signal'),
    error: present('error') ? errorOf(nested(json, 'error')) : null,
    pending: null,
    thread_id: nullableString(json, 'thread_id'),
    token_usage: present('token_usage') ? usageOf(nested(json, 'token_usage')) : null,
    cost_usd: null,
    last_message: nullableString(json, 'last_message'),
    newest: count(json, 'newest'),
  };
}

/** The cached state of a session, or null when there is none that this version of the fold can use. */
export function readSummary(root: string, id: SessionId, fold: number): CachedState | null {
  // A damaged cache is no cache: the reader computes.
  return unlessDamaged(() => {
    const file = readSmall(summaryFile(root, id));
    return file === null ? null : parseSummary(file.bytes.toString(), fold);
  });
}

/** Replaces the summary of a session. `unique` keeps two writers' temporary files apart. @throws DamagedRecord */
export function writeSummary(
  root: string,
  id: SessionId,
  fold: number,
  state: CachedState,
  unique: string,
): void {
  requireOwn(root, sessionDir(root, id));
  const temporary = join(sessionDir(root, id), `${BUILDING_PREFIX}${unique}`);
  replaceFile(summaryFile(root, id), encode({ v: 1, fold, ...state }), temporary);
}
