import * as z from 'zod/mini';
import { count, decodeOrNull, flag, lenient, orNull } from '../../core/decode.ts';
import type { LineParser, Tokens, Untold } from '../../core/events.ts';
import { createJsonLineParser, shaped, type Translation, threadId } from '../json-lines.ts';
import { createTaskList, type ToolResult, toolEvent } from './tools.ts';

/*
 * What `claude -p --output-format stream-json --verbose` prints, 2.1.197 to 2.1.328. A line holds one block of a message;
 * a tool call and its result are two lines, which the parser brings together.
 */

const string = z.string();
const money = lenient(z.number());

/** A tool call that has no result yet. */
interface Call {
  readonly name: string;
  readonly input: unknown;
  readonly subagent: Of;
  /** It goes on although it was answered. */
  readonly isBackground?: true;
}

/** What the parser remembers of the lines before. */
interface Memory {
  readonly calls: Map<string, Call>;
  readonly tasks: ReturnType<typeof createTaskList>;
  /** Whether it has told a result, and did not begin to work again. */
  ended: boolean;
}

/** Whose line it is: empty for the agent itself. */
type Of = { readonly subagent?: string };
const ofLine = ({ parent_tool_use_id: call }: { parent_tool_use_id: string | null }): Of =>
  call === null ? {} : { subagent: call };

// A new one each time: it gets the number of its line.
const redundant = (): Untold => ({ type: 'redundant' });
const orRedundant = (events: readonly Untold[]): readonly Untold[] =>
  events.length === 0 ? [redundant()] : events;

const block = z.object({
  type: string,
  text: lenient(string),
  thinking: lenient(string),
  id: lenient(string),
  name: lenient(string),
  input: z.optional(z.unknown()),
});

const usage = z.object({
  input_tokens: count,
  cache_creation_input_tokens: z._default(count, 0),
  cache_read_input_tokens: z._default(count, 0),
  output_tokens: count,
});

function begin(memory: Memory, id: string, call: Call): Untold {
  memory.calls.set(id, call);
  const event = memory.tasks(call.name, call.input, null) ?? toolEvent(id, call.name, call.input, null);
  return { ...event, ...call.subagent };
}

function finish(memory: Memory, id: string, result: ToolResult): Untold | null {
  const call = memory.calls.get(id);
  if (call === undefined) return null;
  memory.calls.delete(id);
  const { name, input, subagent } = call;
  return { ...(memory.tasks(name, input, result) ?? toolEvent(id, name, input, result)), ...subagent };
}

const assistant = shaped(
  z.object({
    message: z.object({ id: string, content: z.array(block), usage: lenient(usage) }),
    parent_tool_use_id: orNull(string),
    error: orNull(string),
  }),
  ({ message, error, ...line }, memory: Memory): Translation => {
    const of = ofLine(line);
    const events = message.content.flatMap(({ type, text, thinking, id, name, input }): Untold[] => {
      // What is said in the name of the model about a failure: the result repeats it.
      if (type === 'text' && text !== null)
        return [
          error === null ? { type: 'message', text, ...of } : { type: 'warning', message: text, ...of },
        ];
      if (type === 'thinking' && thinking !== null) return [{ type: 'reasoning', text: thinking, ...of }];
      if (type !== 'tool_use' || id === null || name === null) return [];
      return [begin(memory, id, { name, input, subagent: of })];
    });
    const { usage: tokens } = message;
    if (error !== null || tokens === null) return orRedundant(events);
    const cachedInput = tokens.cache_read_input_tokens;
    const input = tokens.input_tokens + tokens.cache_creation_input_tokens + cachedInput;
    const counted = { input, cachedInput, output: tokens.output_tokens, reasoning: null, costUsd: null };
    return [...events, { type: 'usage', usage: { ...counted, of: { call: message.id } } }];
  },
);

