import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { installation } from '../../src/installation.ts';
import { createSessionManager, type SessionManager } from '../../src/manager/session-manager.ts';
import { serve } from '../../src/mcp/server.ts';
import type { Project } from './project.ts';
import type { Answer } from './tools-client.ts';

export interface InProcessOptions {
  /** The name that the client gives itself; undefined for one that gives none. */
  readonly name?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether the client takes tasks. */
  readonly tasks?: boolean;
}

/** The server of tools in this process, and a client of the newer protocol that writes each request itself. */
export interface ToolsInProcess {
  /** What it logs for a person. */
  readonly logged: string[];
  /** The notifications that it has sent. */
  readonly notifications: { method: string; params: object }[];
  /** A manager that acts for this client. */
  readonly manager: SessionManager;
  /** The names of the clients for which it asked for a manager. */
  readonly clients: string[];
  // biome-ignore lint/suspicious/noExplicitAny: each method answers with fields of its own
  request(method: string, params?: object, meta?: object): Promise<any>;
  call(tool: string, args?: object, meta?: object): Promise<Answer>;
  /** Takes back the request that was sent last. */
  cancelLast(): void;
  /** Closes the input, and waits until the server has ended. */
  close(): Promise<void>;
}

export function toolsInProcess(
  project: Pick<Project, 'directory' | 'env'>,
  options: InProcessOptions = {},
): ToolsInProcess {
  const { name = 'test-client', env = {}, tasks = false } = options;
  const clients: string[] = [];
  const managerOf = (client: string): SessionManager =>
    createSessionManager({
      ...installation(),
      cwd: project.directory,
      env: { ...project.env, ...env },
      uid: process.getuid?.() ?? 0,
      stateDir: null,
      client,
    });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const logged: string[] = [];
  const served = serve({
    async managerFor(client) {
      clients.push(client);
      return managerOf(client);
    },
    input,
    output,
    log: (line) => void logged.push(line),
    version: '0.0.0-test',
  });
  const close = async (): Promise<void> => {
    input.end();
    await served;
  };
  onTestFinished(close);

  const waiting = new Map<unknown, (reply: object) => void>();
  const notifications: ToolsInProcess['notifications'] = [];
  createInterface(output).on('line', (line) => {
    const reply = JSON.parse(line);
    if (reply.id === undefined) notifications.push(reply);
    else waiting.get(reply.id)?.(reply.result ?? reply.error);
  });
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name, version: '1' },
    'io.modelcontextprotocol/clientCapabilities': tasks
      ? { extensions: { 'io.modelcontextprotocol/tasks': {} } }
      : {},
  };
  let id = 0;
  const send = (message: object): void =>
    void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const request: ToolsInProcess['request'] = (method, params = {}, more = {}) => {
    id += 1;
    const reply = new Promise((resolve) => waiting.set(id, resolve));
    send({ id, method, params: { _meta: { ...meta, ...more }, ...params } });
    return reply;
  };
  return {
    logged,
    notifications,
    manager: managerOf(name),
    clients,
    request,
    async call(tool, args = {}, more) {
      const answer = await request('tools/call', { name: tool, arguments: args }, more);
      const text: string = answer.content?.[0]?.text ?? answer.message;
      const isError = answer.isError === true;
      const fields = isError
        ? text.startsWith('{')
          ? JSON.parse(text)
          : undefined
        : answer.structuredContent;
      return { isError, text, fields };
    },
    cancelLast: () =>
      send({ method: 'notifications/cancelled', params: { _meta: meta, requestId: id, reason: 'test' } }),
    close,
  };
}
