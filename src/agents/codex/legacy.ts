import * as z from 'zod/mini';
import { decodeOrNull, lenient } from '../../core/decode.ts';
import type { FileEdit, StepStatus, Untold } from '../../core/events.ts';
import { innerMessage } from './explain.ts';

const words = lenient(z.string());

/** A line of the old protocol, with every field that an event of any type has. */
const legacyLine = z.object({
  msg: z.object({
    type: z.string(),
    call_id: words,
    message: words,
    text: words,
    query: words,
    command: lenient(z.array(z.unknown())),
    exit_code: lenient(z.number()),
    aggregated_output: words,
    changes: lenient(z.record(z.string(), lenient(z.record(z.string(), z.unknown())))),
    success: lenient(z.boolean()),
    plan: lenient(z.array(lenient(z.object({ step: words, status: words })))),
  }),
});

type Msg = z.infer<typeof legacyLine>['msg'];

/** One warning per stream: such a Codex names no thread, and exits with 0 when it fails. */
export const TOO_OLD =
  'this Codex is too old for zwarm to continue its conversations: npm install -g @openai/codex';

type Command = Extract<Untold, { type: 'command' }>;
type FileChange = Extract<Untold, { type: 'file_change' }>;

function begunCommand(msg: Msg, id: string): Command {
  const command = (msg.command ?? []).filter((word) => typeof word === 'string').join(' ');
  return { type: 'command', id, command, output: null, exitCode: null, status: 'in_progress' };
}

function endedCommand(begun: Command, msg: Msg): Command {
  const status: StepStatus = msg.exit_code === 0 ? 'completed' : 'failed';
  return { ...begun, output: msg.aggregated_output, exitCode: msg.exit_code, status };
}

function begunChange(msg: Msg, id: string): FileChange {
  const changes = Object.entries(msg.changes ?? {}).map(([path, change]): FileEdit => {
    const [kind] = Object.keys(change ?? {});
    return { path, kind: kind === 'add' || kind === 'update' || kind === 'delete' ? kind : 'unknown' };
  });
  return { type: 'file_change', id, changes, status: 'in_progress' };
}

function planEvent(msg: Msg): Untold {
  const items = (msg.plan ?? []).flatMap((item) =>
    item === null ? [] : [{ text: item.step ?? '', completed: item.status === 'completed' }],
  );
  return { type: 'plan', id: 'plan', items };
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

// Events that add nothing to other events.
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
export function createLegacyTranslator(): (json: unknown) => Untold[] | 'unknown' {
  const commands = new Map<string, Command>();
  const changes = new Map<string, FileChange>();

  function translate(msg: Msg): Untold[] | 'unknown' {
    const { type } = msg;
    const id = msg.call_id ?? type;
    const message = msg.message ?? '';
    switch (type) {
      case 'task_started':
        return [{ type: 'turn_started' }, { type: 'warning', message: TOO_OLD }];
      case 'agent_message':
        return [{ type: 'message', text: message }];
      case 'agent_reasoning':
        return [{ type: 'reasoning', text: msg.text ?? '' }];
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
        const status: StepStatus = msg.success ? 'completed' : 'failed';
        return [{ ...(changes.get(id) ?? begunChange(msg, id)), status }];
      }
      case 'plan_update':
        return [planEvent(msg)];
      case 'web_search_end': {
        const args = { query: msg.query };
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

  return (json) => {
    const line = decodeOrNull(legacyLine, json);
    return line === null ? 'unknown' : translate(line.msg);
  };
}
