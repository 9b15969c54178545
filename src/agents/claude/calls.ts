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
  /** It goes on although it was answered; `awaited`: and the agent's end waits for it. */
  readonly goesOn?: 'awaited' | 'unawaited';
}

const described = z.object({ description: z.string() });

/** The tool calls of one stream, each from its line to that of its result, or of the end of what it left in the background. */
export function createCalls() {
  const open = new Map<string, Call>();
  const tasks = createTaskList();
  const eventOf = ({ name, input, of }: Call, id: string, result: ToolResult | null): Untold => ({
    ...(tasks(name, input, result) ?? toolEvent(id, name, input, result)),
    ...of,
  });
  const calls = (): readonly Call[] => [...open.values()];
  return {
    begin(id: string, call: Call): Untold {
      open.set(id, call);
      return eventOf(call, id, null);
    },
    /** Null for a call of which the beginning was not seen. */
    end(id: string, result: ToolResult): Untold | null {
      const call = open.get(id);
      open.delete(id);
      return call === undefined ? null : eventOf(call, id, result);
    },
    /** A call goes on in the background. What a subagent has left there nobody waits for. */
    goOn(id: string, isAwaited: boolean): void {
      const call = open.get(id);
      if (call === undefined) return;
      const awaited = isAwaited && call.of.subagent === undefined;
      open.set(id, { ...call, goesOn: awaited ? 'awaited' : (call.goesOn ?? 'unawaited') });
    },
    find: (id: string): Call | null => open.get(id) ?? null,
    /** What the agent has left in the background, and waits for before it ends: in words; null for nothing. */
    awaited(): string | null {
      const call = calls().find(({ goesOn }) => goesOn === 'awaited');
      return call === undefined ? null : (decodeOrNull(described, call.input)?.description ?? call.name);
    },
    /** Whether the model itself is ending something that it has left in the background. */
    isStopping: (): boolean => calls().some(({ name }) => name === 'TaskStop'),
  };
}
