import { z } from 'zod';
import { cutText, type SessionSummary } from '../../core/session.ts';
import { isActive } from '../../core/status.ts';
import { common, status, succeeded } from '../answer.ts';
import { defineTool, READS } from '../tool.ts';

function rowOf(row: SessionSummary) {
  return {
    session_id: row.id,
    session: row.name,
    status: row.status,
    turn: row.turn,
    updated: row.updated_at,
    source: row.source,
    task: row.title,
    latest_message: row.last_message === null ? null : cutText(row.last_message, 200),
    needs_attention: row.needs_attention,
    tokens: row.token_usage?.total_tokens ?? null,
  };
}

/** Lists the sessions of the project. */
export const listSessions = defineTool({
  name: 'list_sessions',
  description:
    'The sessions of this project, newest first: the status and last message of each, and whether it has ended since ' +
    'you looked at it (needs_attention).',
  input: z.strictObject({
    status: status.optional().describe('only these'),
    source: z
      .string()
      .optional()
      .describe('only those started by: user, orchestrator, mcp, or one of them by its full name'),
    limit: z.number().int().min(1).max(500).default(20),
  }),
  output: z.strictObject({
    ...common,
    sessions: z.array(
      z.strictObject({
        session_id: z.string(),
        session: z.string().nullable(),
        status,
        turn: z.number().nullable(),
        updated: z.string().nullable(),
        source: z.string().nullable(),
        task: z.string().nullable(),
        latest_message: z.string().nullable(),
        needs_attention: z.boolean().nullable(),
        tokens: z.number().nullable(),
      }),
    ),
    count: z
      .number()
      .describe('of all that match the filter; listed are the newest of them, and all that are damaged'),
    running: z.number(),
    completed: z.number(),
    needs_attention: z.number(),
    filter: z.strictObject({ status: status.nullable(), source: z.string().nullable() }),
  }),
  annotations: READS,
  async run({ status, source, limit }, { manager }) {
    const statuses = status === undefined ? undefined : [status];
    const rows = await manager.list({ all: true, statuses, source });
    const unseen = rows.find((row) => row.needs_attention);
    return {
      ...succeeded(unseen === undefined ? null : `check_session(session_id="${unseen.id}") has news`),
      sessions: rows.filter(({ status }, i) => i < limit || status === 'damaged').map(rowOf),
      count: rows.length,
      running: rows.filter((row) => isActive(row.status)).length,
      completed: rows.filter((row) => row.status === 'completed').length,
      needs_attention: rows.filter((row) => row.needs_attention).length,
      filter: { status: status ?? null, source: source ?? null },
    };
  },
});
