import type { LineParser, Untold } from '../../core/events.ts';
import { count, isObject, type Json, optionalNumber, string, unlessMisshapen } from '../fields.ts';
import { createJsonLineParser } from '../json-lines.ts';
import { isDemoThreadId } from './command.ts';

/** What one object of the protocol of `bin/demo-agent.mjs` means; throws where a field does not have its form. */
function readEvent(json: Json): Untold[] | null {
  switch (json['demo']) {
    case 'thread': {
      const threadId = string(json, 'id');
      const model = json['model'] === null ? null : string(json, 'model');
      return isDemoThreadId(threadId) ? [{ type: 'thread_started', threadId, model }] : null;
    }
    case 'think':
      return [{ type: 'reasoning', text: string(json, 'text') }];
    case 'command': {
      const [id, command] = [string(json, 'id'), string(json, 'command')];
      const output = json['output'] === null ? null : string(json, 'output');
      const exitCode = optionalNumber(json, 'exit_code');
      const status = exitCode === null ? 'in_progress' : exitCode === 0 ? 'completed' : 'failed';
      return [{ type: 'command', id, command, output, exitCode, status }];
    }
    case 'wrote': {
      const changes = [{ path: string(json, 'path'), kind: 'add' as const }];
      return [{ type: 'file_change', id: string(json, 'id'), changes, status: 'completed' }];
    }
    case 'say':
      return [{ type: 'message', text: string(json, 'text') }];
    case 'done': {
      const usage = {
        input: count(json, 'input_tokens'),
        cachedInput: 0,
        output: count(json, 'output_tokens'),
        reasoning: null,
        cumulative: false,
        costUsd: null,
      };
      return [{ type: 'usage', usage }, { type: 'turn_completed' }];
    }
    case 'failed':
      return [{ type: 'turn_failed', message: string(json, 'message') }];
    default:
      return null;
  }
}

/** A parser for the stream of one demo agent; lines that it does not know are kept as unknown. */
export function createDemoParser(): LineParser {
  return createJsonLineParser((json) =>
    isObject(json) ? (unlessMisshapen(() => readEvent(json)) ?? 'unknown') : 'unknown',
  );
}
