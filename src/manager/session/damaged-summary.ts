import type { SessionId } from '../../core/ids.ts';
import type { SessionSummary } from '../../core/session.ts';
import type { Store } from '../context.ts';

/** The row of a session whose records cannot be read: visible, with nothing invented. */
export function damagedSummary(store: Store, id: SessionId, reason: string): SessionSummary {
  return {
    id,
    project: store.projectRoot,
    name: store.names.get(id) ?? null,
    tags: [],
    title: null,
    task: null,
    queued: 0,
    agent: null,
    model: null,
    sandbox: null,
    working_dir: null,
    work_in: null,
    source: null,
    parent: null,
    forked_from: null,
    created_at: null,
    status: 'damaged',
    turn: null,
    updated_at: null,
    ended_at: null,
    duration_ms: null,
    pid: null,
    exit_code: null,
    signal: null,
    error: {
      code: 'damaged',
      message: `its records cannot be read: ${reason}`,
      hint: `look at its files, or remove it: zwarm rm ${id}`,
      retryable: false,
      retry_at: null,
    },
    pending: null,
    thread_id: null,
    token_usage: null,
    cost_usd: null,
    last_message: null,
    needs_attention: null,
    log_file: null,
  };
}
