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

/** What the server is given. */
export interface ServeOptions {
  /** A manager that acts for the client of that name. */
  managerFor(client: string): Promise<SessionManager>;
  readonly input: Readable;
  /** Carries the protocol and nothing else. */
  readonly output: Writable;
  /** Says something to a person. */
  log(line: string): void;
  readonly version: string;
}

const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
const LONGEST_NAME = 40;

/** The longest message, in bytes with its newline. */
const LONGEST_MESSAGE = 10 * 1024 * 1024;

/** Nobody is the user who comes this way. */
const NAMELESS = 'unknown';

/** The name that a client gives itself, as it is recorded: it chooses it, so that only plain characters remain. */
export function clientName(given: unknown): string {
  if (typeof given !== 'string') return NAMELESS;
  const name = given
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .slice(0, LONGEST_NAME);
  return name === '' ? NAMELESS : name;
}

/** Who calls: each request of the newer protocol says so, in the older one the client did when it connected. */
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

function asked(input: object): readonly string[] {
  const { session_id, ids } = input as { session_id?: string; ids?: readonly string[] };
  return session_id === undefined ? (ids ?? []) : [session_id];
}

/** Whether a call was to wait for an answer. */
function waits(input: object): boolean {
  const { mode, wait } = input as { mode?: string; wait?: boolean };
  return mode !== 'async' && wait !== false;
}

/** The longest wait of a call of this client; a configuration that cannot be read leaves it to what the client bears. */
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
  told: ToolCall['told'],
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
      // What has an agent work, and is waited for, is worth a task.
      const task = annotations.openWorldHint && takesTasks(context);
      const call: ToolCall = {
        manager,
        signal,
        progress: progressOf(context),
        longestSec: task ? 0 : adviceSec,
        adviceSec,
        self: manager.caller().parent,
        told,
        async seen(id, turn) {
          // An answer that nobody waits for any more was not seen.
          if (signal.aborted) return;
          await manager.markSeen(id, turn).catch((error: unknown) => {
            log(`zwarm mcp: what was seen could not be noted: ${toZwarmError(error).message}`);
          });
        },
      };
      try {
        const answer = await tool.run(args, call);
        const text = JSON.stringify(answer);
        const result: CallToolResult = { content: [{ type: 'text', text }], structuredContent: answer };
        const { session_id: id, turn, status } = answer as Partial<TurnAnswer>;
        const runs = status === 'running' || status === 'pending';
        return task && waits(args) && runs && id && turn ? asTask(manager, result, id, turn) : result;
      } catch (error) {
        const known = async () => (await manager.list({ all: true })).map(({ id }) => id);
        const text = JSON.stringify(await refusalOf(error, asked(args), known));
        // Text alone: structured content of another form than announced is thrown away by most clients, and the text with it.
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

/**
 * Serves the tools to one client, of the older protocol or the newer one, until it closes its end. The agents that it
 * started go on.
 */
export async function serve(options: ServeOptions): Promise<void> {
  const { input, output, log, version } = options;
  const told = new Map<string, number>();
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
      for (const tool of TOOLS) addTool(server, tool, options, told);
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
  // What is not read any more keeps this process no longer.
  input.unpipe(lines);
}
