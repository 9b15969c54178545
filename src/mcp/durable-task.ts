import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ZwarmError } from '../core/errors.ts';
import { isSessionId, parseTurnNumber, type SessionId } from '../core/ids.ts';
import type { SessionDetail, TurnView } from '../core/session.ts';
import { isFinal } from '../core/status.ts';
import type { SessionManager } from '../manager/session-manager.ts';
import { turnAnswer, turnOf } from './answer.ts';

/*
 * The tasks extension (SEP-2663, revision 2026-07-28): a client that offers it in a request gets a task instead of a
 * wait, and polls it. A turn is such a task already, durable before it is named: there is no second store of them.
 */

export const TASKS = 'io.modelcontextprotocol/tasks';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** Whether the client takes a task as the answer to this request. */
export function takesTasks({ mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const capabilities = envelope?.[CAPABILITIES] as { extensions?: object } | undefined;
  return Object.hasOwn(capabilities?.extensions ?? {}, TASKS);
}

/** The longer it takes, the less often it is worth asking. */
function pollIntervalMs({ duration_ms: ms }: SessionDetail): number {
  return (ms ?? 0) < 60_000 ? 2000 : 10_000;
}

function taskOf(session: SessionDetail, turn: TurnView) {
  const { id, created_at, updated_at } = session;
  const ended = isFinal(turn.status);
  const created = turn.started_at ?? created_at ?? '';
  return {
    taskId: `${id}.${turn.turn}`,
    // A turn that has failed is a task that has completed: its answer says so.
    status: !ended ? 'working' : turn.status === 'killed' ? 'cancelled' : 'completed',
    statusMessage: `turn ${turn.turn} of ${id}: ${turn.status}`,
    createdAt: created,
    lastUpdatedAt: updated_at ?? created,
    // Nothing is deleted by itself.
    ttlMs: null,
    pollIntervalMs: pollIntervalMs(session),
  };
}

/** The answer that the call which began a turn would have got at its end: `delegate` begins first turns, `converse` all others. */
function resultOf(session: SessionDetail, turn: TurnView): CallToolResult {
  const asked = turn.turn === 1 ? { mode: 'sync', task: turn.prompt ?? '' } : { you_said: turn.prompt ?? '' };
  const answer = { ...turnAnswer(session, turn), ...asked };
  return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
}

/** An answer about a turn that runs, as the task to ask for; the answer itself stays with it. */
export async function asTask(
  manager: SessionManager,
  result: CallToolResult,
  id: SessionId,
  turn: number,
): Promise<CallToolResult> {
  const session = await manager.get(id, { turn });
  return { ...result, resultType: 'task', ...taskOf(session, turnOf(session, turn)) };
}

/** The turn that the name of a task stands for. @throws ZwarmError `not_found` */
function parseTask(taskId: string): { id: SessionId; turn: number } {
  const [id = '', number = '', ...rest] = taskId.split('.');
  const turn = parseTurnNumber(number);
  if (isSessionId(id) && turn !== null && rest.length === 0) return { id, turn };
  throw new ZwarmError('not_found', `there is no task ${JSON.stringify(taskId)}`);
}

const PARAMS = { params: z.object({ taskId: z.string() }) };

/** Answers the questions about tasks, and ends the turn of one that is cancelled. */
export function serveTasks(
  { server }: McpServer,
  managerFor: (context: ServerContext) => Promise<SessionManager>,
): void {
  server.setRequestHandler('tasks/get', PARAMS, async ({ taskId }, context) => {
    const { id, turn: number } = parseTask(taskId);
    const session = await (await managerFor(context)).get(id, { turn: number });
    const turn = turnOf(session, number);
    const task = taskOf(session, turn);
    return task.status === 'completed' ? { ...task, result: resultOf(session, turn) } : task;
  });
  server.setRequestHandler('tasks/cancel', PARAMS, async ({ taskId }, context) => {
    const { id, turn } = parseTask(taskId);
    const manager = await managerFor(context);
    const session = await manager.get(id, { turn });
    // Another turn may run by now, which nobody wants to end.
    if (!isFinal(turnOf(session, turn).status)) await manager.kill(id, { reason: 'the task was cancelled' });
    return {};
  });
}
