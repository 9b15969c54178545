import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { installedPackage } from './installed.ts';
import type { Project } from './project.ts';
import { serverOf } from './tools-client.ts';

/**
 * The official library of the first generation, which most hosts have: from 1.23 on it checks the structured content of
 * every answer.
 */
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
