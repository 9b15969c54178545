import * as z from 'zod/mini';
import { decodeOrNull, lenient } from '../../core/decode.ts';
import type { FileEdit, UnnumberedEvent } from '../../core/events.ts';
import type { Translation } from '../json-lines.ts';
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
const TOO_OLD = 'this Codex is too old for zwarm to continue its conversations: npm install -g @openai/codex';

type Begun = Extract<UnnumberedEvent, { type: 'command' | 'file_change' }>;

function editOf([path, change]: readonly [string, object | null]): FileEdit {
  const [kind] = Object.keys(change ?? {});
  return { path, kind: kind === 'add' || kind === 'update' || kind === 'delete' ? kind : 'unknown' };
}

/** The command or change that a message begins, or ends without its beginning being known. */
function begunBy({ type, command, changes }: Msg, id: string): Begun {
  const status = 'in_progress';
  if (type.startsWith('patch'))
    return { type: 'file_change', id, changes: Object.entries(changes ?? {}).map(editOf), status };
  const typed = (command ?? []).filter((word) => typeof word === 'string').join(' ');
  return { type: 'command', id, command: typed, output: null, exitCode: null, status };
}

function endedBy(begun: Begun, msg: Msg): Begun {
  const { exit_code: exitCode, aggregated_output: output } = msg;
  if (begun.type === 'file_change') return { ...begun, status: msg.success ? 'completed' : 'failed' };
  return { ...begun, output, exitCode, status: exitCode === 0 ? 'completed' : 'failed' };
}

// What is remembered of a stream in which nothing that begins ever ends: the newest few, unless they are enormous.
const BEGUN_COUNT = 64;
const BEGUN_LENGTH = 1 << 20;

function remember(all: Map<string, Begun>, begun: Begun): void {
  if (JSON.stringify(begun).length > BEGUN_LENGTH) return;
  all.set(begun.id, begun);
  const [oldest = ''] = all.keys();
  if (all.size > BEGUN_COUNT) all.delete(oldest);
}

// Events that add nothing to other events.
const REDUNDANT =
  /^(agent_reasoning_section_break|exec_command_output_delta|token_count|turn_diff|web_search_begin)$/;

/**
 * A translator for the protocol of Codex 0.36 and before: two header lines, then `{"id","msg":{"type":…}}`. It knows no
 * thread ids and no successful end; and as an end does not repeat its beginning, the translator remembers that.
 */
export function createLegacyTranslator(): (json: unknown) => Translation {
  const all = new Map<string, Begun>();
  return (json) => {
    const msg = decodeOrNull(legacyLine, json)?.msg;
    if (msg === undefined) return 'unknown';
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
      case 'exec_command_begin':
      case 'patch_apply_begin': {
        const begun = begunBy(msg, id);
        remember(all, begun);
        return [begun];
      }
      case 'exec_command_end':
      case 'patch_apply_end':
        return [endedBy(all.get(id) ?? begunBy(msg, id), msg)];
      case 'plan_update': {
        const items = (msg.plan ?? []).flatMap((item) =>
          item === null ? [] : [{ text: item.step ?? '', completed: item.status === 'completed' }],
        );
        return [{ type: 'plan', id: 'plan', items }];
      }
      case 'web_search_end': {
        const args = { query: msg.query };
        return [{ type: 'tool_call', id, name: 'web_search', args, result: null, status: 'completed' }];
      }
      case 'stream_error':
        return [{ type: 'retry', message: innerMessage(message) }];
      case 'error':
        return [{ type: 'turn_failed', message: innerMessage(message) }];
      default:
        return REDUNDANT.test(type) ? [{ type: 'redundant' }] : 'unknown';
    }
  };
}
