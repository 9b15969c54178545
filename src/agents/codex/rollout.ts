import * as z from 'zod/mini';
import type { HistoryReader } from '../../core/conversation/session-file.ts';
import { count, decodeOrNull, lenient, oneOfOr, orNull, path } from '../../core/decode.ts';
import type { FileEdit, UnnumberedEvent } from '../../core/events.ts';
import { parseJson } from '../../core/json.ts';
import { shellWord } from '../../core/shell-word.ts';
import { createHistoryReader, type LineFacts } from '../history-lines.ts';
import { shaped, type Translation, threadId } from '../json-lines.ts';
import { newFileDiff } from '../new-file-diff.ts';

/*
 * The lines of Codex's session files (0.36 to 0.169). The newer ones tell each item when it is complete (`item_completed`);
 * older ones (up to 0.104) tell messages as events, and commands only as what was sent to the model.
 */

const string = z.string();
const strings = z.array(string);
const anything = z.optional(z.unknown());
const redundant = (): Translation => [{ type: 'redundant' }];

/** What the parser remembers of the lines before. */
interface Memory {
  /** Items are printed when they are complete. */
  hasItems: boolean;
  /** Calls of tools that have no output yet, of a file without items. */
  readonly calls: Map<string, (output: string | null) => UnnumberedEvent>;
  facts: LineFacts;
}

const texts = z.array(z.object({ text: lenient(string) }));
const textOf = (parts: z.infer<typeof texts>): string => parts.flatMap(({ text }) => text ?? []).join('\n');

/** What a shell was asked to run, in the words of the one who asked. */
function commandText(argv: readonly string[]): string {
  const [program = '', option = '', script] = argv;
  if (argv.length === 3 && script !== undefined && /^-l?c$/.test(option) && /sh$/.test(program))
    return script;
  return argv.map(shellWord).join(' ');
}

const status = oneOfOr(['completed', 'failed', 'declined', 'in_progress'], 'completed');

const change = z.object({ type: string, content: lenient(string), unified_diff: lenient(string) });
const KINDS: Readonly<Record<string, FileEdit['kind']>> = { add: 'add', update: 'update', delete: 'delete' };

function editOf(path: string, { type, content, unified_diff: diff }: z.infer<typeof change>): FileEdit {
  const known = type === 'add' ? newFileDiff(content ?? '') : diff;
  return { path, kind: KINDS[type] ?? 'unknown', ...(known && { diff: known.replace(/\n$/, '') }) };
}

const ITEMS: Readonly<Record<string, (item: unknown, memory: Memory) => Translation>> = {
  UserMessage: shaped(z.object({ content: texts }), ({ content }, memory: Memory) => {
    memory.facts = { prompt: textOf(content) };
    return redundant();
  }),
  AgentMessage: shaped(z.object({ content: texts }), ({ content }) => [
    { type: 'message', text: textOf(content) },
  ]),
  Reasoning: shaped(z.object({ summary_text: strings }), ({ summary_text: lines }) =>
    lines.length === 0 ? redundant() : [{ type: 'reasoning', text: lines.join('\n') }],
  ),
  CommandExecution: shaped(
    z.object({
      id: string,
      command: strings,
      aggregated_output: lenient(string),
      exit_code: orNull(z.number()),
      status,
    }),
    ({ id, command, aggregated_output: output, exit_code: exitCode, status }) => [
      { type: 'command', id, command: commandText(command), output, exitCode, status },
    ],
  ),
  FileChange: shaped(
    z.object({ id: string, changes: z.record(string, change), status }),
    ({ id, changes, status }) => [
      {
        type: 'file_change',
        id,
        changes: Object.entries(changes).map(([path, one]) => editOf(path, one)),
        status,
      },
    ],
  ),
  McpToolCall: shaped(
    z.object({ id: string, server: string, tool: string, arguments: anything, result: anything, status }),
    ({ id, server, tool, arguments: args = null, result = null, status }) => [
      { type: 'tool_call', id, name: `${server}.${tool}`, args, result, status },
    ],
  ),
  WebSearch: shaped(z.object({ id: string, query: orNull(string) }), ({ id, query }) => [
    { type: 'tool_call', id, name: 'web_search', args: { query }, result: null, status: 'completed' },
  ]),
};
const items = new Map(Object.entries(ITEMS));

const tokens = z.object({
  input_tokens: count,
  cached_input_tokens: count,
  output_tokens: count,
  reasoning_output_tokens: orNull(count),
});

const EVENTS: Readonly<Record<string, (payload: unknown, memory: Memory) => Translation>> = {
  task_complete: () => [{ type: 'turn_completed' }],
  turn_aborted(_, memory) {
    memory.facts = { interrupted: true };
    return redundant();
  },
  error: shaped(z.object({ message: string }), ({ message }) => [{ type: 'turn_failed', message }]),
  item_completed: shaped(z.object({ item: z.looseObject({ type: string }) }), ({ item }, memory: Memory) => {
    memory.hasItems = true;
    return items.get(item.type)?.(item, memory) ?? redundant();
  }),
  user_message: shaped(z.object({ message: string }), ({ message }, memory: Memory) => {
    memory.facts = { prompt: message };
    return [{ type: 'turn_started' }];
  }),
  // An older Codex does not say that a turn is complete: it is, unless something follows the answer.
  agent_message: shaped(z.object({ message: string }), ({ message: text }) => [
    { type: 'message', text },
    { type: 'turn_completed' },
  ]),
  agent_reasoning: shaped(z.object({ text: string }), ({ text }) => [{ type: 'reasoning', text }]),
  token_count: shaped(
    z.object({ info: lenient(z.object({ total_token_usage: tokens })) }),
    ({ info }): Translation => {
      if (info === null) return redundant();
      const { total_token_usage: total } = info;
      const usage = {
        input: total.input_tokens,
        cachedInput: total.cached_input_tokens,
        output: total.output_tokens,
        reasoning: total.reasoning_output_tokens,
        costUsd: null,
        of: 'thread' as const,
      };
      return [{ type: 'usage', usage }];
    },
  ),
};
const events = new Map(Object.entries(EVENTS));

