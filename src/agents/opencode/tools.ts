import * as z from 'zod/mini';
import { decodeOrNull, lenient, oneOfOr, orNull } from '../../core/decode.ts';
import type { FileEdit, StepStatus, UnnumberedEvent } from '../../core/events.ts';
import { newFileDiff } from '../new-file-diff.ts';

const string = z.string();

/** A call of a tool that has ended, as opencode tells it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** What the model was told, or why it was told nothing. */
  readonly result: string;
  readonly metadata: unknown;
  readonly status: StepStatus;
}

/** Null where its input is not as expected. */
type Tool = (call: ToolCall) => UnnumberedEvent | null;

const bashInput = z.object({ command: string });
const bashMetadata = z.object({ output: lenient(string), exit: lenient(z.int()) });

/** What opencode says in the place of an empty output. */
const NOTHING = '(no output)';

const bash: Tool = ({ id, input, result, metadata, status }) => {
  const command = decodeOrNull(bashInput, input)?.command;
  if (command === undefined) return null;
  const { output = null, exit: exitCode = null } = decodeOrNull(bashMetadata, metadata) ?? {};
  // Without an exit code, opencode itself has ended it, and says so to the model alone.
  const printed = exitCode === null ? result : (output ?? result);
  const ended = status === 'completed' && exitCode !== 0 ? 'failed' : status;
  return {
    type: 'command',
    id,
    command,
    output: printed === NOTHING ? '' : printed,
    exitCode,
    status: ended,
  };
};

/** The lines of a patch under its heads; null where there are none. */
function diffOf(patch: string): string | null {
  const lines = patch.split('\n');
  const head = lines.findIndex((line) => line.startsWith('@@'));
  return head < 0
    ? null
    : lines
        .slice(head)
        .filter((line) => /^[ +\-@]/.test(line))
        .join('\n');
}

const edited = (path: string, kind: FileEdit['kind'], diff: string | null = null): FileEdit => ({
  path,
  kind,
  ...(diff !== null && { diff }),
});

const writeInput = z.object({ filePath: string, content: string });
const writeMetadata = z.object({ exists: z.boolean() });

/** What was refused or failed would have been one or the other. */
function writtenKind(metadata: unknown): FileEdit['kind'] {
  const reported = decodeOrNull(writeMetadata, metadata);
  return reported === null ? 'unknown' : reported.exists ? 'update' : 'add';
}

const write: Tool = ({ id, input, metadata, status }) => {
  const reported = decodeOrNull(writeInput, input);
  if (reported === null) return null;
  const kind = writtenKind(metadata);
  const change = edited(reported.filePath, kind, kind === 'add' ? newFileDiff(reported.content) : null);
  return { type: 'file_change', id, changes: [change], status };
};

const editInput = z.object({ filePath: string, oldString: orNull(string) });
const editMetadata = z.object({ filediff: z.object({ patch: string }) });

const edit: Tool = ({ id, input, metadata, status }) => {
  const reported = decodeOrNull(editInput, input);
  if (reported === null) return null;
  const patch = decodeOrNull(editMetadata, metadata)?.filediff.patch ?? '';
  // It replaces nothing only where there is no file.
  const change = edited(reported.filePath, reported.oldString === '' ? 'add' : 'update', diffOf(patch));
  return { type: 'file_change', id, changes: [change], status };
};

const patched = z.object({
  files: z.array(
    z.object({
      filePath: string,
      type: oneOfOr(['add', 'update', 'delete', 'unknown'], 'unknown'),
      patch: string,
      movePath: orNull(string),
    }),
  ),
});

const applyPatch: Tool = ({ id, metadata, status }) => {
  const files = decodeOrNull(patched, metadata)?.files ?? [];
  if (files.length === 0) return null;
  const changes = files.flatMap(({ filePath, type: kind, patch, movePath }) => {
    const diff = diffOf(patch);
    if (movePath !== null) return [edited(filePath, 'delete'), edited(movePath, 'add', diff)];
    return [edited(filePath, kind, diff)];
  });
  return { type: 'file_change', id, changes, status };
};

const todos = z.object({ todos: z.array(z.object({ content: string, status: string })) });

const todoWrite: Tool = ({ input, status }) => {
  const list = decodeOrNull(todos, input)?.todos;
  if (list === undefined || status !== 'completed') return null;
  const left = list.filter((one) => one.status !== 'cancelled');
  const items = left.map((one) => ({ text: one.content, completed: one.status === 'completed' }));
  return { type: 'plan', id: 'todos', items };
};

const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ['apply_patch', applyPatch],
  ['bash', bash],
  ['edit', edit],
  ['todowrite', todoWrite],
  ['write', write],
]);

const invalid = z.object({ tool: string, error: string });
const UNAVAILABLE = /tried to call unavailable tool/;

/** A call of a tool that the model was not offered, or with arguments that do not fit: its own arguments are not told. */
function invalidCall({ id, input, result }: ToolCall): UnnumberedEvent {
  const { tool: name, error } = decodeOrNull(invalid, input) ?? { tool: 'invalid', error: result };
  // What opencode has, and did not offer, it may not use.
  const status = UNAVAILABLE.test(error) && TOOLS.has(name) ? 'declined' : 'failed';
  return { type: 'tool_call', id, name, args: null, result: error, status };
}

/** What a call of a tool means. */
export function toolEvent(call: ToolCall): UnnumberedEvent {
  const { id, name, input, result, status } = call;
  if (name === 'invalid') return invalidCall(call);
  const known = TOOLS.get(name)?.(call) ?? null;
  return known ?? { type: 'tool_call', id, name, args: input ?? null, result, status };
}
