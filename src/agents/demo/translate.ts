import { decodeOrNull } from '../../core/decode.ts';
import type { LineParser, Untold } from '../../core/events.ts';
import { createJsonLineParser } from '../json-lines.ts';
import { type DemoEvent, demoEvent } from './schema.ts';

/** What one object of the protocol of `bin/demo-agent.mjs` means. */
function meaningOf(event: DemoEvent): Untold[] {
  switch (event.demo) {
    case 'thread':
      return [{ type: 'thread_started', threadId: event.id, model: event.model }];
    case 'think':
      return [{ type: 'reasoning', text: event.text }];
    case 'command': {
      const { id, command, output, exit_code: exitCode } = event;
      const status = exitCode === null ? 'in_progress' : exitCode === 0 ? 'completed' : 'failed';
      return [{ type: 'command', id, command, output, exitCode, status }];
    }
    case 'wrote': {
      const changes = [{ path: event.path, kind: 'add' as const }];
      return [{ type: 'file_change', id: event.id, changes, status: 'completed' }];
    }
    case 'say':
      return [{ type: 'message', text: event.text }];
    case 'done': {
      const usage = {
        input: event.input_tokens,
        cachedInput: 0,
        output: event.output_tokens,
        reasoning: null,
        cumulative: false,
        costUsd: null,
      };
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
