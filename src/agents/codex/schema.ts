import {
  boolean,
  catch as caught,
  custom,
  nullable,
  number,
  object,
  optional,
  refine,
  string,
  unknown,
  type ZodMiniType,
} from 'zod/mini';
import { isCodexThreadId } from './command.ts';

/** A list as it was, refused at its first bad item: zod's own would collect what is wrong with each of a million. */
function array<T>(item: ZodMiniType<T>): ZodMiniType<readonly T[]> {
  return custom<readonly T[]>(
    (list) => Array.isArray(list) && list.every((one) => item.safeParse(one).success),
  );
}

/** The events and items of `codex exec --json`, 0.58 to 0.169; fields that we do not use are left out. */
const count = number().check((ctx) => {
  if (!Number.isSafeInteger(ctx.value) || ctx.value < 0) {
    ctx.issues.push({ code: 'custom', input: ctx.value, message: 'not a token count' });
  }
});

export const EVENTS = {
  // A name that Codex cannot have given is none: it would become an argument of the next turn.
  'thread.started': object({ thread_id: string().check(refine(isCodexThreadId)) }),
  'turn.started': object({}),
  'item.started': object({ item: object({ id: string(), type: string() }) }),
  'item.updated': object({ item: object({ id: string(), type: string() }) }),
  'item.completed': object({ item: object({ id: string(), type: string() }) }),
  'turn.completed': object({
    usage: optional(
      nullable(
        object({
          input_tokens: count,
          cached_input_tokens: count,
          output_tokens: count,
          // Newer than 0.104.
          reasoning_output_tokens: optional(count),
        }),
      ),
    ),
  }),
  'turn.failed': object({ error: object({ message: string() }) }),
  error: object({ message: string() }),
} as const;

const status = optional(string());

export const ITEMS = {
  agent_message: object({ text: string() }),
  reasoning: object({ text: string() }),
  command_execution: object({
    command: string(),
    aggregated_output: optional(string()),
    exit_code: optional(nullable(number())),
    status,
  }),
  file_change: object({ changes: array(object({ path: string(), kind: string() })), status }),
  mcp_tool_call: object({
    server: string(),
    tool: string(),
    arguments: optional(unknown()),
    result: optional(unknown()),
    error: caught(optional(nullable(object({ message: string() }))), null),
    status,
  }),
  collab_tool_call: object({
    tool: string(),
    prompt: optional(nullable(string())),
    receiver_thread_ids: optional(array(string())),
    agents_states: optional(unknown()),
    status,
  }),
  web_search: object({ query: optional(string()), action: optional(unknown()) }),
  todo_list: object({ items: array(object({ text: string(), completed: boolean() })) }),
  error: object({ message: string() }),
} as const;
