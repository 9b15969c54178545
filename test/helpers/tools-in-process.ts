import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { AGENTS } from '../../src/agents/registry.ts';
import { createSessionManager, type SessionManager } from '../../src/manager/session-manager.ts';
import { serve } from '../../src/mcp/server.ts';
import { toolsFor } from '../../src/mcp/tools.ts';
import { testInstallation } from './context.ts';
import { createShellProject, type Project } from './project.ts';

/** The agents to choose from where none is installed: the most that is told of them. */
const CHOICES = AGENTS.map(({ name, summary }) => ({ name, summary, found: false }));

const nullsOf = ({ shape }: z.ZodObject) =>
  Object.fromEntries(Object.keys(shape).map((field) => [field, null]));

/** An answer of a tool, with null for each field that it leaves out. */
export function withNulls(tool: string, answer: Record<string, unknown>) {
  const output = TOOLS.find(({ name }) => name === tool)?.output ?? z.object({});
  const { sessions }: z.core.$ZodShape = output.shape;
  const ofRow = sessions instanceof z.ZodArray ? nullsOf(sessions.element as z.ZodObject) : {};
  const rows = (answer['sessions'] as object[] | undefined)?.map((row) => ({ ...ofRow, ...row }));
  return { ...nullsOf(output), ...answer, ...(rows && { sessions: rows }) };
}

/** The tools as a client sees them whose user lets it land. */
export const TOOLS = toolsFor({ agents: CHOICES, mayLand: true });

/** A manager for the sessions of a project that acts for an MCP client, or with null for the user. */
export function managerOf(
  { directory, env }: Pick<Project, 'directory' | 'env'>,
  client: string | null,
  more: Partial<Parameters<typeof createSessionManager>[0]> = {},
): SessionManager {
  const context = {
    cwd: directory,
    env,
    uid: process.getuid?.() ?? 0,
    stateDir: null,
    client: client && `mcp:${client}`,
  };
  return createSessionManager({ ...testInstallation(), ...context, ...more });
}

/** The server of tools in this process, in a project of its own, and a client of the newer protocol, perhaps of tasks. */
export function createTools({
  project = createShellProject(),
  name = 'test-client',
  env = {},
  tasks = false,
  mayLand = false,
} = {}) {
  const clients: string[] = [];
  const logged: string[] = [];
  const waiting = new Map<unknown, (reply: object) => void>();
  const notifications: { method: string; params: object }[] = [];
  const [input, output] = [new PassThrough(), new PassThrough()];
  createInterface(output).on('line', (line) => {
    const reply = JSON.parse(line);
    if (reply.id === undefined) notifications.push(reply);
    else waiting.get(reply.id)?.(reply.result ?? reply.error);
  });
  const served = serve({
    async managerFor(client) {
      clients.push(client);
      return managerOf(project, client, { env: { ...project.env, ...env } });
    },
    agents: CHOICES,
    mayLand,
    input,
    output,
    log: (line) => void logged.push(line),
    version: '0.0.0-test',
  });
  // It ends with its input.
  onTestFinished(() => {
    input.end();
    return served;
  });

  const extensions = tasks ? { 'io.modelcontextprotocol/tasks': {} } : {};
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name, version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { extensions },
  };
  let id = 0;
  const send = (message: object): void =>
    void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  // biome-ignore lint/suspicious/noExplicitAny: each method answers with fields of its own
  const request = (method: string, params: object = {}, meta: object = {}): Promise<any> => {
    id += 1;
    send({ id, method, params: { _meta: { ..._meta, ...meta }, ...params } });
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  /** A call of a tool, and the fields of its answer: of a refusal, which has text alone, what that says. */
  const call = async (tool: string, args: object = {}, meta: object = {}) => {
    const answer = await request('tools/call', { name: tool, arguments: args }, meta);
    const text: string = answer.content?.[0]?.text ?? answer.message;
    const { structuredContent } = answer;
    const refusal = text.startsWith('{') ? JSON.parse(text) : undefined;
    const fields = structuredContent ? withNulls(tool, structuredContent) : refusal;
    // No model types commands of zwarm.
    for (const { hint } of [fields ?? {}, ...(fields?.sessions ?? [])])
      expect(hint ?? '').not.toMatch(/\bzwarm [a-z]|(^|\s)--?[a-z]/);
    return { isError: answer.isError === true, text, fields };
  };
  const expecting =
    (refused: boolean) =>
    async (tool: string, args: object = {}) => {
      const { isError, text, fields } = await call(tool, args);
      expect(isError, text).toBe(refused);
      return fields;
    };
  const manager = managerOf(project, name);
  const begin = async (task: string) => (await manager.start({ task })).id;
  return {
    project,
    manager,
    /** The names of the clients for which it asked for a manager. */
    clients,
    /** What it logged for a person. */
    logged,
    notifications,
    request,
    call,
    ok: expecting(false),
    refused: expecting(true),
    /** Takes back the request that was sent last. */
    cancelLast: () =>
      send({ method: 'notifications/cancelled', params: { _meta, requestId: id, reason: 'test' } }),
    begin,
    /** The same, and waits for its end. */
    async ended(task: string) {
      const session = await begin(task);
      await manager.wait(session);
      return session;
    },
    /** Opens the gate of that name. */
    open: (gate = 'go') => writeFileSync(join(project.directory, gate), ''),
  };
}
