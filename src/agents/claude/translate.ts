import * as z from 'zod/mini';
import { count, decodeOrNull, flag, lenient, orNull, type Schema } from '../../core/decode.ts';
import type { LineParser, UnnumberedEvent } from '../../core/events.ts';
import { createJsonLineParser, shaped, type Translation } from '../json-lines.ts';
import type { Of } from './calls.ts';
import { createMemory, type Memory, orRedundant, redundant } from './memory.ts';
import { result } from './result.ts';
import { system, whyRetried } from './system.ts';

/*
 * What `claude -p --output-format stream-json --verbose` prints, 2.1.197 to 2.1.328. A line holds one block of a message;
 * a tool call and its result are two lines, which the parser brings together.
 */

const string = z.string();

const ofLine = ({ parent_tool_use_id: call }: { parent_tool_use_id: string | null }): Of =>
  call === null ? {} : { subagent: call };

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
    const events = message.content.flatMap(({ type, text, thinking, id, name, input }): UnnumberedEvent[] => {
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
    const events = message.content.flatMap((part): readonly UnnumberedEvent[] => {
      const result = decodeOrNull(resultBlock, part);
      if (result === null) {
        const text = isSynthetic ? decodeOrNull(textBlock, part)?.text : undefined;
        return text === undefined ? [] : [{ type: 'warning', message: text }];
      }
      const { tool_use_id: id, content, is_error: failed } = result;
      if (decodeOrNull(inBackground, structured) !== null && !calls.find(id)?.goesOn)
        calls.moveToBackground(id, null);
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
  ['system', system],
  ...['control_request', 'control_response', 'conversation_reset', 'rate_limit_event', 'stream_event'].map(
    (type) => [type, (): Translation => [redundant()]] as const,
  ),
]);

/** Translates the lines of one stream, in their order. A known line of the wrong shape is malformed, not unknown. */
export function createClaudeTranslator(): (json: object) => Translation {
  const memory = createMemory();
  return (json) => {
    if ('uuid' in json && typeof json.uuid === 'string' && memory.repeated.has(json.uuid))
      return [redundant()];
    if (!('type' in json) || typeof json.type !== 'string') return 'unknown';
    return LINES.get(json.type)?.(json, memory) ?? 'unknown';
  };
}

/** A parser for the stream of one `claude -p` process. */
export const createClaudeParser = (): LineParser => createJsonLineParser(createClaudeTranslator());
