import type { ContextFill } from '../../core/conversation/compact.ts';
import { parseJson } from '../../core/json.ts';
import { withoutShell } from '../../core/shell-word.ts';
import type { AgentHistory } from '../agent.ts';

const DAY_MS = 86_400_000;

/** The milliseconds in a UUID of version 7, the time at which Codex began a thread; null for any other id. */
function beganMs(threadId: string): number | null {
  const hex = threadId.replaceAll('-', '');
  return hex[12] === '7' ? Number.parseInt(hex.slice(0, 12), 16) : null;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '/');
}

type Json = Readonly<Record<string, unknown>>;

function inside(json: unknown, ...keys: readonly string[]): unknown {
  let at = json;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Json)[key];
  }
  return at;
}

function fillOf(line: string): ContextFill | null {
  const json = parseJson(line);
  if (inside(json, 'payload', 'type') !== 'token_count') return null;
  const tokens = inside(json, 'payload', 'info', 'last_token_usage', 'total_tokens');
  const window = inside(json, 'payload', 'info', 'model_context_window');
  if (typeof tokens !== 'number' || !Number.isSafeInteger(tokens) || tokens < 0) return null;
  return { tokens, window: typeof window === 'number' && window > 0 ? window : null };
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function keyOf(type: string, ...texts: readonly string[]): string {
  return JSON.stringify([type, ...texts]);
}

function texts(list: unknown, ...keys: readonly string[]): string[] | null {
  if (!Array.isArray(list)) return null;
  const found = list.map((one) => (keys.length === 0 ? one : inside(one, ...keys)));
  return found.every((text) => typeof text === 'string') ? found : null;
}

/** What an item of a rollout did, in the words of a step; null for an item of another kind or shape. */
function itemKey(item: unknown): string | null {
  const join = (type: string, list: string[] | null, between: string): string | null =>
    list === null ? null : keyOf(type, list.join(between));
  switch (inside(item, 'type')) {
    case 'AgentMessage':
      return join('message', texts(inside(item, 'content'), 'text'), '');
    case 'Reasoning':
      return join('reasoning', texts(inside(item, 'summary_text')), '\n');
    case 'CommandExecution': {
      const script = texts(inside(item, 'command'))?.at(-1);
      return script === undefined ? null : keyOf('command', script);
    }
    case 'FileChange': {
      const changes = inside(item, 'changes');
      const isMap = typeof changes === 'object' && changes !== null;
      return isMap ? keyOf('file_change', ...Object.keys(changes).sort()) : null;
    }
    case 'McpToolCall': {
      const names = [inside(item, 'server'), inside(item, 'tool')];
      return names.every((name) => typeof name === 'string') ? keyOf('tool_call', names.join('.')) : null;
    }
    case 'WebSearch':
      return keyOf('tool_call', 'web_search');
    default:
      return null;
  }
}

/**
 * Codex's session files, "rollouts" (codex-cli 0.58 to 0.169): in directories by the local day on which the thread
 * began, appended to by every turn of it; an archived one is moved away. The format is Codex's own business: what is
 * not as expected is taken for unknown.
 */
export const codexHistory: AgentHistory = {
  directory({ CODEX_HOME: codexHome, HOME: home }) {
    if (codexHome?.startsWith('/')) return `${codexHome}/sessions`;
    return home?.startsWith('/') && !codexHome ? `${home}/.codex/sessions` : null;
  },
  patterns(threadId) {
    const name = `rollout-*-${threadId}.jsonl`;
    const began = beganMs(threadId);
    // No place on earth is more than a day away from UTC.
    const days = began === null ? [] : [0, -1, 1].map((shift) => dayOf(began + shift * DAY_MS));
    return [...days.map((day) => `${day}/${name}`), `*/*/*/${name}`];
  },
  contextFill(tail) {
    for (const line of tail.split('\n').toReversed()) {
      const fill = line.includes('"token_count"') ? fillOf(line) : null;
      if (fill !== null) return fill;
    }
    return null;
  },
  timedItem(line) {
    if (!line.includes('"item_completed"')) return null;
    const json = parseJson(line);
    const key = itemKey(inside(json, 'payload', 'item'));
    const startedMs = inside(json, 'payload', 'started_at_ms');
    const endedMs = inside(json, 'payload', 'completed_at_ms');
    return key !== null && isTime(startedMs) && isTime(endedMs) ? { key, startedMs, endedMs } : null;
  },
  stepKey(step) {
    switch (step.type) {
      case 'message':
        return keyOf('message', step.content);
      case 'reasoning':
        return keyOf('reasoning', step.content);
      case 'command':
        return keyOf('command', withoutShell(step.command));
      case 'file_change':
        return keyOf('file_change', ...step.changes.map(({ path }) => path).sort());
      case 'tool_call':
        return keyOf('tool_call', step.name);
      default:
        return null;
    }
  },
};
