import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { SessionId } from '../core/ids.ts';
import type { SessionManager } from '../manager/session-manager.ts';

/** One call of a tool: what it may use. */
export interface ToolCall {
  /** Acts for the client that calls. */
  readonly manager: SessionManager;
  /** The longest that this call may wait, in seconds; 0 for a client that takes a task instead. */
  readonly longestSec: number;
  /** Aborts when the client no longer waits for the answer; the agents continue. */
  readonly signal: AbortSignal;
  /** Reports progress to the client, if it asked for that. */
  progress(seconds: number, message: string): Promise<void>;
  /** How many messages of each turn (`<id>.<turn>`) this client knows. */
  readonly known: Map<string, number>;
  /** Records that the client has seen the end of a turn, if it has ended. A failure is only logged. */
  markSeen(id: SessionId, turn: number): Promise<void>;
}

type Shape = z.ZodObject;

/** A tool as the model sees it, and what it does. */
export interface Tool<Input extends Shape = Shape, Output extends Shape = Shape> {
  readonly name: string;
  /** The first 200 characters carry the meaning: hosts cut it. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: typeof READS | typeof WORKS | typeof ENDS;
  /** @throws ZwarmError, which becomes an answer that says what is wrong and what to do */
  run(input: z.infer<Input>, call: ToolCall): Promise<z.infer<Output>>;
}

/** What every answer ends with. */
const WHO_ASKED = {
  caller: z.string().describe('you: the source of what you start'),
  project: z.string().describe('the root of the project whose sessions these are'),
};

/** Who asked, and where. */
export const whoAsked = (manager: SessionManager) => ({
  caller: manager.caller().source,
  project: manager.projectRoot(),
});

/** A tool whose answers also say who asked. The types of its input and output are kept together here. */
export function defineTool<Input extends Shape, Output extends Shape>(tool: Tool<Input, Output>): Tool {
  return {
    ...(tool as unknown as Tool),
    output: tool.output.extend(WHO_ASKED),
    run: async (input, call) => ({
      ...(await tool.run(input as z.infer<Input>, call)),
      ...whoAsked(call.manager),
    }),
  };
}

/** What a model need not read of a schema: defaults stand in the descriptions, and a refusal says what is allowed. */
const UNTOLD = new Set([
  ...['$schema', 'additionalProperties', 'default', 'pattern', 'minimum', 'maximum'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems'],
]);

/**
 * What clients are told of arguments: names, kinds, words and what they are for. The arguments themselves are let through,
 * whatever they are: what does not fit is refused as everything else is.
 */
export function toldOf(input: Shape): StandardSchemaWithJSON<object> {
  const { '~standard': standard } = input as unknown as StandardSchemaWithJSON<object>;
  const told: typeof standard.jsonSchema.input = (options) =>
    JSON.parse(
      JSON.stringify(standard.jsonSchema.input(options), (key, value) =>
        UNTOLD.has(key) ? undefined : value,
      ),
    );
  return {
    '~standard': {
      ...standard,
      validate: (value) => ({ value: value as object }),
      jsonSchema: { ...standard.jsonSchema, input: told },
    },
  };
}

/*
 * What tools tell hosts of themselves. Of what is left out the protocol says: it writes, may destroy, does more each time
 * it is called again, and reaches the world.
 */

/** It looks, and changes nothing. */
export const READS = { readOnlyHint: true } as const;
/** It has an agent work, which may change files and use the network. */
export const WORKS = { destructiveHint: true } as const;
/** It ends or deletes; a second call does nothing more. */
export const ENDS = { destructiveHint: true, idempotentHint: true, openWorldHint: false } as const;
