import * as z from 'zod/mini';
import { count, lenient, oneOfOr, orNull } from '../../core/decode.ts';

/*
 * What `codex exec --json` prints, 0.58 to 0.169: a schema for each type of event and of item. Only the fields that we
 * use are named; words that we do not know have one that stands for them.
 */

const string = z.string();
const words = z.optional(string);
const anything = z.optional(z.unknown());
const status = oneOfOr(['in_progress', 'completed', 'failed', 'declined', 'by_phase'], 'by_phase');

export const threadStarted = z.object({ thread_id: string });

export const turnCompleted = z.object({
  usage: orNull(
    z.object({
      input_tokens: count,
      cached_input_tokens: count,
      output_tokens: count,
      // Newer than 0.104.
      reasoning_output_tokens: orNull(count),
    }),
  ),
});

export const turnFailed = z.object({ error: z.object({ message: string }) });

export const streamError = z.object({ message: string });

/** What every item has. */
export const anyItem = z.object({ id: string, type: string });

export const spoken = z.object({ text: string });

export const commandExecution = z.object({
  command: string,
  aggregated_output: words,
  exit_code: orNull(z.number()),
  status,
});

export const fileChange = z.object({
  changes: z.array(
    z.object({ path: string, kind: oneOfOr(['add', 'update', 'delete', 'unknown'], 'unknown') }),
  ),
  status,
});

export const mcpToolCall = z.object({
  server: string,
  tool: string,
  arguments: anything,
  result: anything,
  error: lenient(z.object({ message: string })),
  status,
});

export const collabToolCall = z.object({
  tool: string,
  prompt: orNull(string),
  receiver_thread_ids: z._default(z.array(string), []),
  agents_states: anything,
  status,
});

export const webSearch = z.object({ query: words, action: anything });

export const todoList = z.object({ items: z.array(z.object({ text: string, completed: z.boolean() })) });

export const errorItem = z.object({ message: string });
