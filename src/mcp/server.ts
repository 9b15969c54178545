import type { Readable, Writable } from 'node:stream';
import {
  type CallToolResult,
  McpServer,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { toZwarmError } from '../core/errors.ts';
import type { SessionManager } from '../manager/session-manager.ts';
import type { TurnAnswer } from './answer.ts';
import { BoundedLines } from './bounded-lines.ts';
import { asTask, serveTasks, TASKS, takesTasks } from './durable-task.ts';
import { INSTRUCTIONS } from './instructions.ts';
import { refusalOf } from './refusal.ts';
import type { Tool, ToolCall } from './tool.ts';
import { TOOLS } from './tools.ts';
import { longestWait } from './wait-budget.ts';

/** What the server needs. */
export interface ServeOptions {
  /** A manager that acts for the client of that name. */
  managerFor(client: string): Promise<SessionManager>;
  readonly input: Readable;
  /** Carries the protocol and nothing else. */
  readonly output: Writable;
  /** Writes a line for a person. */
  log(line: string): void;
  readonly version: string;
}

const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
const LONGEST_NAME = 40;

/** The longest message, in bytes with its newline. */
const LONGEST_MESSAGE = 10 * 1024 * 1024;

/** A client without a name is not the user either. */
const NAMELESS = 'unknown';

/** The name that a client gives itself, as it is recorded: plain characters alone, as the client chooses them. */
export function clientName(given: unknown): string {
  if (typeof given !== 'string') return NAMELESS;
  const name = given
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .slice(0, LONGEST_NAME);
  return name === '' ? NAMELESS : name;
}

/** Who calls: each request of the newer protocol says so; in the older one the client did when it connected. */
function clientOf(server: McpServer, context: ServerContext): string {
  const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const info = (envelope?.[CLIENT_INFO] ?? server.server.getClientVersion()) as
    | { name?: unknown }
    | undefined;
  return clientName(info?.name);
}

function progressOf({ mcpReq }: ServerContext): ToolCall['progress'] {
  const token = mcpReq._meta?.progressToken;
  if (token === undefined) return null;
  return (seconds, message) =>
    mcpReq.notify({
      method: 'notifications/progress',
      params: { progressToken: token, progress: seconds, message },
    });
}

/** The session ids in the arguments of a call. */
function idsIn(input: object): readonly string[] {
  const { session_id, ids } = input as { session_id?: string; ids?: readonly string[] };
  return session_id === undefined ? (ids ?? []) : [session_id];
}

/** Whether a call asks to wait for the answer. */
function waits(input: object): boolean {
  const { mode, wait } = input as { mode?: string; wait?: boolean };
  return mode !== 'async' && wait !== false;
}

/** The longest wait of a call; where the configuration cannot be read, what the client is known to accept. */
async function longestOf(manager: SessionManager, client: string, log: ServeOptions['log']): Promise<number> {
  try {
    return longestWait(client, (await manager.settings()).waitSec);
  } catch (error) {
    log(`zwarm mcp: ${toZwarmError(error).message}`);
    return longestWait(client, null);
  }
}

function addTool(
  server: McpServer,
  tool: Tool,
  { managerFor, log }: ServeOptions,
  known: ToolCall['known'],
): void {
  const { name, description, input, output, annotations } = tool;
  server.registerTool(
    name,
    { description, inputSchema: input, outputSchema: output, annotations },
    async (args, context) => {
      const client = clientOf(server, context);
      const manager = await managerFor(client);
      const { signal } = context.mcpReq;
      const adviceSec = await longestOf(manager, client, log);
      // A call that has an agent work and waits for it can be a task instead.
      const asksForTask = annotations.openWorldHint && takesTasks(context);
      const call: ToolCall = {
        manager,
        signal,
        progress: progressOf(context),
        longestSec: asksForTask ? 0 : adviceSec,
        adviceSec,
        self: manager.caller().parent,
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
        const answer = await tool.run(args, call);
        const text = JSON.stringify(answer);
        const result: CallToolResult = { content: [{ type: 'text', text }], structuredContent: answer };
        const { session_id: id, turn, status } = answer as Partial<TurnAnswer>;
        const runs = status === 'running' || status === 'pending';
        return asksForTask && waits(args) && runs && id && turn ? asTask(manager, result, id, turn) : result;
      } catch (error) {
        const allIds = async () => (await manager.list({ all: true })).map(({ id }) => id);
        const text = JSON.stringify(await refusalOf(error, idsIn(args), allIds));
        // Text alone: most clients check structured content against the schema, and would throw the refusal away.
        return { isError: true, content: [{ type: 'text', text }] };
      }
    },
  );
}

/** The answer to a message that was too long to be read. */
function tooLong(id: string | number | null): string {
  const message = 'the message is longer than 10 MiB: put long text into a file, and name the file';
  return `${JSON.stringify({ jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InvalidRequest, message } })}\n`;
}

/** Serves the tools to one client, in either version of the protocol, until it disconnects. Its agents continue. */
export async function serve(options: ServeOptions): Promise<void> {
  const { input, output, log, version } = options;
  const known: ToolCall['known'] = new Map();
  const lines = new BoundedLines(LONGEST_MESSAGE, (id) => void output.write(tooLong(id)));
  const ended = new Promise<void>((resolve) => {
    lines.once('end', resolve);
    input.once('close', resolve);
    input.once('error', (error) => {
      log(`zwarm mcp: ${error.message}`);
      resolve();
    });
    output.once('error', () => resolve());
  });
  input.pipe(lines);
  const handle = serveStdio(
    () => {
      const server = new McpServer(
        { name: 'zwarm', version },
        { capabilities: { tools: {}, extensions: { [TASKS]: {} } }, instructions: INSTRUCTIONS },
      );
      for (const tool of TOOLS) addTool(server, tool, options, known);
      serveTasks(server, (context) => options.managerFor(clientOf(server, context)));
      return server;
    },
    {
      transport: new StdioServerTransport(lines, output, { maxBufferSize: LONGEST_MESSAGE }),
      onerror: (error) => log(`zwarm mcp: ${error.message}`),
    },
  );
  await ended;
  await handle.close();
  // An open input would keep this process alive.
  input.unpipe(lines);
}
