import * as z from 'zod/mini';
import { count, decodeOrNull, isoTime, lenient } from '../../core/decode.ts';
import { parseJson } from '../../core/json.ts';
import { withoutShell } from '../../core/shell-word.ts';
import type { AgentHistory } from '../agent.ts';
import { codexHome } from './command.ts';

const DAY_MS = 86_400_000;

/** The days around the one, by UTC, on which Codex began a thread: as a UUID of version 7 tells, others give none. */
function daysAround(threadId: string): readonly string[] {
  const hex = threadId.replaceAll('-', '');
  if (hex[12] !== '7') return [];
  const days = [0, -1, 1].map((shift) => Number.parseInt(hex.slice(0, 12), 16) + shift * DAY_MS);
  return days.map((ms) => new Date(ms).toISOString().slice(0, 10).replaceAll('-', '/'));
}

const string = z.string();
const positive = z.int().check(z.minimum(1));

const tokenCount = z.lazy(() => {
  const info = z.object({
    last_token_usage: z.object({ total_tokens: count }),
    model_context_window: lenient(positive),
  });
  return z.object({ payload: z.object({ type: z.literal('token_count'), info }) });
});

const turnContext = z.lazy(() =>
  z.object({
    timestamp: isoTime,
    type: z.literal('turn_context'),
    payload: z.object({ model: string.check(z.trim(), z.minLength(1)) }),
  }),
);

const completedItem = z.lazy(() => {
  const item = z.discriminatedUnion('type', [
    z.object({ type: z.literal('AgentMessage'), content: z.array(z.object({ text: string })) }),
    z.object({ type: z.literal('Reasoning'), summary_text: z.array(string) }),
    z.object({ type: z.literal('CommandExecution'), command: z.array(string) }),
    z.object({ type: z.literal('FileChange'), changes: z.record(string, z.unknown()) }),
    z.object({ type: z.literal('McpToolCall'), server: string, tool: string }),
    z.object({ type: z.literal('WebSearch') }),
  ]);
  return z.object({ payload: z.object({ item, started_at_ms: positive, completed_at_ms: positive }) });
});

function keyOf(type: string, ...texts: readonly string[]): string {
  return JSON.stringify([type, ...texts]);
}

/** What an item of a rollout did, in the words of a step. */
function itemKey(item: z.infer<typeof completedItem>['payload']['item']): string {
  switch (item.type) {
    case 'AgentMessage':
      return keyOf('message', item.content.map(({ text }) => text).join(''));
    case 'Reasoning':
      return keyOf('reasoning', item.summary_text.join('\n'));
    case 'CommandExecution':
      return keyOf('command', item.command.at(-1) ?? '');
    case 'FileChange':
      return keyOf('file_change', ...Object.keys(item.changes).sort());
    case 'McpToolCall':
      return keyOf('tool_call', `${item.server}.${item.tool}`);
    case 'WebSearch':
      return keyOf('tool_call', 'web_search');
  }
}

/**
 * Codex's session files, "rollouts" (codex-cli 0.58 to 0.169): in directories by the local day on which the thread
 * began; every turn appends, and an archived file is moved away. What is not as expected is taken for unknown.
 */
export const codexHistory: AgentHistory = {
  directory(env) {
    const home = codexHome(env);
    return home?.startsWith('/') ? `${home}/sessions` : null;
  },
  patterns(threadId) {
    const name = `rollout-*-${threadId}.jsonl`;
    return [...daysAround(threadId).map((day) => `${day}/${name}`), `*/*/*/${name}`];
  },
  place(name) {
    const [, year, month, day] = /^rollout-(\d{4})-(\d{2})-(\d{2})T/.exec(name) ?? [];
    return day === undefined ? null : `${year}/${month}/${day}/${name}`;
  },
  files: {
    all: '*/*/*/rollout-*.jsonl',
    loadReader: async () => (await import('./rollout.ts')).createRolloutReader,
  },
  contextFill(tail) {
    for (const line of tail.split('\n').toReversed()) {
      const counted = line.includes('"token_count"') ? decodeOrNull(tokenCount, parseJson(line)) : null;
      if (counted === null) continue;
      const { last_token_usage: last, model_context_window: window } = counted.payload.info;
      return { tokens: last.total_tokens, window };
    }
    return null;
  },
  modelOf(line) {
    const told = line.includes('"turn_context"') ? decodeOrNull(turnContext, parseJson(line)) : null;
    return told && { model: told.payload.model, atMs: Date.parse(told.timestamp) };
  },
  timedItem(line) {
    if (!line.includes('"item_completed"')) return null;
    const payload = decodeOrNull(completedItem, parseJson(line))?.payload;
    if (payload === undefined) return null;
    const { item, started_at_ms: startedMs, completed_at_ms: endedMs } = payload;
    return { key: itemKey(item), startedMs, endedMs };
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
