import type { output } from 'zod/mini';
import type { AgentEvent, Line, LineParser } from '../../core/events.ts';
import { DEMO_EVENT } from './schema.ts';

function translate(event: output<typeof DEMO_EVENT>, seq: number): AgentEvent[] {
  switch (event.demo) {
    case 'thread':
      return [{ seq, type: 'thread_started', threadId: event.id, model: event.model }];
    case 'think':
      return [{ seq, type: 'reasoning', text: event.text }];
    case 'command': {
      const { id, command, output, exit_code: exitCode } = event;
      const status = exitCode === null ? 'in_progress' : exitCode === 0 ? 'completed' : 'failed';
      return [{ seq, type: 'command', id, command, output, exitCode, status }];
    }
    case 'wrote': {
      const changes = [{ path: event.path, kind: 'add' as const }];
      return [{ seq, type: 'file_change', id: event.id, changes, status: 'completed' }];
    }
    case 'say':
      return [{ seq, type: 'message', text: event.text }];
    case 'done': {
      const usage = {
        input: event.input_tokens,
        cachedInput: 0,
        output: event.output_tokens,
        reasoning: null,
        cumulative: false,
        costUsd: null,
      };
      return [
        { seq, type: 'usage', usage },
        { seq, type: 'turn_completed' },
      ];
    }
    case 'failed':
      return [{ seq, type: 'turn_failed', message: event.message }];
  }
}

/** A parser for the stream of one demo agent; lines that it does not know are kept as unknown. */
export function createDemoParser(): LineParser {
  return ({ seq, text }: Line): readonly AgentEvent[] => {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      return [{ seq, type: 'malformed', raw: text }];
    }
    const event = DEMO_EVENT.safeParse(json);
    return event.success ? translate(event.data, seq) : [{ seq, type: 'unknown', raw: text }];
  };
}
