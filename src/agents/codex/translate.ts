import type { FileEdit, LineParser, StepStatus, Untold } from '../../core/events.ts';
import { createJsonLineParser } from '../json-lines.ts';
import { innerMessage } from './explain.ts';
import { createLegacyTranslator } from './legacy.ts';
import { EVENTS, ITEMS } from './schema.ts';

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

/** Reads one item, or null when it does not have the shape of its type. */
type ItemReader = (raw: unknown, id: string, status: StepStatus) => Untold | null;

interface Schema<T> {
  safeParse(raw: unknown): { success: true; data: T } | { success: false };
}

function reader<T>(schema: Schema<T>, tell: (item: T, id: string, status: StepStatus) => Untold): ItemReader {
  return (raw, id, status) => {
    const parsed = schema.safeParse(raw);
    return parsed.success ? tell(parsed.data, id, status) : null;
  };
}

const READ_ITEM: Readonly<Record<string, ItemReader>> = {
  agent_message: reader(ITEMS.agent_message, ({ text }) => ({ type: 'message', text })),
  reasoning: reader(ITEMS.reasoning, ({ text }) => ({ type: 'reasoning', text })),
  command_execution: reader(ITEMS.command_execution, (item, id, status) => ({
    type: 'command',
    id,
    command: item.command,
    // Codex prints no output of a command before its end.
    output: status === 'in_progress' ? null : (item.aggregated_output ?? null),
    exitCode: item.exit_code ?? null,
    status,
  })),
  file_change: reader(ITEMS.file_change, (item, id, status) => ({
    type: 'file_change',
    id,
    changes: item.changes.map(({ path, kind }) => ({ path, kind: lookUp(KINDS, kind) ?? 'unknown' })),
    status,
  })),
  mcp_tool_call: reader(ITEMS.mcp_tool_call, (item, id, status) => ({
    type: 'tool_call',
    id,
    name: `${item.server}.${item.tool}`,
    args: item.arguments ?? null,
    result: item.result ?? item.error?.message ?? null,
    status,
  })),
  collab_tool_call: reader(ITEMS.collab_tool_call, (item, id, status) => ({
    type: 'tool_call',
    id,
    name: item.tool,
    args: { prompt: item.prompt ?? null, receiver_thread_ids: item.receiver_thread_ids ?? [] },
    result: item.agents_states ?? null,
    status,
  })),
  web_search: reader(ITEMS.web_search, (item, id, status) => ({
    type: 'tool_call',
    id,
    name: 'web_search',
    args: { query: item.query ?? null, action: item.action ?? null },
    result: null,
    status,
  })),
  todo_list: reader(ITEMS.todo_list, ({ items }, id) => ({
    type: 'plan',
    id,
    items: items.map(({ text, completed }) => ({ text, completed })),
  })),
  error: reader(ITEMS.error, ({ message }) => ({ type: 'warning', message })),
};

function statusOf(raw: unknown, phase: string): StepStatus {
  const told = typeof raw === 'object' && raw !== null && 'status' in raw ? raw.status : undefined;
  const byPhase = phase === 'item.completed' ? 'completed' : 'in_progress';
  return lookUp(STATUSES, typeof told === 'string' ? told : undefined) ?? byPhase;
}

/** Up to 0.58 Codex counted usage per process; a version that nobody could tell is taken for a newer one. */
function countsPerProcess(agentVersion: string | null): boolean {
  const match = /(\d+)\.(\d+)\.\d+/.exec(agentVersion ?? '');
  return match !== null && Number(match[1]) === 0 && Number(match[2]) <= 58;
}

const RECONNECTING = /^Reconnecting\.\.\./;

function translateEvent(
  type: string,
  json: Readonly<Record<string, unknown>>,
  cumulative: boolean,
): Untold[] | 'unknown' | 'malformed' {
  switch (type) {
    case 'thread.started': {
      const event = EVENTS[type].safeParse(json);
      return event.success
        ? [{ type: 'thread_started', threadId: event.data.thread_id, model: null }]
        : 'malformed';
    }
    case 'turn.started':
      return [{ type: 'turn_started' }];
    case 'item.started':
    case 'item.updated':
    case 'item.completed': {
      const event = EVENTS[type].safeParse(json);
      if (!event.success) return 'malformed';
      const { id, type: itemType } = event.data.item;
      const read = lookUp(READ_ITEM, itemType);
      if (read === undefined) return 'unknown';
      const item = read(json['item'], id, statusOf(json['item'], type));
      return item === null ? 'malformed' : [item];
    }
    case 'turn.completed': {
      const event = EVENTS[type].safeParse(json);
      if (!event.success) return 'malformed';
      const { usage } = event.data;
      if (!usage) return [{ type: 'turn_completed' }];
      const report = {
        input: usage.input_tokens,
        cachedInput: usage.cached_input_tokens,
        output: usage.output_tokens,
        reasoning: usage.reasoning_output_tokens ?? null,
        cumulative,
        costUsd: null,
      };
      return [{ type: 'usage', usage: report }, { type: 'turn_completed' }];
    }
    case 'turn.failed': {
      const event = EVENTS[type].safeParse(json);
      return event.success
        ? [{ type: 'turn_failed', message: innerMessage(event.data.error.message) }]
        : 'malformed';
    }
    case 'error': {
      const event = EVENTS[type].safeParse(json);
      if (!event.success) return 'malformed';
      const message = innerMessage(event.data.message);
      return [RECONNECTING.test(message) ? { type: 'retry', message } : { type: 'warning', message }];
    }
    default:
      return 'unknown';
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A parser for the stream of one `codex exec --json` process. Two steps, so that a known event of the wrong shape is
 * malformed and not taken for an unknown one: the type chooses a schema, the schema reads the event.
 */
export function createCodexParser(agentVersion: string | null): LineParser {
  const cumulative = !countsPerProcess(agentVersion);
  const legacy = createLegacyTranslator();
  return createJsonLineParser((json) => {
    if (!isObject(json)) return 'malformed';
    const { type } = json;
    return typeof type === 'string' ? translateEvent(type, json, cumulative) : legacy(json);
  });
}
