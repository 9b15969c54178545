import * as z from 'zod/mini';
import { decodeOrNull } from '../../core/decode.ts';
import type { Untold } from '../../core/events.ts';
import { createTaskList, type ToolResult, toolEvent } from './tools.ts';

/** Whose a line is: empty for the agent itself. */
export type Of = { readonly subagent?: string };

/** A tool call that has no result yet. */
interface Call {
  readonly name: string;
  readonly input: unknown;
  readonly of: Of;
  /** It goes on although it was answered. */
  readonly goesOn?: true;
}

/** What the agent has left in the background and waits for before it ends. */
interface Awaited {
  readonly words: string;
  readonly taskId: string | null;
  /** The model itself has asked for its end. */
  isCalledOff: boolean;
}

const described = z.object({ description: z.string() });
const taskStop = z.object({ task_id: z.string() });

/** The tool calls of one stream, each from its line to that of its result, or of the end of what it left in the background. */
export function createCalls() {
  const open = new Map<string, Call>();
  const awaited = new Map<string, Awaited>();
  const tasks = createTaskList();
  const eventOf = ({ name, input, of }: Call, id: string, result: ToolResult | null): Untold => ({
    ...(tasks(name, input, result) ?? toolEvent(id, name, input, result)),
    ...of,
  });
  return {
    begin(id: string, call: Call): Untold {
      open.set(id, call);
      const stopped = call.name === 'TaskStop' ? decodeOrNull(taskStop, call.input)?.task_id : undefined;
      if (stopped !== undefined)
        for (const one of awaited.values()) if (one.taskId === stopped) one.isCalledOff = true;
      return eventOf(call, id, null);
    },
    /** Null for a call of which the beginning was not seen. */
    end(id: string, result: ToolResult): Untold | null {
      const call = open.get(id);
      open.delete(id);
      awaited.delete(id);
      return call === undefined ? null : eventOf(call, id, result);
    },
    /** A call goes on in the background, as the task of that id where it is awaited. For that of a subagent nobody waits. */
    goOn(id: string, task: { readonly taskId: string | null } | null): void {
      const call = open.get(id);
      if (call === undefined) return;
      open.set(id, { ...call, goesOn: true });
      if (task === null || call.of.subagent !== undefined) return;
      const words = decodeOrNull(described, call.input)?.description ?? call.name;
      awaited.set(id, { ...task, words, isCalledOff: false });
    },
    find: (id: string): Call | null => open.get(id) ?? null,
    /** Whether a call is one that the agent waits for, and that the model has not called off. */
    isAwaited: (id: string): boolean => awaited.get(id)?.isCalledOff === false,
    /** The first that the agent waits for, in words; null for nothing. */
    firstAwaited(): string | null {
      const [first] = awaited.values();
      return first?.words ?? null;
    },
  };
}
