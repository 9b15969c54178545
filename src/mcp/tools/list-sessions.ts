import { z } from 'zod';
import type { SessionSummary } from '../../core/session.ts';
import { isActive } from '../../core/status.ts';
import {
  common,
  nullableNumber,
  nullableText,
  shortLine,
  standing,
  standingOf,
  status,
  succeeded,
} from '../answer.ts';
import { howMany, text, texts } from '../parameters.ts';
import { defineTool, READS } from '../tool.ts';

const ROW = z.strictObject({
  ...standing,
  session: nullableText,
  agent: nullableText,
  unconfined: z.boolean().nullable().describe('true: nothing keeps its agent within its sandbox'),
  updated: nullableText,
  source: nullableText,
  tags: z.array(z.string()),
  task: nullableText,
  latest_message: nullableText,
  error: nullableText.describe('why it failed'),
  needs_attention: z.boolean().nullable(),
  tokens: nullableNumber,
});

function rowOf(row: SessionSummary, nowMs: number): z.infer<typeof ROW> {
  return {
    ...standingOf(row, nowMs),
    session: row.name,
    agent: row.agent,
    unconfined: row.unconfined,
    updated: row.updated_at,
    source: row.source,
    tags: [...row.tags],
    task: row.title,
    latest_message: shortLine(row.last_message),
    error: shortLine(row.error?.message ?? null),
    needs_attention: row.needs_attention,
    tokens: row.token_usage?.total_tokens ?? null,
  };
}

/** Lists the sessions of the project. */
export const listSessions = defineTool({
  name: 'list_sessions',
  description:
    'Your sessions, and what these started, newest first: the status of each, what it is doing now, its last message, ' +
    'and whether it has ended since you looked at it (needs_attention). source="all" also lists those of others.',
  input: z.strictObject({
    status: z
      .preprocess((word) => (typeof word === 'string' ? word.toLowerCase() : word), status.optional())
      .describe('only those with this status; left out: all'),
    source: text(
      'those started by: mine (you, and what yours started), user, orchestrator, mcp, one of them by its full name, or all; ' +
        'left out: mine',
    ),
    tags: texts('only those with one of these tags; left out: all'),
    limit: howMany('how many to list; left out: the newest 20'),
  }),
  output: z.strictObject({
    ...common,
    sessions: z.array(ROW),
    count: z
      .number()
      .describe('of all that match the filter; listed are the newest of them, and all that are damaged'),
    running: z.number(),
    completed: z.number(),
    needs_attention: z.number(),
    filter: z.strictObject({
      status: status.nullable(),
      source: z.string(),
      tags: z.array(z.string()).nullable(),
    }),
  }),
  annotations: READS,
  async run({ status, source = 'mine', tags, limit = 20 }, { manager }) {
    const statuses = status === undefined ? undefined : [status];
    const now = manager.now();
    const whose = source === 'all' ? undefined : source;
    const rows = await manager.list({ all: true, statuses, source: whose, tags });
    const number = (counts: (row: SessionSummary) => boolean | null) => rows.filter(counts).length;
    const unseen = rows.find((row) => row.needs_attention);
    return {
      ...succeeded(unseen === undefined ? null : `check_session(session_id="${unseen.id}") has news`),
      sessions: rows
        .filter(({ status }, i) => i < limit || status === 'damaged')
        .map((row) => rowOf(row, now)),
      count: rows.length,
      running: number((row) => isActive(row.status)),
      completed: number((row) => row.status === 'completed'),
      needs_attention: number((row) => row.needs_attention),
      filter: { status: status ?? null, source, tags: tags ?? null },
    };
  },
});
