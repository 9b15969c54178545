import * as z from 'zod/mini';
import { count, decodeOrNull, flag, lenient, orNull, type Schema } from '../../core/decode.ts';
import type { LineParser, Tokens, Untold } from '../../core/events.ts';
import { createJsonLineParser, shaped, type Translation, threadId } from '../json-lines.ts';
import { createCalls, type Of } from './calls.ts';
import type { ToolResult } from './tools.ts';

/*
 * What `claude -p --output-format stream-json --verbose` prints, 2.1.197 to 2.1.328. A line holds one block of a message;
 * a tool call and its result are two lines, which the parser brings together.
 */

const string = z.string();
const money = lenient(z.number());

/** What the parser remembers of the lines before. */
interface Memory {
  readonly calls: ReturnType<typeof createCalls>;
  /** The `uuid`s of lines that sum up what was said before the last compaction, or repeat it. */
  repeated: ReadonlySet<string>;
  /** Whether it has told a result, and did not begin to work again. */
  ended: boolean;
  /** Why a result is no completion, whatever it says; null as long as nothing was cut off. */
  cut: string | null;
}

const cutOff = (what: string): string => `its work in the background was ended before it was done: ${what}`;

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

const assistant = shaped(
  z.object({
    message: z.object({ id: string, content: z.array(block), usage: lenient(usage) }),
    parent_tool_use_id: orNull(string),
    error: orNull(string),
  }),
  ({ message, error, ...line }, { calls }: Memory): Translation => {
    const of = ofLine(line);
    const events = message.content.flatMap(({ type, text, thinking, id, name, input }): Untold[] => {
      // What is said in the name of the model about a failure: the result repeats it.
      if (type === 'text' && text !== null)
        return [
          error === null ? { type: 'message', text, ...of } : { type: 'warning', message: text, ...of },
        ];
      if (type === 'thinking' && thinking !== null) return [{ type: 'reasoning', text: thinking, ...of }];
      if (type !== 'tool_use' || id === null || name === null) return [];
      return [calls.begin(id, { name, input, of })];
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
const anyList = z.array(z.unknown());
const textBlock = z.object({ text: string });
/** Without pictures. */
const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : (decodeOrNull(anyList, content) ?? [])
        .flatMap((part) => decodeOrNull(textBlock, part)?.text ?? [])
        .join('\n');

const decided = z.object({
  id: string,
  permission_decision: z.object({ decision: z.literal('reject') }),
});
/** It was ended while it ran, or never began as the answer that asked for it was stopped. */
const notEnded = z.object({ id: string, non_execution_kind: z.enum(['user-rejected', 'interrupted']) });
/** The same for a subagent's, for which nothing else is told. */
const REJECTED = 'User rejected tool use';
/** Of the tools themselves; from 2.1.328 on `task_started` tells it, also of those of subagents. */
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
    { calls }: Memory,
  ): Translation => {
    // What the program was given, or says to its model.
    if (typeof message.content === 'string') return [redundant()];
    const events = message.content.flatMap((part): readonly Untold[] => {
      const result = decodeOrNull(resultBlock, part);
      if (result === null) {
        const text = isSynthetic ? decodeOrNull(textBlock, part)?.text : undefined;
        return text === undefined ? [] : [{ type: 'warning', message: text }];
      }
      const { tool_use_id: id, content, is_error: failed } = result;
      if (decodeOrNull(inBackground, structured) !== null && !calls.find(id)?.goesOn) calls.goOn(id, null);
      if (!failed && calls.find(id)?.goesOn) return [];
      const isOf = (schema: Schema<{ id: string }>) =>
        meta?.some((one) => decodeOrNull(schema, one)?.id === id) ?? false;
      const isCut = isOf(notEnded) || structured === REJECTED;
      const status = isOf(decided) ? 'declined' : isCut ? 'interrupted' : failed ? 'failed' : 'completed';
      const event = calls.end(id, { text: isCut ? null : textOf(content), structured, status });
      return event === null ? [] : [event];
    });
    return orRedundant(events);
  },
);

const whyRetried = (error: string | null, status: number | null): string =>
  [error ?? 'error', ...(status === null ? [] : [`status ${status}`])].join(', ');

const retry = shaped(
  z.object({
    attempt: count,
    max_retries: count,
    error_status: lenient(count),
    error: lenient(string),
  }),
  ({ attempt, max_retries: most, error_status: status, error }): Translation => {
    return [
      { type: 'retry', message: `it tries again, ${attempt} of ${most}: ${whyRetried(error, status)}` },
    ];
  },
);

/** What an agent's end waits for: it tells no result before. */
const AWAITED = ['local_agent', 'local_workflow'];

/** A tool goes on in the background. Workflows always do. */
const taskStarted = shaped(
  z.object({
    tool_use_id: lenient(string),
    task_id: lenient(string),
    task_type: lenient(string),
    is_backgrounded: flag,
  }),
  (
    { tool_use_id: id, task_id: taskId, task_type: type, is_backgrounded: isBackground },
    { calls }: Memory,
  ): Translation => {
    if (id !== null && (isBackground || type === 'local_workflow'))
      calls.goOn(id, AWAITED.includes(type ?? '') ? (taskId ?? id) : null);
    return [redundant()];
  },
);

const ENDS: readonly ToolResult['status'][] = ['completed', 'failed'];

/** After the description of a command, at the end of what is told of it. */
const EXIT_CODE = /" (?:completed \(|failed with )exit code (\d{1,3})\b[^"]*$/;

/** What ran in the background has ended, by itself or not. */
const backgroundEnded = shaped(
  z.object({ tool_use_id: lenient(string), status: string, summary: z._default(string, '') }),
  ({ tool_use_id: id, status, summary }, memory: Memory): Translation => {
    const { calls } = memory;
    const code = EXIT_CODE.exec(summary)?.[1];
    const call = calls.find(id ?? '');
    const end = ENDS.find((one) => one === status);
    const isStopped = end === undefined;
    const result: ToolResult = {
      // Of what was stopped the summary is the description.
      text: call?.name === 'Bash' ? '' : isStopped ? null : summary,
      structured: undefined,
      status: end ?? 'interrupted',
      ...(code !== undefined && { exitCode: Number(code) }),
    };
    if (id !== null && isStopped && calls.isAwaited(id)) memory.cut = cutOff(summary);
    const event = id !== null && call?.goesOn ? calls.end(id, result) : null;
    const events = event === null ? [] : [event];
    // The program itself calls such a turn a success.
    if (!isStopped || !memory.ended) return orRedundant(events);
    return [...events, { type: 'turn_failed', message: cutOff(summary) }];
  },
);

/** The `uuid`s that are remembered, and how long one is; real ones are some dozens. */
const MOST_REPEATED = 1000;
const UUID_LENGTH = 36;

/** With the summary, and what is said once more after it, come lines that tell nothing new. */
const compactBoundary = shaped(
  z.object({
    compact_metadata: lenient(
      z.object({
        preserved_messages: lenient(
          z.object({ anchor_uuid: lenient(string), uuids: lenient(z.array(string)) }),
        ),
      }),
    ),
  }),
  ({ compact_metadata: metadata }, memory: Memory): Translation => {
    const kept = metadata?.preserved_messages;
    const uuids = [kept?.anchor_uuid ?? [], kept?.uuids ?? []].flat();
    memory.repeated = new Set(uuids.filter(({ length }) => length <= UUID_LENGTH).slice(0, MOST_REPEATED));
    return [redundant()];
  },
);

const informational = shaped(
  z.object({ content: string, prompt_submit_outcome: lenient(z.object({ kind: string })) }),
  ({ content, prompt_submit_outcome: outcome }, memory: Memory): Translation => {
    // A hook has kept the prompt from the model.
    if (outcome?.kind === 'blocked_by_hook') memory.cut = content;
    return [{ type: 'warning', message: content }];
  },
);

const SYSTEM = new Map<string, (json: object, memory: Memory) => Translation>([
  [
    'init',
    shaped(
      z.object({ session_id: threadId, model: lenient(string) }),
      ({ session_id: id, model }, memory) => {
        memory.ended = false;
        memory.cut = null;
        const used = model === null ? {} : { model };
        return [{ type: 'thread_started', threadId: id, ...used }, { type: 'turn_started' }];
      },
    ),
  ],
  ['api_retry', retry],
  ['task_started', taskStarted],
  ['task_notification', backgroundEnded],
  ['compact_boundary', compactBoundary],
  ['informational', informational],
  ['notification', shaped(z.object({ text: string }), ({ text }) => [{ type: 'warning', message: text }])],
  ...[
    ...['background_tasks_changed', 'hook_progress', 'hook_response', 'hook_started'],
    ...['model_refusal_no_fallback', 'permission_denied', 'session_title_changed', 'status'],
    ...['task_progress', 'task_updated', 'thinking_tokens'],
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

/** Why it ended with work that was not done, although that is no error to it. */
const CUT_SHORT: readonly (string | null)[] = (
  'aborted_streaming aborted_tools api_error budget_exhausted hook_stopped image_error malformed_tool_use_exhausted ' +
  'max_turns model_error prompt_too_long rapid_refill_breaker structured_output_retry_exhausted tool_deferred ' +
  'tool_deferred_unavailable turn_setup_failed'
).split(' ');

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
    const awaited = memory.calls.firstAwaited();
    const cut =
      memory.cut ??
      (awaited !== null ? cutOff(awaited) : null) ??
      (CUT_SHORT.includes(reason)
        ? `it was ended before it was done: ${reason?.replaceAll('_', ' ')}`
        : null);
    if (!failed)
      return [...events, cut === null ? { type: 'turn_completed' } : { type: 'turn_failed', message: cut }];
    // Of an interruption it says only something for its makers.
    const aborted = reason?.startsWith('aborted') ? 'it was interrupted' : null;
    const message = aborted ?? (line.result || errors?.join('; ') || subtype);
    return [...events, { type: 'turn_failed', message }];
  },
);

/** Every half a minute of a tool; and of a subagent, of which this alone tells that it tries again. */
const toolProgress = shaped(
  z.object({
    subagent_retry: lenient(
      z.object({
        attempt: count,
        max_retries: count,
        error_status: lenient(count),
        error_category: lenient(string),
      }),
    ),
  }),
  ({ subagent_retry: again }): Translation => {
    if (again === null) return [redundant()];
    const { attempt, max_retries: most, error_status: status, error_category: error } = again;
    return [
      {
        type: 'retry',
        message: `its subagent tries again, ${attempt} of ${most}: ${whyRetried(error, status)}`,
      },
    ];
  },
);

const LINES = new Map<string, (json: object, memory: Memory) => Translation>([
  ['assistant', assistant],
  ['user', user],
  ['result', result],
  ['tool_progress', toolProgress],
  [
    'system',
    shaped(
      z.looseObject({ subtype: string }),
      (line, memory) => SYSTEM.get(line.subtype)?.(line, memory) ?? 'unknown',
    ),
  ],
  ...['control_request', 'control_response', 'conversation_reset', 'rate_limit_event', 'stream_event'].map(
    (type) => [type, (): Translation => [redundant()]] as const,
  ),
]);

/** Translates the lines of one stream, in their order. A known line of the wrong shape is malformed, not unknown. */
export function createClaudeTranslator(): (json: object) => Translation {
  const memory: Memory = { calls: createCalls(), repeated: new Set(), ended: false, cut: null };
  return (json) => {
    if ('uuid' in json && typeof json.uuid === 'string' && memory.repeated.has(json.uuid))
      return [redundant()];
    if (!('type' in json) || typeof json.type !== 'string') return 'unknown';
    return LINES.get(json.type)?.(json, memory) ?? 'unknown';
  };
}

/** A parser for the stream of one `claude -p` process. */
export const createClaudeParser = (): LineParser => createJsonLineParser(createClaudeTranslator());
