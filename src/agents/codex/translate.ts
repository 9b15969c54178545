import type { FileEdit, LineParser, StepStatus, Untold } from '../../core/events.ts';
import {
  boolean,
  count,
  isObject,
  type Json,
  list,
  object,
  optionalNumber,
  optionalString,
  optionalStrings,
  string,
  unlessMisshapen,
} from '../fields.ts';
import { createJsonLineParser } from '../json-lines.ts';
import { isCodexThreadId } from './command.ts';
import { innerMessage } from './explain.ts';
import { createLegacyTranslator } from './legacy.ts';

const STATUSES: Readonly<Record<string, StepStatus>> = {
  in_progress: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  declined: 'declined',
};
const KINDS: Readonly<Record<string, FileEdit['kind']>> = { add: 'add', update: 'update', delete: 'delete' };

function lookUp<T>(table: Readonly<Record<string, T>>, key: string | undefined): T | undefined {
  return key !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}

const byPhase = (phase: string): StepStatus => (phase === 'item.completed' ? 'completed' : 'in_progress');

function statusOf(item: Json, phase: string): StepStatus {
  return lookUp(STATUSES, optionalString(item, 'status') ?? undefined) ?? byPhase(phase);
}

/** Reads one item, or throws where it does not have the shape of its type. */
type ItemReader = (item: Json, id: string, phase: string) => Untold;

function errorOf({ error }: Json): string | null {
  return isObject(error) && typeof error['message'] === 'string' ? error['message'] : null;
}

const READ_ITEM: Readonly<Record<string, ItemReader>> = {
  agent_message: (item) => ({ type: 'message', text: string(item, 'text') }),
  reasoning: (item) => ({ type: 'reasoning', text: string(item, 'text') }),
  command_execution(item, id, phase) {
    const status = statusOf(item, phase);
    const output = optionalString(item, 'aggregated_output');
    return {
      type: 'command',
      id,
      command: string(item, 'command'),
      // Codex prints no output of a command before its end.
      output: status === 'in_progress' ? null : output,
      exitCode: optionalNumber(item, 'exit_code'),
      status,
    };
  },
  file_change: (item, id, phase) => ({
    type: 'file_change',
    id,
    changes: list(item, 'changes', (change) => ({
      path: string(change, 'path'),
      kind: lookUp(KINDS, string(change, 'kind')) ?? 'unknown',
    })),
    status: statusOf(item, phase),
  }),
  mcp_tool_call: (item, id, phase) => ({
    type: 'tool_call',
    id,
    name: `${string(item, 'server')}.${string(item, 'tool')}`,
    args: item['arguments'] ?? null,
    result: item['result'] ?? errorOf(item),
    status: statusOf(item, phase),
  }),
  collab_tool_call: (item, id, phase) => ({
    type: 'tool_call',
    id,
    name: string(item, 'tool'),
    args: {
      prompt: item['prompt'] === null ? null : optionalString(item, 'prompt'),
      receiver_thread_ids: optionalStrings(item, 'receiver_thread_ids'),
    },
    result: item['agents_states'] ?? null,
    status: statusOf(item, phase),
  }),
  web_search: (item, id, phase) => ({
    type: 'tool_call',
    id,
    name: 'web_search',
    args: { query: optionalString(item, 'query'), action: item['action'] ?? null },
    result: null,
    // Codex gives it none.
    status: byPhase(phase),
  }),
  todo_list: (item, id) => ({
    type: 'plan',
    id,
    items: list(item, 'items', (one) => ({
      text: string(one, 'text'),
      completed: boolean(one, 'completed'),
    })),
  }),
  error: (item) => ({ type: 'warning', message: string(item, 'message') }),
};

/** Up to 0.58 Codex counted usage per process; a version that nobody could tell is taken for a newer one. */
function countsPerProcess(agentVersion: string | null): boolean {
  const match = /(\d+)\.(\d+)\.\d+/.exec(agentVersion ?? '');
  return match !== null && Number(match[1]) === 0 && Number(match[2]) <= 58;
}

const RECONNECTING = /^Reconnecting\.\.\./;

function readThread(json: Json): Untold | null {
  const threadId = string(json, 'thread_id');
  // A name that Codex cannot have given is none: it would become an argument of the next turn.
  return isCodexThreadId(threadId) ? { type: 'thread_started', threadId, model: null } : null;
}

function readItem(json: Json, phase: string): Untold | 'unknown' {
  const item = object(json, 'item');
  const id = string(item, 'id');
  const read = lookUp(READ_ITEM, string(item, 'type'));
  return read === undefined ? 'unknown' : read(item, id, phase);
}

function readUsage({ usage: told }: Json, cumulative: boolean): Untold[] {
  if (told === undefined || told === null) return [];
  const usage = object({ told }, 'told');
  const reasoning = usage['reasoning_output_tokens'];
  const report = {
    input: count(usage, 'input_tokens'),
    cachedInput: count(usage, 'cached_input_tokens'),
    output: count(usage, 'output_tokens'),
    // Newer than 0.104.
    reasoning: reasoning === undefined ? null : count(usage, 'reasoning_output_tokens'),
    cumulative,
    costUsd: null,
  };
  return [{ type: 'usage', usage: report }];
}

/** What an event of a known type tells, or throws where it does not have the shape of its type. */
function readEvent(type: string, json: Json, cumulative: boolean): Untold[] | 'unknown' | 'malformed' {
  switch (type) {
    case 'thread.started': {
      const event = readThread(json);
      return event === null ? 'malformed' : [event];
    }
    case 'turn.started':
      return [{ type: 'turn_started' }];
    case 'item.started':
    case 'item.updated':
    case 'item.completed': {
      const event = readItem(json, type);
      return event === 'unknown' ? event : [event];
    }
    case 'turn.completed':
      return [...readUsage(json, cumulative), { type: 'turn_completed' }];
    case 'turn.failed':
      return [{ type: 'turn_failed', message: innerMessage(string(object(json, 'error'), 'message')) }];
    case 'error': {
      const message = innerMessage(string(json, 'message'));
      return [RECONNECTING.test(message) ? { type: 'retry', message } : { type: 'warning', message }];
    }
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
    if (!isObject(json)) return 'malformed';
    const { type } = json;
    if (typeof type !== 'string') return legacy(json);
    return unlessMisshapen(() => readEvent(type, json, cumulative)) ?? 'malformed';
  });
}
