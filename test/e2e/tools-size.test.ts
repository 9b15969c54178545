import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, type Project, ZWARM } from '../helpers/project.ts';
import { createShellProject } from '../helpers/shell-project.ts';
import { connectTools, PROTOCOLS, type Protocol } from '../helpers/tools-client.ts';

const MIB = 1024 * 1024;

interface Reply {
  readonly id?: string | number | null;
  readonly error?: { readonly code: number; readonly message: string };
  readonly result?: unknown;
}

/** A server whose client writes what it likes. */
function spawnServer({ directory, env }: Project) {
  const child = spawn(process.execPath, [ZWARM, 'mcp'], { cwd: directory, env, stdio: 'pipe' });
  onTestFinished(() => void child.kill());
  child.stderr.pipe(process.stderr);
  const replies: Reply[] = [];
  createInterface(child.stdout).on('line', (line) => replies.push(JSON.parse(line)));
  const write = async (bytes: string | Buffer): Promise<void> => {
    if (!child.stdin.write(bytes)) await once(child.stdin, 'drain');
  };
  return {
    write,
    send: (message: object): Promise<void> => write(`${JSON.stringify(message)}\n`),
    reply: (wanted: (reply: Reply) => boolean): Promise<Reply> =>
      eventually('the server answers', () => {
        if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
        return replies.find(wanted);
      }),
    /** The most memory that it has ever had, in bytes; Linux. */
    peak: (): number =>
      Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
    async close(): Promise<number | null> {
      const ended = once(child, 'exit');
      child.stdin.end();
      const [code] = await ended;
      return code;
    },
  };
}

type Server = ReturnType<typeof spawnServer>;

async function greet({ send, reply }: Server): Promise<void> {
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: PROTOCOLS.older, capabilities: {}, clientInfo };
  await send({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params });
  await reply(({ id }) => id === 'hello');
  await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
}

test('a message that is too long is refused by its id, and the calls that wait go on', async () => {
  const project = createShellProject();
  const server = spawnServer(project);
  await greet(server);
  const { send, reply, write } = server;
  const waits = { name: 'delegate', arguments: { task: 'gate go' } };
  await send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: waits });
  await eventually('the agent runs', () => project.runs().length === 1);

  const said = String.raw`"id":1,"method":"\\", {"id":1} [[ "id":1 `;
  const task = said.repeat(Math.ceil((10 * MIB) / said.length));
  const params = { name: 'delegate', arguments: { task, id: 1 } };
  const messages: readonly (readonly [id: string | number | null, message: object])[] = [
    [2, { jsonrpc: '2.0', id: 2, method: 'tools/call', params }],
    ['last', { method: 'tools/call', params, jsonrpc: '2.0', id: 'last' }],
    // What can be told is only that somebody sent it: an answer of the client, a notification, no message at all.
    [null, { jsonrpc: '2.0', id: 1, result: params }],
    [null, { jsonrpc: '2.0', method: 'notifications/cancelled', params }],
    [null, [{ id: 1, method: 'x', params }]],
  ];
  for (const [id, message] of messages) {
    await send(message);
    const sequel = `after ${JSON.stringify(id)} ${messages.findIndex((one) => one[1] === message)}`;
    await send({ jsonrpc: '2.0', id: sequel, method: 'ping' });
    expect(await reply((one) => one.id === sequel)).toMatchObject({ result: {} });
  }
  await write(`${'x'.repeat(11 * MIB)}\n`);
  for (const id of [2, 'last', null]) {
    expect(await reply((one) => one.id === id)).toEqual({
      jsonrpc: '2.0',
      id,
      error: { code: -32600, message: expect.stringMatching(/longer than 10 MiB.*file/) },
    });
  }
  expect(project.runs()).toHaveLength(1);
  writeFileSync(join(project.directory, 'go'), '');
  expect(await reply(({ id }) => id === 1)).toMatchObject({
    result: { structuredContent: { status: 'completed', response: 'done' } },
  });
  expect(await server.close()).toBe(0);
});

test('a message of 10 MiB is read, whatever pieces it comes in', async () => {
  const server = spawnServer(createShellProject());
  await greet(server);
  const frame = { jsonrpc: '2.0', id: 'long', method: 'ping', params: { _meta: { text: '' } } };
  const text = 'é'.repeat((10 * MIB - JSON.stringify(frame).length) / 2 - 1);
  const line = Buffer.from(`${JSON.stringify({ ...frame, params: { _meta: { text } } })}\r\n`);
  expect(10 * MIB - line.length).toBeLessThan(4);
  const cuts = [1, 7, 40_001, 3 * MIB + 1, line.length];
  let from = 0;
  for (const to of cuts) {
    await server.write(line.subarray(from, to));
    from = to;
  }
  expect(await server.reply(({ id }) => id === 'long')).toMatchObject({ result: {} });
  // Several in one piece.
  const pings = ['a', 'b', 'c'].map((id) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`);
  await server.write(pings.join('\n'));
  for (const wanted of ['a', 'b', 'c']) await server.reply(({ id }) => id === wanted);
  expect(await server.close()).toBe(0);
});

test('a message of any length takes no more memory than a long one', async () => {
  const server = spawnServer(createShellProject());
  await greet(server);
  const before = server.peak();
  const piece = Buffer.alloc(MIB, 'x');
  await server.write('{"jsonrpc":"2.0","method":"ping","params":{"text":"');
  for (let i = 0; i < 256; i += 1) await server.write(piece);
  await server.write('"},"id":7}\n');
  expect(await server.reply(({ id }) => id === 7)).toMatchObject({ error: { code: -32600 } });
  expect(server.peak() - before).toBeLessThan(128 * MIB);
  expect(await server.close()).toBe(0);
});

test.each(Object.keys(PROTOCOLS) as Protocol[])(
  'a client of the %s protocol hears of it',
  async (protocol) => {
    const project = createShellProject();
    const { call, ok, pid } = await connectTools(project, { protocol });
    await expect(call('delegate', { task: 'x'.repeat(11 * MIB) })).rejects.toThrow(/longer than 10 MiB/);
    expect(await ok('delegate', { task: 'quick' })).toMatchObject({ success: true });
    expect(existsSync(`/proc/${pid}`)).toBe(true);
  },
);
