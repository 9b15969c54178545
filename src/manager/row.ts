import type { SessionId } from '../core/ids.ts';
import { needsAttention } from '../core/rules/attention.ts';
import {
  cutText,
  type RecordSummary,
  type SessionRecord,
  type SessionState,
  type SessionSummary,
  titleOf,
} from '../core/session.ts';
import { turnFile } from '../store/layout.ts';
import type { Store } from './context.ts';

/** What a list shows of the record of a session. */
export function recordSummaryOf(record: SessionRecord): RecordSummary {
  const { forked_from: fork } = record;
  return {
    tags: record.tags,
    title: titleOf(record.task),
    task: cutText(record.task),
    agent: record.agent,
    model: record.model,
    sandbox: record.sandbox,
    working_dir: record.working_dir,
    work_in: record.work_in,
    source: record.source,
    parent: record.parent,
    forked_from: fork === null ? null : { id: fork.id, turn: fork.turn },
    created_at: record.created_at,
  };
}

/** One row of a list: what was asked for, and how it stands. Field by field: a list copies ten thousand of them. */
export function rowOf(
  store: Store,
  id: SessionId,
  requested: RecordSummary,
  state: SessionState,
): SessionSummary {
  return {
    id,
    project: store.projectRoot,
    name: store.names.get(id) ?? null,
    tags: requested.tags,
    title: requested.title,
    task: requested.task,
    queued: 0,
    agent: requested.agent,
    model: requested.model,
    sandbox: requested.sandbox,
    working_dir: requested.working_dir,
    work_in: requested.work_in,
    source: requested.source,
    parent: requested.parent,
    forked_from: requested.forked_from,
    created_at: requested.created_at,
    status: state.status,
    turn: state.turn,
    updated_at: state.updated_at,
    ended_at: state.ended_at,
    duration_ms: state.duration_ms,
    pid: state.pid,
    exit_code: state.exit_code,
    signal: state.signal,
    error: state.error,
    pending: state.pending,
    thread_id: state.thread_id,
    token_usage: state.token_usage,
    cost_usd: state.cost_usd,
    last_message: state.last_message,
    needs_attention: needsAttention(state, store.seen && (store.seen.get(id) ?? 0)),
    log_file: state.turn === null ? null : turnFile(store.root, id, state.turn, 'events'),
  };
}
