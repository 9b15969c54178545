import {
  type CallToolResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { SessionReader } from '../core/conversation/session-reader.ts';
import { toZwarmError } from '../core/errors.ts';
import { isSessionId, parseTurnNumber } from '../core/ids.ts';
import { isFinal } from '../core/status.ts';
import type { SessionManager } from '../manager/session-manager.ts';
import { safeLine } from '../render/text/safe-text.ts';
import { placeOf, turnAnswer, turnOf, withoutNulls } from './answer.ts';
import { whoAsked } from './tool.ts';

/*
 * A client that offers the tasks extension in a request gets a task instead of a wait, and polls it. A turn is such a
 * task already, durable before it has a name, so nothing else stores tasks.
 */

function taskOf(session: SessionReader, number: number) {
  const { id, created_at, updated_at, duration_ms, current_step: step } = session.summary;
  const turn = turnOf(session, number).whole();
  const created = turn.started_at ?? created_at ?? '';
  const doing = turn.status === 'running' && step !== null ? `; ${safeLine(step)}` : '';
  const wasCancelled = turn.status === 'killed' && turn.answer === null;
  return {
    taskId: `${id}.${turn.turn}`,
    // A turn that has failed is a completed task: its result says so.
    status: !isFinal(turn.status) ? 'working' : wasCancelled ? 'cancelled' : 'completed',
    statusMessage: `turn ${turn.turn} of ${id}: ${turn.status}${doing}`,
    createdAt: created,
    lastUpdatedAt: updated_at ?? created,
    // Nothing is deleted by itself.
    ttlMs: null,
    // The longer a session has worked, the less often a client should poll.
    pollIntervalMs: (duration_ms ?? 0) < 60_000 ? 2000 : 10_000,
  };
}

/** What the call that began this turn would have answered: `delegate` begins first turns, `converse` all others. */
async function resultOf(
  manager: SessionManager,
  session: SessionReader,
  turn: number,
): Promise<CallToolResult> {
  const { summary } = session;
  const place = turn === 1 ? placeOf(summary, manager.projectRoot()) : {};
  const budget = await manager.budgetLeft(summary.id);
  const answer = withoutNulls({ ...turnAnswer(session, turn, budget), ...place, ...whoAsked(manager) });
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
}

/** The answer of a call whose turn is still running, as a task to poll. */
export async function asTask(manager: SessionManager, result: CallToolResult, id: string, turn: number) {
  return { ...result, resultType: 'task', ...taskOf(await manager.read(id, { turn }), turn) };
}

/** The turn that a task stands for, with its session. @throws ProtocolError where there is none */
async function readTask(manager: SessionManager, taskId: string) {
  const message = `there is no task ${JSON.stringify(taskId)}`;
  const noTask = new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  const [id = '', number = '', ...rest] = taskId.split('.');
  const turn = parseTurnNumber(number);
  if (!isSessionId(id) || turn === null || rest.length > 0) throw noTask;
  const session = await manager.read(id, { turn }).catch((error: unknown) => {
    throw ['not_found', 'usage'].includes(toZwarmError(error).code) ? noTask : error;
  });
  return { id, session, turn };
}

const PARAMS = { params: z.object({ taskId: z.string() }) };

/** Serves `tasks/get` and `tasks/cancel`. */
export function serveTasks(
  { server }: McpServer,
  managerFor: (context: ServerContext) => Promise<SessionManager>,
): void {
  server.setRequestHandler('tasks/get', PARAMS, async ({ taskId }, context) => {
    const manager = await managerFor(context);
    const { id, session, turn } = await readTask(manager, taskId);
    const task = taskOf(session, turn);
    if (task.status !== 'completed') return task;
    await manager.markSeen(id, turn);
    return { ...task, result: await resultOf(manager, session, turn) };
  });
  server.setRequestHandler('tasks/cancel', PARAMS, async ({ taskId }, context) => {
    const manager = await managerFor(context);
    const { id, session, turn } = await readTask(manager, taskId);
    // The session may be running another turn, which this task does not stand for.
    const isCurrent = turn === session.summary.turn && !isFinal(turnOf(session, turn).view.status);
    if (!isCurrent) return {};
    await manager.kill(id, { reason: 'the task was cancelled' });
    await manager.markSeen(id, turn);
    return {};
  });
}
