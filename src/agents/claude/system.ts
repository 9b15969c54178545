import * as z from 'zod/mini';
import { count, flag, lenient } from '../../core/decode.ts';
import { shaped, type Translation, threadId } from '../json-lines.ts';
import { cutOff, type Memory, orRedundant, redundant } from './memory.ts';
import type { ToolResult } from './tools.ts';

const string = z.string();

/** Why something is tried again, in words. */
export const whyRetried = (error: string | null, status: number | null): string =>
  [error ?? 'error', ...(status === null ? [] : [`status ${status}`])].join(', ');

const retry = shaped(
  z.object({
    attempt: count,
    max_retries: count,
    error_status: lenient(count),
    error: lenient(string),
  }),
  ({ attempt, max_retries: most, error_status: status, error }): Translation => [
    { type: 'retry', message: `it tries again, ${attempt} of ${most}: ${whyRetried(error, status)}` },
  ],
);

/** What an agent's end waits for: it tells no result before. */
const AWAITED = ['local_agent', 'local_workflow'];

/** A tool goes on in the background. Workflows always do. */
const taskStarted = shaped(
  z.object({
    tool_use_id: lenient(string),
    task_id: lenient(string),
    task_type: lenient(string),
    is_backgrounded: flag,
  }),
  (
    { tool_use_id: id, task_id: taskId, task_type: type, is_backgrounded: isBackground },
    { calls }: Memory,
  ): Translation => {
    if (id !== null && (isBackground || type === 'local_workflow'))
      calls.moveToBackground(id, AWAITED.includes(type ?? '') ? (taskId ?? id) : null);
    return [redundant()];
  },
);

const ENDS: readonly ToolResult['status'][] = ['completed', 'failed'];

/** After the description of a command, at the end of what is told of it. */
const EXIT_CODE = /" (?:completed \(|failed with )exit code (\d{1,3})\b[^"]*$/;

/** What ran in the background has ended, by itself or not. */
const backgroundEnded = shaped(
  z.object({ tool_use_id: lenient(string), status: string, summary: z._default(string, '') }),
  ({ tool_use_id: id, status, summary }, memory: Memory): Translation => {
    const { calls } = memory;
    const code = EXIT_CODE.exec(summary)?.[1];
    const call = calls.find(id ?? '');
    const end = ENDS.find((one) => one === status);
    const isStopped = end === undefined;
    const result: ToolResult = {
      // Of what was stopped the summary is the description.
      text: call?.name === 'Bash' ? '' : isStopped ? null : summary,
      structured: undefined,
      status: end ?? 'interrupted',
      ...(code !== undefined && { exitCode: Number(code) }),
    };
    if (id !== null && isStopped && calls.isAwaited(id)) memory.cut = cutOff(summary);
    const event = id !== null && call?.goesOn ? calls.end(id, result) : null;
    const events = event === null ? [] : [event];
    // The program itself calls such a turn a success.
    if (!isStopped || !memory.ended) return orRedundant(events);
    return [...events, { type: 'turn_failed', message: cutOff(summary) }];
  },
);

/** The `uuid`s that are remembered, and how long one is; real ones are some dozens. */
const MOST_REPEATED = 1000;
const UUID_LENGTH = 36;

/** With the summary, and what is said once more after it, come lines that tell nothing new. */
const compactBoundary = shaped(
  z.object({
    compact_metadata: lenient(
      z.object({
        preserved_messages: lenient(
          z.object({ anchor_uuid: lenient(string), uuids: lenient(z.array(string)) }),
        ),
      }),
    ),
  }),
  ({ compact_metadata: metadata }, memory: Memory): Translation => {
    const kept = metadata?.preserved_messages;
    const uuids = [kept?.anchor_uuid ?? [], kept?.uuids ?? []].flat();
    memory.repeated = new Set(uuids.filter(({ length }) => length <= UUID_LENGTH).slice(0, MOST_REPEATED));
    return [redundant()];
  },
);

const informational = shaped(
  z.object({ content: string, prompt_submit_outcome: lenient(z.object({ kind: string })) }),
  ({ content, prompt_submit_outcome: outcome }, memory: Memory): Translation => {
    // A hook has kept the prompt from the model.
    if (outcome?.kind === 'blocked_by_hook') memory.cut = content;
    return [{ type: 'warning', message: content }];
  },
);

const SYSTEM = new Map<string, (json: object, memory: Memory) => Translation>([
  [
    'init',
    shaped(
      z.object({ session_id: threadId, model: lenient(string) }),
      ({ session_id: id, model }, memory) => {
        memory.ended = false;
        memory.cut = null;
        const used = model === null ? {} : { model };
        return [{ type: 'thread_started', threadId: id, ...used }, { type: 'turn_started' }];
      },
    ),
  ],
  ['api_retry', retry],
  ['task_started', taskStarted],
  ['task_notification', backgroundEnded],
  ['compact_boundary', compactBoundary],
  ['informational', informational],
  ['notification', shaped(z.object({ text: string }), ({ text }) => [{ type: 'warning', message: text }])],
  ...[
    ...['background_tasks_changed', 'hook_progress', 'hook_response', 'hook_started'],
    ...['model_refusal_no_fallback', 'permission_denied', 'session_title_changed', 'status'],
    ...['task_progress', 'task_updated', 'thinking_tokens'],
  ].map((subtype) => [subtype, (): Translation => [redundant()]] as const),
]);

/** A line of the type `system`, which the program says of itself. */
export const system = shaped(
  z.looseObject({ subtype: string }),
  (line, memory: Memory): Translation => SYSTEM.get(line.subtype)?.(line, memory) ?? 'unknown',
);
