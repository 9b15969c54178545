import type { McpServer, ServerContext } from '@modelcontextprotocol/server';

/** The tasks extension (SEP-2663, revision 2026-07-28). */
export const TASKS = 'io.modelcontextprotocol/tasks';
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** Of a tool that Claude Code always shows its model; it may have the model search for all others. */
export const KEPT_LOADED = { 'anthropic/alwaysLoad': true } as const;

const LONGEST_NAME = 40;
/** A client without a name is not the user either. */
const NAMELESS = 'unknown';

/** The longest wait of one call, in seconds, where the user configured none: a host gives it up after 60 s. */
const DEFAULT_SEC = 45;
/** Claude Code moves a call to the background after two minutes. */
const CLAUDE_CODE_SEC = 110;

/** The name that a client gives itself, as it is recorded: plain characters alone, as the client chooses them. */
export function clientName(given: unknown): string {
  const name = typeof given === 'string' ? given.toLowerCase().replace(/[^a-z0-9._-]+/g, '-') : '';
  return name.slice(0, LONGEST_NAME) || NAMELESS;
}

/** The client that sent a request: in the newer protocol each says so, in the older one the client did once. */
export function clientOf({ server }: McpServer, { mcpReq }: ServerContext): string {
  const envelope = mcpReq.envelope as { [CLIENT_INFO]?: { name?: unknown } } | undefined;
  return clientName((envelope?.[CLIENT_INFO] ?? server.getClientVersion())?.name);
}

/** Whether the client takes a task as the answer to this request. */
export function takesTasks({ mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as { [CAPABILITIES]?: { extensions?: object } } | undefined;
  return Object.hasOwn(envelope?.[CAPABILITIES]?.extensions ?? {}, TASKS);
}

/** The longest wait of one call, in seconds: what the user configured, else what the client is known to accept. */
export function longestWait(client: string, configured: number | null | undefined): number {
  return configured ?? (/^claude-code/i.test(client) ? CLAUDE_CODE_SEC : DEFAULT_SEC);
}
