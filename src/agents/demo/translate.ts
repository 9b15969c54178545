import * as z from 'zod/mini';
import { count, decodeOrNull, orNull } from '../../core/decode.ts';
import type { LineParser, UnnumberedEvent } from '../../core/events.ts';
import { createJsonLineParser, threadId } from '../json-lines.ts';

const string = z.string();

/** One line that `bin/demo-agent.mjs` prints. */
const demoEvent = z.discriminatedUnion('demo', [
  z.object({ demo: z.literal('thread'), id: threadId }),
  z.object({ demo: z.literal('think'), text: string }),
  z.object({
    demo: z.literal('command'),
    id: string,
    command: string,
    output: z.nullable(string),
    exit_code: orNull(z.number()),
  }),
  z.object({
    demo: z.literal('wrote'),
    id: string,
    path: string,
    kind: z.optional(z.enum(['add', 'update'])),
  }),
  z.object({ demo: z.literal('say'), text: string }),
  z.object({ demo: z.literal('done'), input_tokens: count, output_tokens: count }),
  z.object({ demo: z.literal('failed'), message: string }),
]);

function meaningOf(event: z.infer<typeof demoEvent>): UnnumberedEvent[] {
  switch (event.demo) {
    case 'thread':
      return [{ type: 'thread_started', threadId: event.id }];
    case 'think':
      return [{ type: 'reasoning', text: event.text }];
    case 'command': {
      const { id, command, output, exit_code: exitCode } = event;
      const status = exitCode === null ? 'in_progress' : exitCode === 0 ? 'completed' : 'failed';
      return [{ type: 'command', id, command, output, exitCode, status }];
    }
    case 'wrote': {
      const changes = [{ path: event.path, kind: event.kind ?? ('add' as const) }];
      return [{ type: 'file_change', id: event.id, changes, status: 'completed' }];
    }
    case 'say':
      return [{ type: 'message', text: event.text }];
    case 'done': {
      const { input_tokens: input, output_tokens: output } = event;
      const usage = { input, cachedInput: 0, output, reasoning: null, costUsd: null, of: 'process' as const };
      return [{ type: 'usage', usage }, { type: 'turn_completed' }];
    }
    case 'failed':
      return [{ type: 'turn_failed', message: event.message }];
  }
}

/** A parser for the stream of one demo agent; lines that it does not know are kept as unknown. */
export function createDemoParser(): LineParser {
  return createJsonLineParser((json) => {
    const event = decodeOrNull(demoEvent, json);
    return event === null ? 'unknown' : meaningOf(event);
  });
}
