import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { type CallToolResult, McpServer, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { toZwarmError } from '../core/errors.ts';
import { isActive } from '../core/status.ts';
import type { SessionManager } from '../manager/session-manager.ts';
import { common, type TurnAnswer, withoutNulls } from './answer.ts';
import { boundedLines, type RequestId } from './bounded-lines.ts';
import { clientName, clientOf, KEPT_LOADED, longestWait, TASKS, takesTasks } from './client.ts';
import { asTask, serveTasks } from './durable-task.ts';
import { knownIds, refusalOf } from './refusal.ts';
import { rootsOf } from './roots.ts';
import { type Tool, type ToolCall, toldOf, WORKS } from './tool.ts';
import { INSTRUCTIONS, LOOP, type Offered, toolsFor } from './tools.ts';
import { unfitOf } from './unfit-argument.ts';

/** What the server needs. */
export interface ServeOptions extends Offered {
  /** A manager that acts for the client of that name; `roots` asks it for the directories that it has open. */
  managerFor(client: string, roots: () => Promise<readonly string[]>): Promise<SessionManager>;
  readonly input: Readable;
  /** Carries the protocol and nothing else. */
  readonly output: Writable;
  /** Writes a line for a person. */
  log(line: string): void;
  readonly version: string;
}

/** The longest message, in bytes with its newline. */
const LONGEST_MESSAGE = 10 * 1024 * 1024;

/** The longest wait of a call; where the configuration cannot be read, what the client is known to accept. */
async function longestOf(manager: SessionManager, client: string, log: ServeOptions['log']): Promise<number> {
  const settings = await manager.settings().catch((error: unknown) => {
    log(`zwarm mcp: ${toZwarmError(error).message}`);
    return null;
  });
  return longestWait(client, settings?.waitSec);
}

/** Text alone: most clients check structured content against the schema, and would throw the refusal away. */
const refused = (refusal: object): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: JSON.stringify(refusal) }],
});

function addTool(
  server: McpServer,
  tool: Tool,
  { managerFor, log }: ServeOptions,
  known: ToolCall['known'],
): void {
  const { name, description, input, output, annotations } = tool;
  server.registerTool(
    name,
    // Every field may be left out: Gemini CLI takes the text of a refusal for structured content, and checks that, too.
    {
      ...{ description, annotations },
      inputSchema: toldOf(input),
      outputSchema: output.extend(common).partial(),
      ...(LOOP.has(name) && { _meta: KEPT_LOADED }),
    },
    async (given, context) => {
      const parsed = input.safeParse(given);
      if (!parsed.success) return refused(unfitOf(parsed.error.issues, given, Object.keys(input.shape)));
      const args = parsed.data;
      const client = clientOf(server, context);
      const manager = await managerFor(client, () => rootsOf(server));
      const { signal, notify, _meta: { progressToken } = {} } = context.mcpReq;
      const longestSec = await longestOf(manager, client, log);
      // A call that has an agent work and waits for it can be a task instead.
      const asksForTask = annotations === WORKS && takesTasks(context);
      const call: ToolCall = {
        manager,
        signal,
        async progress(progress, message) {
          if (progressToken === undefined) return;
          await notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
        },
        longestSec: asksForTask ? 0 : longestSec,
        known,
        async markSeen(id, turn) {
          // Nobody sees the answer to a call that was cancelled.
          if (signal.aborted) return;
          await manager.markSeen(id, turn).catch((error: unknown) => {
            log(`zwarm mcp: could not record what was seen: ${toZwarmError(error).message}`);
          });
        },
      };
      try {
        const answer = withoutNulls(await tool.run(args, call));
        const text = JSON.stringify(answer);
        const result: CallToolResult = { content: [{ type: 'text', text }], structuredContent: answer };
        const { mode, wait } = args as { mode?: string; wait?: boolean };
        if (!asksForTask || mode === 'async' || wait === false) return result;
        const { session_id: id, turn, status } = answer as unknown as TurnAnswer;
        return isActive(status) ? await asTask(manager, result, id, turn) : result;
      } catch (error) {
        return refused(await refusalOf(error, args, () => knownIds(manager)));
      }
    },
  );
}

/** The answer to a message that was too long to be read. */
function tooLong(id: RequestId): string {
  const message = 'the message is longer than 10 MiB: put long text into a file, and name the file';
  return `${JSON.stringify({ jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InvalidRequest, message } })}\n`;
}

/** Serves the tools to one client, in either version of the protocol, until it disconnects. Its agents continue. */
export async function serve(options: ServeOptions): Promise<void> {
  const { input, output, version } = options;
  const log = (error: Error): void => options.log(`zwarm mcp: ${error.message}`);
  const known: ToolCall['known'] = new Map();
  const lines = boundedLines(LONGEST_MESSAGE, (id) => void output.write(tooLong(id)));
  const ended = Promise.race([once(lines, 'end'), once(input, 'close'), once(output, 'error')]).catch(log);
  input.pipe(lines);
  const createServer = (): McpServer => {
    const capabilities = { tools: {}, extensions: { [TASKS]: {} } };
    const server = new McpServer({ name: 'zwarm', version }, { capabilities, instructions: INSTRUCTIONS });
    for (const tool of toolsFor(options)) addTool(server, tool, options, known);
    const roots = () => rootsOf(server);
    serveTasks(server, (context) => options.managerFor(clientOf(server, context), roots));
    // Now: some clients answer nothing while they wait for a call of their own.
    server.server.oninitialized = () =>
      void options.managerFor(clientName(server.server.getClientVersion()?.name), roots).catch(log);
    return server;
  };
  const transport = new StdioServerTransport(lines, output, { maxBufferSize: LONGEST_MESSAGE });
  const handle = serveStdio(createServer, { transport, onerror: log });
  await ended;
  await handle.close();
  // An open input would keep this process alive.
  input.unpipe(lines);
}