const resultBlock = z.object({
  type: z.literal('tool_result'),
  tool_use_id: string,
  content: z.optional(z.unknown()),
  is_error: flag,
});
const textBlocks = z.array(z.object({ text: string }));
const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : (decodeOrNull(textBlocks, content)
        ?.map(({ text }) => text)
        .join('\n') ?? '');

const decided = z.object({
  id: string,
  permission_decision: z.object({ decision: z.literal('reject') }),
});
const inBackground = z.union([
  z.object({ backgroundTaskId: string }),
  z.object({ isAsync: z.literal(true) }),
]);

const user = shaped(
  z.object({
    message: z.object({ content: z.union([string, z.array(z.unknown())]) }),
    isSynthetic: flag,
    tool_use_result: z.optional(z.unknown()),
    tool_result_meta: orNull(z.array(z.unknown())),
  }),
  (
    { message, isSynthetic, tool_use_result: structured, tool_result_meta: meta },
    memory: Memory,
  ): Translation => {
    // What the program was given, or says to its model.
    if (typeof message.content === 'string') return [redundant()];
    const events = message.content.flatMap((part): readonly Untold[] => {
      const result = decodeOrNull(resultBlock, part);
      if (result === null) {
        const text = isSynthetic ? decodeOrNull(z.object({ text: string }), part)?.text : undefined;
        return text === undefined ? [] : [{ type: 'warning', message: text }];
      }
      const { tool_use_id: id, content, is_error: failed } = result;
      const call = memory.calls.get(id);
      if (call !== undefined && decodeOrNull(inBackground, structured) !== null) {
        memory.calls.set(id, { ...call, isBackground: true });
        return [];
      }
      const denied = meta?.some((one) => decodeOrNull(decided, one)?.id === id) ?? false;
      const status = denied ? 'declined' : failed ? 'failed' : 'completed';
      const event = finish(memory, id, { text: textOf(content), structured, status });
      return event === null ? [] : [event];
    });
    return orRedundant(events);
  },
);

const retry = shaped(
  z.object({
    attempt: count,
    max_retries: count,
    error_status: lenient(count),
    error: lenient(string),
  }),
  ({ attempt, max_retries: most, error_status: status, error }): Translation => {
    const why = [error ?? 'error', ...(status === null ? [] : [`status ${status}`])].join(', ');
    return [{ type: 'retry', message: `it tries again, ${attempt} of ${most}: ${why}` }];
  },
);

const ENDS: Readonly<Record<string, ToolResult['status']>> = { completed: 'completed', failed: 'failed' };

/** After the description of a command, at the end of what is told of it. */
const EXIT_CODE = /" (?:completed \(|failed with )exit code (\d{1,3})\b[^"]*$/;

/** What ran in the background has ended, by itself or not. */
const backgroundEnded = shaped(
  z.object({ tool_use_id: lenient(string), status: string, summary: z._default(string, '') }),
  ({ tool_use_id: id, status, summary }, memory: Memory): Translation => {
    const code = EXIT_CODE.exec(summary)?.[1];
    const call = memory.calls.get(id ?? '');
    const result: ToolResult = {
      text: call?.name === 'Bash' ? '' : summary,
      structured: null,
      status: ENDS[status] ?? 'interrupted',
      ...(code !== undefined && { exitCode: Number(code) }),
    };
    const event = id !== null && call?.isBackground ? finish(memory, id, result) : null;
    // The program itself calls such a turn a success.
    if (status !== 'stopped' || !memory.ended) return orRedundant(event === null ? [] : [event]);
    const message = `its work in the background was ended before it was done: ${summary}`;
    return [...(event === null ? [] : [event]), { type: 'turn_failed', message }];
  },
);

