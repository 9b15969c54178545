import type { SessionReader, TurnReader } from '../../src/core/conversation/session-reader.ts';
import type { Step } from '../../src/core/conversation/steps.ts';
import type { SessionId } from '../../src/core/ids.ts';
import type { Message, SessionSummary, TurnView } from '../../src/core/session.ts';

/** One row of a list as the manager makes it. */
export function summaryOf(more: Partial<SessionSummary> = {}): SessionSummary {
  return {
    id: 'abcdefghjk' as SessionId,
    project: '/w',
    name: null,
    tags: [],
    metadata: {},
    title: 'say hello',
    task: 'say hello',
    status: 'completed',
    turn: 1,
    last_prompt: 'say hello',
    current_step: null,
    turn_started_at: null,
    queued: 0,
    agent: 'codex',
    model: null,
    sandbox: 'workspace-write',
    unconfined: false,
    working_dir: '/w',
    work_in: null,
    worktree: null,
    source: 'user',
    parent: null,
    forked_from: null,
    created_at: '2026-11-20T10:00:00.000Z',
    unknown_words: [],
    updated_at: '2026-11-20T10:00:05.000Z',
    active_at: more.updated_at === undefined ? '2026-11-20T10:00:05.000Z' : more.updated_at,
    ended_at: '2026-11-20T10:00:05.000Z',
    duration_ms: 5000,
    pid: null,
    exit_code: 0,
    signal: null,
    error: null,
    pending: null,
    thread_id: null,
    model_used: null,
    token_usage: null,
    cost_usd: null,
    cost_at_least: false,
    last_message: 'hello',
    answer_line: 'hello',
    diff_stat: null,
    shared_with: [],
    processes_left: 0,
    needs_attention: null,
    log_file: '/w/.zwarm/events.jsonl',
    ...more,
  };
}

export function turnOf(more: Partial<TurnView> = {}): TurnView {
  return {
    turn: 1,
    kind: 'prompt',
    agent: 'codex',
    by: 'user',
    to: null,
    undone: false,
    covers: [],
    retry: null,
    in_conversation: true,
    prompt: 'say hello',
    status: 'completed',
    started_at: null,
    ended_at: null,
    duration_ms: null,
    exit_code: 0,
    signal: null,
    error: null,
    answer: 'hello',
    token_usage: null,
    cost_usd: null,
    diff_stat: null,
    how: 'fresh',
    replay_reason: null,
    warnings: [],
    log_file: '/w/.zwarm/events.jsonl',
    stderr_file: '/w/.zwarm/stderr.log',
    host: null,
    ...more,
  };
}

/** A turn to be read, of those messages and steps. */
export function readerOf(
  more: Partial<TurnView>,
  {
    messages = [],
    steps = [],
    directory = '/w',
    bytes = 0,
  }: {
    messages?: readonly Message[];
    steps?: readonly Step[];
    directory?: string | undefined;
    bytes?: number;
  } = {},
): TurnReader {
  const view = turnOf(more);
  return {
    view,
    directory,
    bytes: () => bytes,
    messages: () => messages.filter(({ turn }) => turn === view.turn),
    steps: () => steps.map((step, index) => ({ index, step, open: false })),
    newClock: () => () => null,
    whole: () => view,
  };
}

/** A session to be read. */
export function sessionOf(more: Partial<SessionSummary>, turns: readonly TurnReader[]): SessionReader {
  return { summary: summaryOf(more), turns, length: turns.length, changed: null };
}
