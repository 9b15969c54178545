import { z } from 'zod';
import { ZwarmError } from '../../core/errors.ts';
import { parseSources } from '../../core/rules/source.ts';
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
  unconfined,
  withoutNulls,
} from '../answer.ts';
import { howMany, tagList } from '../parameters.ts';
import { defineTool, READS } from '../tool.ts';

const ROW = z.strictObject({
  ...standing,
  agent: nullableText,
  unconfined,
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
    agent: row.agent,
    unconfined: row.unconfined || null,
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

const SOURCES = "mine (default), user, orchestrator, mcp, a caller's full name, or all";

function isSource(source: string): boolean {
  try {
    return source === 'all' || parseSources(source, '').length > 0;
  } catch (error) {
    if (error instanceof ZwarmError) return false;
    throw error;
  }
}

/** Lists the sessions of the project. */
export const listSessions = defineTool({
  name: 'list_sessions',
  description:
    'Your sessions and those they started, newest first: status, what each does now, its last message, whether it ' +
    'ended unseen.',
  input: z.strictObject({
    status: z.preprocess((word) => (typeof word === 'string' ? word.toLowerCase() : word), status.optional()),
    source: z.string().refine(isSource, SOURCES).optional().describe(SOURCES),
    tags: tagList,
    limit: howMany('default: 20'),
  }),
  output: z.strictObject({
    ...common,
    sessions: z.array(ROW.partial()),
    count: z
      .number()
      .describe('of all that match the filter; listed are the newest of them, and all that are damaged'),
    running: z.number(),
    completed: z.number(),
    needs_attention: z.number(),
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
        .map((row) => withoutNulls(rowOf(row, now))),
      count: rows.length,
      running: number((row) => isActive(row.status)),
      completed: number((row) => row.status === 'completed'),
      needs_attention: number((row) => row.needs_attention),
    };
  },
});
