import * as z from 'zod/mini';
import { decodeOrNull } from '../../core/decode.ts';
import type { UnnumberedEvent } from '../../core/events.ts';
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

const described = z.object({ description: z.string() });
const taskStop = z.object({ task_id: z.string() });

/** The tool calls of one stream, each from its line to that of its result, or of the end of what it left in the background. */
export function createCalls() {
  const open = new Map<string, Call>();
  /** What the agent has left in the background and waits for before it ends, in words; and the call of each task of that. */
  const awaited = new Map<string, string>();
  const callOfTask = new Map<string, string>();
  const tasks = createTaskList();
  const eventOf = ({ name, input, of }: Call, id: string, result: ToolResult | null): UnnumberedEvent => ({
    ...(tasks(name, input, result) ?? toolEvent(id, name, input, result)),
    ...of,
  });
  return {
    begin(id: string, call: Call): UnnumberedEvent {
      open.set(id, call);
      // What the model itself ends, the agent does not wait for any longer.
      const stopped = call.name === 'TaskStop' ? decodeOrNull(taskStop, call.input)?.task_id : undefined;
      awaited.delete(callOfTask.get(stopped ?? '') ?? '');
      return eventOf(call, id, null);
    },
    /** Null for a call of which the beginning was not seen. */
    end(id: string, result: ToolResult): UnnumberedEvent | null {
      const call = open.get(id);
      open.delete(id);
      awaited.delete(id);
      return call === undefined ? null : eventOf(call, id, result);
    },
    /** A call goes on in the background; `task` is what it is called there where it is awaited. Nobody waits for a subagent's. */
    moveToBackground(id: string, task: string | null): void {
      const call = open.get(id);
      if (call === undefined) return;
      open.set(id, { ...call, goesOn: true });
      if (task === null || call.of.subagent !== undefined) return;
      callOfTask.set(task, id);
      awaited.set(id, decodeOrNull(described, call.input)?.description ?? call.name);
    },
    find: (id: string): Call | null => open.get(id) ?? null,
    isAwaited: (id: string): boolean => awaited.has(id),
    /** The first that the agent waits for, in words; null for nothing. */
    firstAwaited(): string | null {
      const [first = null] = awaited.values();
      return first;
    },
  };
}
