import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { installedPackage } from './installed.ts';
import { type Project, ZWARM } from './project.ts';

/** The two generations of the protocol: one with a handshake, and one in which each request says who asks. */
export const PROTOCOLS = { older: '2025-11-25', newer: '2026-07-28' } as const;
export type Protocol = keyof typeof PROTOCOLS;

/** How to start `zwarm mcp` in a project. */
export function serverOf({ directory, env }: Project, cwd = directory, args: readonly string[] = []) {
  const defined = Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  const command = { command: process.execPath, args: [ZWARM, 'mcp', ...args] };
  return { ...command, cwd, env: Object.fromEntries(defined), stderr: 'inherit' as const };
}

/** Starts `zwarm mcp` in a project, and connects to it with the official library; it ends with the test. */
export async function connectTools(
  project: Project,
  options: {
    readonly protocol?: Protocol;
    readonly cwd?: string;
    readonly args?: readonly string[];
    /** What the client says of the directories that it has open; without it the client does not offer to. */
    readonly roots?: () => Promise<readonly string[]>;
  } = {},
) {
  const transport = new StdioClientTransport(serverOf(project, options.cwd, options.args));
  const mode = options.protocol === 'newer' ? { pin: PROTOCOLS.newer } : ('legacy' as const);
  const client = new Client({ name: 'test-client', version: '1.0.0' }, { versionNegotiation: { mode } });
  const { roots } = options;
  if (roots !== undefined) {
    client.registerCapabilities({ roots: {} });
    client.setRequestHandler('roots/list', async () => ({ roots: (await roots()).map((uri) => ({ uri })) }));
  }
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (tool: string, args: object = {}, more?: Parameters<Client['callTool']>[1]) => {
    const { isError, content, structuredContent } = await client.callTool(
      { name: tool, arguments: { ...args } },
      more,
    );
    const text = content[0]?.type === 'text' ? content[0].text : '';
    // biome-ignore lint/suspicious/noExplicitAny: each tool has fields of its own
    return { isError: isError === true, text, fields: structuredContent as any };
  };
  return {
    client,
    /** The pid of the server. */
    pid: transport.pid ?? 0,
    call,
    /** The fields of the answer to a call that must not be refused. */
    async ok(tool: string, args?: object) {
      const { isError, text, fields } = await call(tool, args);
      if (isError) throw new Error(`${tool} was refused: ${text}`);
      return fields;
    },
  };
}

/** The official library of the first generation, which most hosts have; it checks the content of every answer. */
export const FIRST_SDK = installedPackage('@modelcontextprotocol/sdk', '1.32.0');

/** What is used of it. */
interface FirstClient {
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: { name: string; arguments: object }): Promise<{
    readonly isError?: boolean;
    readonly content: readonly { readonly text?: string }[];
    // biome-ignore lint/suspicious/noExplicitAny: each tool has fields of its own
    readonly structuredContent?: any;
  }>;
}

const file = (name: string): string =>
  join(FIRST_SDK.directory, 'node_modules', FIRST_SDK.name, 'dist/esm/client', name);

/** Starts `zwarm mcp` in a project, and connects to it with that library; it ends with the test. */
export async function connectFirstSdk(project: Project): Promise<FirstClient> {
  const { Client } = await import(/* @vite-ignore */ file('index.js'));
  const { StdioClientTransport } = await import(/* @vite-ignore */ file('stdio.js'));
  const client: FirstClient = new Client({ name: 'first', version: '1.0.0' });
  await client.connect(new StdioClientTransport(serverOf(project)));
  onTestFinished(() => client.close());
  return client;
}
