import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { type Project, ZWARM } from './project.ts';

/** The two generations of the protocol: one with a handshake, and one in which each request says who asks. */
export const PROTOCOLS = { older: '2025-11-25', newer: '2026-07-28' } as const;
export type Protocol = keyof typeof PROTOCOLS;

export interface ClientOptions {
  readonly protocol?: Protocol;
  readonly name?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What a tool answered. */
export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  /** The structured content; of a refusal, which has none, what its text says. */
  // biome-ignore lint/suspicious/noExplicitAny: each tool has fields of its own
  readonly fields: any;
}

/** A client of `zwarm mcp`, as a host would have one: a process of its own, driven by the official library. */
export interface ToolsClient {
  readonly client: Client;
  /** The pid of the server. */
  readonly pid: number;
  call(tool: string, args?: object, options?: Parameters<Client['callTool']>[1]): Promise<Answer>;
  /** The same, of a call that must not be refused. */
  ok(tool: string, args?: object): Promise<Answer['fields']>;
  close(): Promise<void>;
}

/** The variables of an environment that are set. */
export function definedOf(env: Project['env']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

/** What a refusal says, which comes as text alone; undefined for a text of another kind. */
function refusalIn(text: string): object | undefined {
  return text.startsWith('{') ? JSON.parse(text) : undefined;
}

/** Starts `zwarm mcp` in a project, and connects to it; it ends with the test. */
export async function connectTools(project: Project, options: ClientOptions = {}): Promise<ToolsClient> {
  const { protocol = 'older', name = 'test-client', cwd = project.directory } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [ZWARM, 'mcp'],
    cwd,
    env: definedOf({ ...project.env, ...options.env }),
    stderr: 'inherit',
  });
  const mode = protocol === 'newer' ? { pin: PROTOCOLS.newer } : ('legacy' as const);
  const client = new Client({ name, version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call: ToolsClient['call'] = async (tool, args = {}, requestOptions) => {
    const answer = await client.callTool({ name: tool, arguments: { ...args } }, requestOptions);
    const [content] = answer.content;
    const text = content?.type === 'text' ? content.text : '';
    const isError = answer.isError === true;
    return { isError, text, fields: isError ? refusalIn(text) : answer.structuredContent };
  };
  return {
    client,
    pid: transport.pid ?? 0,
    call,
    async ok(tool, args) {
      const answer = await call(tool, args);
      if (answer.isError) throw new Error(`${tool} was refused: ${answer.text}`);
      return answer.fields;
    },
    close: () => client.close(),
  };
}