const SYSTEM = new Map<string, (json: object, memory: Memory) => Translation>([
  [
    'init',
    shaped(
      z.object({ session_id: threadId, model: lenient(string) }),
      ({ session_id: id, model }, memory) => {
        memory.ended = false;
        const used = model === null ? {} : { model };
        return [{ type: 'thread_started', threadId: id, ...used }, { type: 'turn_started' }];
      },
    ),
  ],
  ['api_retry', retry],
  ['task_notification', backgroundEnded],
  [
    'informational',
    shaped(z.object({ content: string }), ({ content }) => [{ type: 'warning', message: content }]),
  ],
  ...[
    ...['background_tasks_changed', 'compact_boundary', 'hook_progress', 'hook_response', 'hook_started'],
    ...['model_refusal_no_fallback', 'permission_denied', 'status', 'task_progress', 'task_started'],
    ...['task_updated', 'thinking_tokens'],
  ].map((subtype) => [subtype, (): Translation => [redundant()]] as const),
]);

const ofModel = z.object({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
  thinkingTokens: lenient(count),
  costUSD: money,
});
const byModel = z.record(string, ofModel);

/** Subagents included, unlike `usage`. */
function tokensOf(models: z.infer<typeof byModel>): Tokens {
  const all = Object.values(models);
  const sum = (pick: (model: z.infer<typeof ofModel>) => number | null): number | null =>
    all.reduce<number | null>((total, model) => {
      const own = pick(model);
      return total === null || own === null ? null : total + own;
    }, 0);
  return {
    input: sum((m) => m.inputTokens + m.cacheReadInputTokens + m.cacheCreationInputTokens) ?? 0,
    cachedInput: sum((m) => m.cacheReadInputTokens) ?? 0,
    output: sum((m) => m.outputTokens) ?? 0,
    reasoning: sum((m) => m.thinkingTokens),
    costUsd: sum((m) => m.costUSD),
  };
}

const result = shaped(
  z.object({
    subtype: string,
    is_error: z.boolean(),
    result: lenient(string),
    structured_output: z.optional(z.unknown()),
    errors: lenient(z.array(string)),
    terminal_reason: lenient(string),
    modelUsage: lenient(byModel),
    model_usage_since_last_result: lenient(byModel),
  }),
  (line, memory: Memory): Translation => {
    memory.ended = true;
    const { subtype, is_error: failed, errors, terminal_reason: reason } = line;
    const { modelUsage: total, model_usage_since_last_result: since } = line;
    // From 2.1.328 on the total is that of the whole conversation, also before it was resumed.
    const counted = since ?? total;
    const events: Untold[] = [];
    if (counted !== null) {
      const of = since === null ? 'process' : 'since_last';
      events.push({ type: 'usage', usage: { ...tokensOf(counted), of } });
    }
    // An answer of a schema, which the model gives to a tool: here it is a text, too.
    if (line.structured_output !== undefined && line.result !== null)
      events.push({ type: 'message', text: line.result });
    if (!failed) return [...events, { type: 'turn_completed' }];
    // Of an interruption it says only something for its makers.
    const aborted = reason?.startsWith('aborted') ? 'it was interrupted' : null;
    const message = aborted ?? (line.result || errors?.join('; ') || subtype);
    return [...events, { type: 'turn_failed', message }];
  },
);

const LINES = new Map<string, (json: object, memory: Memory) => Translation>([
  ['assistant', assistant],
  ['user', user],
  ['result', result],
  [
    'system',
    shaped(
      z.looseObject({ subtype: string }),
      (line, memory) => SYSTEM.get(line.subtype)?.(line, memory) ?? 'unknown',
    ),
  ],
  ...['control_request', 'control_response', 'rate_limit_event', 'stream_event'].map(
    (type) => [type, (): Translation => [redundant()]] as const,
  ),
]);

/** Translates the lines of one stream, in their order. A known line of the wrong shape is malformed, not unknown. */
export function createClaudeTranslator(): (json: object) => Translation {
  const memory: Memory = { calls: new Map(), tasks: createTaskList(), ended: false };
  return (json) => {
    if (!('type' in json) || typeof json.type !== 'string') return 'unknown';
    return LINES.get(json.type)?.(json, memory) ?? 'unknown';
  };
}

/** A parser for the stream of one `claude -p` process. */
export const createClaudeParser = (): LineParser => createJsonLineParser(createClaudeTranslator());
