import type { SessionId } from '../../core/ids.ts';
import { needsAttention } from '../../core/rules/attention.ts';
import {
  cutText,
  type RecordSummary,
  type SessionRecord,
  type SessionState,
  type SessionSummary,
  titleOf,
} from '../../core/session.ts';
import { turnFile } from '../../store/layout.ts';
import type { Store } from '../context.ts';

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

/** One row of a list: what was asked for, and how it stands. */
export function rowOf(store: Store, id: SessionId, listed: RecordSummary & SessionState): SessionSummary {
  return {
    id,
    project: store.projectRoot,
    name: store.names.get(id) ?? null,
    ...listed,
    queued: 0,
    needs_attention: needsAttention(listed, store.seen && (store.seen.get(id) ?? 0)),
    log_file: listed.turn === null ? null : turnFile(store.root, id, listed.turn, 'events'),
  };
}
