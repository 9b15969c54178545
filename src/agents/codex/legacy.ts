import type { FileEdit, StepStatus, Untold } from '../../core/events.ts';
import { isObject, type Json } from '../fields.ts';
import { innerMessage } from './explain.ts';

function text(json: Json, key: string): string | null {
  const value = json[key];
  return typeof value === 'string' ? value : null;
}

/** Said once per stream, because such a Codex names no thread and exits with 0 when it fails. */
export const TOO_OLD =
  'this Codex is too old for zwarm to continue its conversations: npm install -g @openai/codex';

type Command = Extract<Untold, { type: 'command' }>;
type FileChange = Extract<Untold, { type: 'file_change' }>;

function begunCommand(msg: Json, id: string): Command {
  const words: unknown[] = Array.isArray(msg['command']) ? msg['command'] : [];
  return {
    type: 'command',
    id,
    command: words.filter((word) => typeof word === 'string').join(' '),
    output: null,
    exitCode: null,
    status: 'in_progress',
  };
}

function endedCommand(begun: Command, msg: Json): Command {
  const code = msg['exit_code'];
  const exitCode = typeof code === 'number' ? code : null;
  const status: StepStatus = exitCode === 0 ? 'completed' : 'failed';
  return { ...begun, output: text(msg, 'aggregated_output'), exitCode, status };
}

function begunChange(msg: Json, id: string): FileChange {
  const changes = Object.entries(isObject(msg['changes']) ? msg['changes'] : {}).map(
    ([path, change]): FileEdit => {
      const kind = isObject(change) ? Object.keys(change)[0] : undefined;
      return { path, kind: kind === 'add' || kind === 'update' || kind === 'delete' ? kind : 'unknown' };
    },
  );
  return { type: 'file_change', id, changes, status: 'in_progress' };
}

function planEvent(msg: Json): Untold {
  const items = (Array.isArray(msg['plan']) ? msg['plan'] : []).filter(isObject);
  return {
    type: 'plan',
    id: 'plan',
    items: items.map((item) => ({
      text: text(item, 'step') ?? '',
      completed: item['status'] === 'completed',
    })),
  };
}

// What is remembered of a stream in which nothing that begins ever ends: the newest few, unless they are enormous.
const BEGUN_COUNT = 64;
const BEGUN_LENGTH = 1 << 20;

function remember<T extends Command | FileChange>(begun: Map<string, T>, event: T): void {
  const texts = event.type === 'command' ? [event.command] : event.changes.map(({ path }) => path);
  if (texts.reduce((sum, text) => sum + text.length, event.id.length) > BEGUN_LENGTH) return;
  begun.set(event.id, event);
  const [oldest = ''] = begun.keys();
  if (begun.size > BEGUN_COUNT) begun.delete(oldest);
}

// Events that carry nothing which another one does not say better.
const REDUNDANT = new Set([
  'agent_reasoning_section_break',
  'exec_command_output_delta',
  'token_count',
  'turn_diff',
  'web_search_begin',
]);

/**
 * A translator for the protocol of Codex 0.36 and before: two header lines, then `{"id","msg":{"type":…}}`. It keeps
 * old streams readable; that protocol knows no thread ids and no successful end. The end of a command or patch does
 * not repeat what its beginning said, so the translator remembers what has begun.
 */
export function createLegacyTranslator(): (json: Json) => Untold[] | 'unknown' {
  const commands = new Map<string, Command>();
  const changes = new Map<string, FileChange>();

  function translate(type: string, msg: Json): Untold[] | 'unknown' {
    const id = text(msg, 'call_id') ?? type;
    const message = text(msg, 'message') ?? '';
    switch (type) {
      case 'task_started':
        return [{ type: 'turn_started' }, { type: 'warning', message: TOO_OLD }];
      case 'agent_message':
        return [{ type: 'message', text: message }];
      case 'agent_reasoning':
        return [{ type: 'reasoning', text: text(msg, 'text') ?? '' }];
      case 'exec_command_begin': {
        const begun = begunCommand(msg, id);
        remember(commands, begun);
        return [begun];
      }
      case 'exec_command_end':
        return [endedCommand(commands.get(id) ?? begunCommand(msg, id), msg)];
      case 'patch_apply_begin': {
        const begun = begunChange(msg, id);
        remember(changes, begun);
        return [begun];
      }
      case 'patch_apply_end': {
        const status: StepStatus = msg['success'] === true ? 'completed' : 'failed';
        return [{ ...(changes.get(id) ?? begunChange(msg, id)), status }];
      }
      case 'plan_update':
        return [planEvent(msg)];
      case 'web_search_end': {
        const args = { query: text(msg, 'query') };
        return [{ type: 'tool_call', id, name: 'web_search', args, result: null, status: 'completed' }];
      }
      case 'stream_error':
        return [{ type: 'retry', message: innerMessage(message) }];
      case 'error':
        return [{ type: 'turn_failed', message: innerMessage(message) }];
      default:
        return REDUNDANT.has(type) ? [{ type: 'redundant' }] : 'unknown';
    }
  }

  return ({ msg }) =>
    isObject(msg) && typeof msg['type'] === 'string' ? translate(msg['type'], msg) : 'unknown';
}
