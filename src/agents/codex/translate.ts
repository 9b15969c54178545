import { decodeOrNull, type Schema } from '../../core/decode.ts';
import type { LineParser, StepStatus, Untold } from '../../core/events.ts';
import { createJsonLineParser } from '../json-lines.ts';
import { isCodexThreadId } from './command.ts';
import { innerMessage } from './explain.ts';
import { createLegacyTranslator } from './legacy.ts';
import * as schema from './schema.ts';

type Translation = readonly Untold[] | 'unknown' | 'malformed';
type Phase = 'item.started' | 'item.updated' | 'item.completed';

const byPhase = (phase: Phase): StepStatus => (phase === 'item.completed' ? 'completed' : 'in_progress');

function statusOf({ status }: { status: StepStatus | 'by_phase' }, phase: Phase): StepStatus {
  return status === 'by_phase' ? byPhase(phase) : status;
}

/** What one item means; null where it does not have the shape of its type. */
type ItemReader = (item: unknown, id: string, phase: Phase) => Untold | null;

function reader<T>(of: Schema<T>, toEvent: (item: T, id: string, phase: Phase) => Untold): ItemReader {
  return (json, id, phase) => {
    const item = decodeOrNull(of, json);
    return item === null ? null : toEvent(item, id, phase);
  };
}

const READERS: ReadonlyMap<string, ItemReader> = new Map([
  ['agent_message', reader(schema.spoken, ({ text }) => ({ type: 'message', text }))],
  ['reasoning', reader(schema.spoken, ({ text }) => ({ type: 'reasoning', text }))],
  [
    'command_execution',
    reader(schema.commandExecution, (item, id, phase) => {
      const status = statusOf(item, phase);
      // Codex prints no output of a command before its end.
      const output = status === 'in_progress' ? null : (item.aggregated_output ?? null);
      return { type: 'command', id, command: item.command, output, exitCode: item.exit_code, status };
    }),
  ],
  [
    'file_change',
    reader(schema.fileChange, (item, id, phase) => ({
      type: 'file_change',
      id,
      changes: item.changes,
      status: statusOf(item, phase),
    })),
  ],
  [
    'mcp_tool_call',
    reader(schema.mcpToolCall, (item, id, phase) => ({
      type: 'tool_call',
      id,
      name: `${item.server}.${item.tool}`,
      args: item.arguments ?? null,
      result: item.result ?? item.error?.message ?? null,
      status: statusOf(item, phase),
    })),
  ],
  [
    'collab_tool_call',
    reader(schema.collabToolCall, (item, id, phase) => ({
      type: 'tool_call',
      id,
      name: item.tool,
      args: { prompt: item.prompt, receiver_thread_ids: item.receiver_thread_ids },
      result: item.agents_states ?? null,
      status: statusOf(item, phase),
    })),
  ],
  [
    'web_search',
    reader(schema.webSearch, ({ query, action }, id, phase) => ({
      type: 'tool_call',
      id,
      name: 'web_search',
      args: { query: query ?? null, action: action ?? null },
      result: null,
      // Codex gives it none.
      status: byPhase(phase),
    })),
  ],
  ['todo_list', reader(schema.todoList, ({ items }, id) => ({ type: 'plan', id, items }))],
  ['error', reader(schema.errorItem, ({ message }) => ({ type: 'warning', message }))],
]);

function readItem(json: unknown, phase: Phase): Translation {
  const known = decodeOrNull(schema.anyItem, json);
  if (known === null) return 'malformed';
  const read = READERS.get(known.type);
  if (read === undefined) return 'unknown';
  const event = read(json, known.id, phase);
  return event === null ? 'malformed' : [event];
}

/** Up to 0.58 Codex counted usage per process; an unknown version is taken for a newer one. */
function countsPerProcess(agentVersion: string | null): boolean {
  const match = /(\d+)\.(\d+)\.\d+/.exec(agentVersion ?? '');
  return match !== null && Number(match[1]) === 0 && Number(match[2]) <= 58;
}

const RECONNECTING = /^Reconnecting\.\.\./;

function readThread(json: unknown): Translation {
  const threadId = decodeOrNull(schema.threadStarted, json)?.thread_id ?? '';
  // A name that Codex cannot have given is none: it would become an argument of the next turn.
  return isCodexThreadId(threadId) ? [{ type: 'thread_started', threadId, model: null }] : 'malformed';
}

function readEnd(json: unknown, cumulative: boolean): Translation {
  const end = decodeOrNull(schema.turnCompleted, json);
  if (end === null) return 'malformed';
  if (end.usage === null) return [{ type: 'turn_completed' }];
  const usage = {
    input: end.usage.input_tokens,
    cachedInput: end.usage.cached_input_tokens,
    output: end.usage.output_tokens,
    reasoning: end.usage.reasoning_output_tokens,
    cumulative,
    costUsd: null,
  };
  return [{ type: 'usage', usage }, { type: 'turn_completed' }];
}

function readFailure(json: unknown): Translation {
  const failure = decodeOrNull(schema.turnFailed, json);
  return failure === null
    ? 'malformed'
    : [{ type: 'turn_failed', message: innerMessage(failure.error.message) }];
}

function readError(json: unknown): Translation {
  const error = decodeOrNull(schema.streamError, json);
  if (error === null) return 'malformed';
  const message = innerMessage(error.message);
  return [RECONNECTING.test(message) ? { type: 'retry', message } : { type: 'warning', message }];
}

/** What an event means; malformed where it does not have the shape of its type. */
function readEvent(type: string, json: object, cumulative: boolean): Translation {
  switch (type) {
    case 'thread.started':
      return readThread(json);
    case 'turn.started':
      return [{ type: 'turn_started' }];
    case 'item.started':
    case 'item.updated':
    case 'item.completed':
      return readItem('item' in json ? json.item : undefined, type);
    case 'turn.completed':
      return readEnd(json, cumulative);
    case 'turn.failed':
      return readFailure(json);
    case 'error':
      return readError(json);
    default:
      return 'unknown';
  }
}

/**
 * A parser for the stream of one `codex exec --json` process, 0.58 to 0.169, and of older ones. A known event of the
 * wrong shape is malformed and not taken for an unknown one; fields that we do not use are not looked at.
 */
export function createCodexParser(agentVersion: string | null): LineParser {
  const cumulative = !countsPerProcess(agentVersion);
  const legacy = createLegacyTranslator();
  return createJsonLineParser((json) => {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) return 'malformed';
    if (!('type' in json) || typeof json.type !== 'string') return legacy(json);
    return readEvent(json.type, json, cumulative);
  });
}