const plan = z.object({ plan: z.array(z.object({ step: string, status: string })) });
const patch = /^\*\*\* (Add|Update|Delete) File: (.*)$/gm;
const shell = z.object({ command: strings });
const execCommand = z.object({ cmd: string });

/** What the model asked a tool to do, as it is before the tool has answered and after. */
function callOf(id: string, name: string, input: string): (output: string | null) => UnnumberedEvent {
  const args = parseJson(input);
  const command = decodeOrNull(execCommand, args)?.cmd ?? decodeOrNull(shell, args)?.command;
  const isPatch = name === 'apply_patch' || (Array.isArray(command) && command[0] === 'apply_patch');
  return (output) => {
    const ended = output === null ? null : outcomeOf(output);
    const status = ended === null ? 'in_progress' : (ended.exitCode ?? 0) === 0 ? 'completed' : 'failed';
    if (isPatch) {
      const changes = [...input.replaceAll('\\n', '\n').matchAll(patch)].map(([, verb = '', path = '']) => ({
        path,
        kind: KINDS[verb.toLowerCase()] ?? 'unknown',
      }));
      return { type: 'file_change', id, changes, status };
    }
    if (command === undefined)
      return { type: 'tool_call', id, name, args: args ?? input, result: output, status };
    const text = typeof command === 'string' ? command : commandText(command);
    const { output: printed = null, exitCode = null } = ended ?? {};
    return { type: 'command', id, command: text, output: printed, exitCode, status };
  };
}

const answered = z.object({ output: string, metadata: z.object({ exit_code: z.number() }) });

/** What a command printed and its exit code, in the two forms in which the model was told them. */
function outcomeOf(output: string): { readonly output: string; readonly exitCode: number | null } {
  const shown = decodeOrNull(answered, parseJson(output));
  if (shown !== null) return { output: shown.output, exitCode: shown.metadata.exit_code };
  const code = /^Process exited with code (-?\d+)$/m.exec(output)?.[1];
  const at = output.indexOf('\nOutput:\n');
  return {
    output: at < 0 ? output : output.slice(at + '\nOutput:\n'.length),
    exitCode: code === undefined ? null : Number(code),
  };
}

const call = z.object({ call_id: string, name: string, arguments: lenient(string), input: lenient(string) });
const callOutput = z.object({ call_id: string, output: z.unknown() });

/** What was sent to the model or came from it: of a file with items, plans alone are recorded nowhere else. */
function responseItem(payload: unknown, memory: Memory): Translation {
  const asked = decodeOrNull(call, payload);
  if (asked?.name === 'update_plan') {
    const steps = decodeOrNull(plan, parseJson(asked.arguments ?? ''))?.plan ?? [];
    const items = steps.map(({ step: text, status }) => ({ text, completed: status === 'completed' }));
    return [{ type: 'plan', id: 'plan', items }];
  }
  if (memory.hasItems) return redundant();
  if (asked !== null) {
    const tell = callOf(asked.call_id, asked.name, asked.arguments ?? asked.input ?? '');
    memory.calls.set(asked.call_id, tell);
    return [{ type: 'turn_started' }, tell(null)];
  }
  const result = decodeOrNull(callOutput, payload);
  const tell = memory.calls.get(result?.call_id ?? '');
  if (result === null || tell === undefined) return redundant();
  memory.calls.delete(result.call_id);
  return [tell(typeof result.output === 'string' ? result.output : JSON.stringify(result.output))];
}

const meta = z.object({ id: threadId, cwd: path, cli_version: string });
const context = z.object({ model: string });

const LINES: Readonly<Record<string, (payload: unknown, memory: Memory) => Translation>> = {
  session_meta: shaped(meta, ({ id, cwd: directory, cli_version: version }, memory: Memory) => {
    memory.facts = { thread: { id, directory, version } };
    return [{ type: 'thread_started', threadId: id }];
  }),
  turn_context(payload, memory) {
    memory.facts = { model: decodeOrNull(context, payload)?.model ?? null };
    return redundant();
  },
  event_msg: shaped(
    z.looseObject({ type: string }),
    (payload, memory: Memory) => events.get(payload.type)?.(payload, memory) ?? redundant(),
  ),
  response_item: responseItem,
};
const lines = new Map(Object.entries(LINES));

const anyLine = z.object({ timestamp: lenient(string), type: string, payload: z.unknown() });

/** A reader for one of Codex's session files. What it does not know is for Codex alone. */
export function createRolloutReader(): HistoryReader {
  const memory: Memory = { hasItems: false, calls: new Map(), facts: {} };
  return createHistoryReader((json) => {
    const line = decodeOrNull(anyLine, json);
    if (line === null) return { facts: {}, means: 'malformed' };
    memory.facts = {};
    const means = lines.get(line.type)?.(line.payload, memory) ?? redundant();
    return { facts: { ...memory.facts, at: line.timestamp }, means };
  });
}
