import * as z from 'zod/mini';
import { count, decodeOrNull, lenient, oneOfOr, orNull, type Schema } from '../../core/decode.ts';
import type { LineParser, StepStatus, UnnumberedEvent } from '../../core/events.ts';
import { createJsonLineParser, shaped, type Translation, threadId } from '../json-lines.ts';
import { codexRelease } from './command.ts';
import { innerMessage } from './explain.ts';
import { createLegacyTranslator } from './legacy.ts';

/*
 * What `codex exec --json` prints, 0.58 to 0.169: the shape of each type of event and of item, and what it means. Only
 * the fields that we use are named; words that we do not know have one that stands for them.
 */

const string = z.string();
const anything = z.optional(z.unknown());
const status = oneOfOr(['in_progress', 'completed', 'failed', 'declined', 'by_phase'], 'by_phase');
const kind = oneOfOr(['add', 'update', 'delete', 'unknown'], 'unknown');
const message = z.object({ message: string });

type Phase = 'item.started' | 'item.updated' | 'item.completed';

// Codex's own words, or those of the program by which it builds its sandbox, in place of what a command prints.
const NOT_BUILT = /^(?:error building bubblewrap command|bwrap): .*\n?$/;

/** Why a command that failed never began: null where it may have, as one that calls bwrap itself. */
function refusal(command: string, output: string): string | null {
  if (!NOT_BUILT.test(output) || command.includes('bwrap')) return null;
  return `no command ran, as Codex could not build its sandbox (${output.trim()}): zwarm doctor says what to do`;
}

function statusOf(given: StepStatus | 'by_phase', phase: Phase): StepStatus {
  if (given !== 'by_phase') return given;
  return phase === 'item.completed' ? 'completed' : 'in_progress';
}

/** Reads an item of one type. */
function item<T>(shape: Schema<T>, toEvent: (item: T, of: { id: string; phase: Phase }) => UnnumberedEvent) {
  return shaped(shape, (value: T, of: { id: string; phase: Phase }) => [toEvent(value, of)]);
}

const ITEMS = {
  agent_message: item(z.object({ text: string }), ({ text }) => ({ type: 'message', text })),
  reasoning: item(z.object({ text: string }), ({ text }) => ({ type: 'reasoning', text })),
  command_execution: item(
    z.object({
      command: string,
      aggregated_output: z.optional(string),
      exit_code: orNull(z.number()),
      status,
    }),
    ({ command, aggregated_output, exit_code: exitCode, ...given }, { id, phase }) => {
      const status = statusOf(given.status, phase);
      // Codex prints no output of a command before its end.
      const output = status === 'in_progress' ? null : (aggregated_output ?? null);
      const refused = status === 'failed' && output !== null ? refusal(command, output) : null;
      const event = { type: 'command' as const, id, command, output, exitCode, status };
      return refused === null ? event : { ...event, refused };
    },
  ),
  file_change: item(
    z.object({ changes: z.array(z.object({ path: string, kind })), status }),
    ({ changes, status }, { id, phase }) => {
      return { type: 'file_change', id, changes, status: statusOf(status, phase) };
    },
  ),
  mcp_tool_call: item(
    z.object({
      server: string,
      tool: string,
      arguments: anything,
      result: anything,
      error: lenient(message),
      status,
    }),
    ({ server, tool, arguments: args = null, result, error, ...given }, { id, phase }) => ({
      type: 'tool_call',
      id,
      name: `${server}.${tool}`,
      args,
      result: result ?? error?.message ?? null,
      status: statusOf(given.status, phase),
    }),
  ),
  collab_tool_call: item(
    z.object({
      tool: string,
      prompt: orNull(string),
      receiver_thread_ids: z._default(z.array(string), []),
      agents_states: anything,
      status,
    }),
    ({ tool: name, agents_states: result = null, status, ...args }, { id, phase }) => {
      return { type: 'tool_call', id, name, args, result, status: statusOf(status, phase) };
    },
  ),
  web_search: item(
    z.object({ query: orNull(string), action: orNull(z.unknown()) }),
    (args, { id, phase }) => {
      // Codex gives it no status.
      const status = statusOf('by_phase', phase);
      return { type: 'tool_call', id, name: 'web_search', args, result: null, status };
    },
  ),
  todo_list: item(
    z.object({ items: z.array(z.object({ text: string, completed: z.boolean() })) }),
    ({ items }, { id }) => ({ type: 'plan', id, items }),
  ),
  error: item(message, ({ message }) => ({ type: 'warning', message })),
};
const items = new Map(Object.entries(ITEMS));

const anyItem = z.object({ id: string, type: string });

function itemEvent(phase: Phase) {
  return (json: object): Translation => {
    const item = 'item' in json ? json.item : undefined;
    const known = decodeOrNull(anyItem, item);
    if (known === null) return 'malformed';
    return items.get(known.type)?.(item, { id: known.id, phase }) ?? 'unknown';
  };
}

const usage = z.object({
  input_tokens: count,
  cached_input_tokens: count,
  output_tokens: count,
  // Newer than 0.104.
  reasoning_output_tokens: orNull(count),
});

/** By the type of the event; whether the tokens are the total of the thread depends on the version of Codex. */
const EVENTS: Readonly<Record<string, (json: object, cumulative: boolean) => Translation>> = {
  'thread.started': shaped(z.object({ thread_id: threadId }), ({ thread_id }) => [
    { type: 'thread_started', threadId: thread_id },
  ]),
  'turn.started': () => [{ type: 'turn_started' }],
  'item.started': itemEvent('item.started'),
  'item.updated': itemEvent('item.updated'),
  'item.completed': itemEvent('item.completed'),
  'turn.completed': shaped(z.object({ usage: orNull(usage) }), ({ usage: tokens }, cumulative) => {
    if (tokens === null) return [{ type: 'turn_completed' }];
    const usage = {
      input: tokens.input_tokens,
      cachedInput: tokens.cached_input_tokens,
      output: tokens.output_tokens,
      reasoning: tokens.reasoning_output_tokens,
      costUsd: null,
      of: cumulative ? ('thread' as const) : ('process' as const),
    };
    return [{ type: 'usage', usage }, { type: 'turn_completed' }];
  }),
  'turn.failed': shaped(z.object({ error: message }), ({ error }) => [
    { type: 'turn_failed', message: innerMessage(error.message) },
  ]),
  error: shaped(message, (event) => {
    const message = innerMessage(event.message);
    return [{ type: message.startsWith('Reconnecting...') ? 'retry' : 'warning', message }];
  }),
};
const events = new Map(Object.entries(EVENTS));

/** A parser for the stream of one `codex exec --json` process. A known event of the wrong shape is malformed, not unknown. */
export function createCodexParser(agentVersion: string | null): LineParser {
  // Up to 0.58 Codex counted usage per process; an unknown version is taken for a newer one.
  const cumulative = (codexRelease(agentVersion) ?? 59) > 58;
  const legacy = createLegacyTranslator();
  return createJsonLineParser((json) => {
    if (!('type' in json) || typeof json.type !== 'string') return legacy(json);
    return events.get(json.type)?.(json, cumulative) ?? 'unknown';
  });
}
