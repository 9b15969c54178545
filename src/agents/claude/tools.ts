import * as z from 'zod/mini';
import { decodeOrNull, lenient, orNull } from '../../core/decode.ts';
import type { FileEdit, StepStatus, UnnumberedEvent } from '../../core/events.ts';
import { newFileDiff } from '../new-file-diff.ts';

/** How a tool call ended: what the model was told, and what the program says of it besides. */
export interface ToolResult {
  /** Null where it was cut off. */
  readonly text: string | null;
  /** Undefined where the program says nothing: of what a subagent did well. */
  readonly structured: unknown;
  readonly status: StepStatus;
  /** Of a command, where the program says it. */
  readonly exitCode?: number;
}

/** Reads a call that has ended, or one that has not: then the result is null. Null where its input is not as expected. */
type Tool = (id: string, input: unknown, result: ToolResult | null) => UnnumberedEvent | null;

const string = z.string();
const statusOf = (result: ToolResult | null): StepStatus => result?.status ?? 'in_progress';

const FAILED = /^(?:Error: )?Exit code (\d+)\n?/;
/** What the model is told in place of nothing. */
const SILENT = '(Bash completed with no output)';
const bashInput = z.object({ command: string });
/** Told where a command ended with 1 and that is no failure, such as `grep` without a match. */
const bashResult = z.object({ returnCodeInterpretation: string });

function exitCodeOf({ text, structured, status, exitCode }: ToolResult): number | null {
  if (exitCode !== undefined) return exitCode;
  // Then also a command that ended with 1 and that is no failure.
  if (status === 'completed' && structured === undefined) return null;
  if (status === 'completed') return decodeOrNull(bashResult, structured) === null ? 0 : 1;
  const said = FAILED.exec(text ?? '')?.[1];
  return said === undefined ? null : Number(said);
}

function outputOf({ text, status }: ToolResult): string | null {
  if (status !== 'completed') return text?.replace(FAILED, '') ?? null;
  return text === SILENT ? '' : text;
}

const bash: Tool = (id, input, result) => {
  const command = decodeOrNull(bashInput, input)?.command;
  if (command === undefined) return null;
  const ended = { output: result && outputOf(result), exitCode: result && exitCodeOf(result) };
  return { type: 'command', id, command, ...ended, status: statusOf(result) };
};

const fileInput = z.object({
  file_path: string,
  content: lenient(string),
  old_string: lenient(string),
  new_string: lenient(string),
});
const notebookInput = z.object({ notebook_path: string });
const fileResult = z.object({
  type: lenient(string),
  content: lenient(string),
  originalFile: lenient(string),
  structuredPatch: lenient(
    z.array(
      z.object({
        oldStart: z.number(),
        oldLines: z.number(),
        newStart: z.number(),
        newLines: z.number(),
        lines: z.array(string),
      }),
    ),
  ),
});

/** All that the model is told of a file that a subagent has made. */
const CREATED = /^File created successfully at: /;

/** What is in the file that a call has made; null where it was there before, as far as that is told. */
function madeBy(
  input: z.infer<typeof fileInput> | null,
  reported: z.infer<typeof fileResult> | null,
  result: ToolResult | null,
): string | null {
  if (reported?.type === 'create') return reported.content ?? '';
  if (input?.old_string === '' && reported?.originalFile === '') return input.new_string;
  return result?.status === 'completed' && CREATED.test(result.text ?? '') ? (input?.content ?? null) : null;
}

function diffOf({ structuredPatch: hunks }: z.infer<typeof fileResult>): string | null {
  if (hunks === null || hunks.length === 0) return null;
  const texts = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ]);
  return texts.join('\n');
}

const edit: Tool = (id, input, result) => {
  const file = decodeOrNull(fileInput, input);
  const path = file?.file_path ?? decodeOrNull(notebookInput, input)?.notebook_path;
  if (path === undefined) return null;
  const reported = decodeOrNull(fileResult, result?.structured);
  const made = madeBy(file, reported, result);
  const diff = made !== null ? newFileDiff(made) : reported === null ? null : diffOf(reported);
  const change: FileEdit = { path, kind: made === null ? 'update' : 'add', ...(diff !== null && { diff }) };
  return { type: 'file_change', id, changes: [change], status: statusOf(result) };
};

const todos = z.object({ todos: z.array(z.object({ content: string, status: string })) });

const todoWrite: Tool = (_, input) => {
  const list = decodeOrNull(todos, input)?.todos;
  if (list === undefined) return null;
  const items = list.map(({ content, status }) => ({ text: content, completed: status === 'completed' }));
  return { type: 'plan', id: 'todos', items };
};

const TOOLS: ReadonlyMap<string, Tool> = new Map([
  ['Bash', bash],
  ['Write', edit],
  ['Edit', edit],
  ['MultiEdit', edit],
  ['NotebookEdit', edit],
  ['TodoWrite', todoWrite],
]);

/** What a tool call means. */
export function toolEvent(
  id: string,
  name: string,
  input: unknown,
  result: ToolResult | null,
): UnnumberedEvent {
  const known = TOOLS.get(name)?.(id, input, result) ?? null;
  if (known !== null) return known;
  return {
    type: 'tool_call',
    id,
    name,
    args: input ?? null,
    result: result?.text ?? null,
    status: statusOf(result),
  };
}

const created = z.object({ task: z.object({ id: string, subject: string }) });
const updated = z.object({ taskId: string, status: orNull(string), subject: orNull(string) });
const listed = z.object({ tasks: z.array(z.object({ id: string, subject: string, status: string })) });

/**
 * Claude Code's list of tasks, which its model changes one by one. Null for a call that is about something else, has failed,
 * or changes a task that this stream has not told: one of an earlier turn.
 */
export function createTaskList(): (
  name: string,
  input: unknown,
  result: ToolResult | null,
) => UnnumberedEvent | null {
  const tasks = new Map<string, { text: string; completed: boolean }>();
  /** Each returns whether it has understood the call. */
  const change: Readonly<Record<string, (input: unknown, structured: unknown) => boolean>> = {
    TaskCreate(_, structured) {
      const task = decodeOrNull(created, structured)?.task;
      if (task !== undefined) tasks.set(task.id, { text: task.subject, completed: false });
      return task !== undefined;
    },
    TaskUpdate(input) {
      const said = decodeOrNull(updated, input);
      const task = said === null ? undefined : tasks.get(said.taskId);
      if (said === null || task === undefined) return false;
      if (said.status === 'deleted') return tasks.delete(said.taskId);
      tasks.set(said.taskId, {
        text: said.subject ?? task.text,
        completed: said.status === null ? task.completed : said.status === 'completed',
      });
      return true;
    },
    TaskList(_, structured) {
      const all = decodeOrNull(listed, structured)?.tasks;
      // A plan of nothing says less than the call.
      if (all === undefined || (all.length === 0 && tasks.size === 0)) return false;
      tasks.clear();
      for (const { id, subject, status } of all)
        tasks.set(id, { text: subject, completed: status === 'completed' });
      return true;
    },
  };
  return (name, input, result) => {
    const act = Object.hasOwn(change, name) ? change[name] : undefined;
    if (act === undefined) return null;
    if (result === null) return { type: 'redundant' };
    if (result.status !== 'completed' || !act(input, result.structured)) return null;
    return { type: 'plan', id: 'tasks', items: [...tasks.values()] };
  };
}
