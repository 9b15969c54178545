import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { TOOL_NAMES } from '../../src/core/tool-names.ts';
import { createShellProject, eventually, type Project } from '../helpers/project.ts';
import { connectTools, PROTOCOLS, type Protocol, serverOf } from '../helpers/tools-client.ts';
import { snapshot } from '../helpers/tree.ts';

const MIB = 1024 * 1024;

test.each(Object.keys(PROTOCOLS) as Protocol[])('%s clients have the tools', async (protocol) => {
  const project = createShellProject();
  const { client, call, ok, pid } = await connectTools(project, { protocol });
  expect(client.getNegotiatedProtocolVersion()).toBe(PROTOCOLS[protocol]);
  expect(client.getInstructions()).toMatch(/The loop: delegate, wait_sessions/);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
  const hints = tools.map(({ name, inputSchema, outputSchema, description, annotations = {} }) => {
    expect(inputSchema, name).toMatchObject({ type: 'object', properties: expect.anything() });
    // Gemini CLI checks refusals against it, too.
    expect(outputSchema, name).toMatchObject({ type: 'object', properties: { error: {}, hint: {} } });
    expect(outputSchema?.['required'] ?? [], name).toEqual([]);
    expect(description?.length, name).toBeLessThan(1024);
    const { readOnlyHint, destructiveHint, idempotentHint } = annotations;
    return `${readOnlyHint ? 'R' : ''}${destructiveHint ? 'D' : ''}${idempotentHint ? 'I' : ''} ${name}`;
  });
  expect(hints.sort()).toMatchInlineSnapshot(`
    [
      "D converse",
      "D delegate",
      "DI end_session",
      "R check_session",
      "R get_changes",
      "R get_trajectory",
      "R list_sessions",
      "R peek_session",
      "R wait_sessions",
    ]
  `);

  const told: unknown[] = [];
  const onprogress = (progress: unknown): void => {
    told.push(progress);
    writeFileSync(join(project.directory, 'go'), '');
  };
  const { fields } = await call('delegate', { task: 'gate go', name: 'one' }, { onprogress });
  const { session_id } = fields;
  expect(fields).toMatchObject({ status: 'completed', response: 'done' });
  expect(told).toEqual([{ progress: 0, message: `${session_id} works on turn 1` }]);
  const running = (await ok('delegate', { task: 'hang', mode: 'async' })).session_id;
  await project.settled(session_id);
  await eventually(
    'its agent has begun',
    () => statSync(project.turnFile(running, 1, 'events.jsonl')).size > 0,
  );
  const before = snapshot(project.store());
  for (const id of [session_id, running])
    for (const tool of ['peek_session', 'check_session', 'get_trajectory'])
      await ok(tool, { session_id: id });
  await ok('wait_sessions', { ids: [session_id, running], wait_sec: 0 });
  const list = await ok('list_sessions', { source: 'mcp' });
  expect(list).toMatchObject({ count: 2, sessions: [{ source: 'mcp:test-client' }, {}] });
  expect(snapshot(project.store())).toEqual(before);
  expect(await ok('converse', { session_id, message: 'quick' })).toMatchObject({
    turn: 2,
    response: 'done',
  });
  expect(await ok('end_session', { session_id: running })).toMatchObject({ status: 'killed' });
  expect(await call('delegate', { task: 'quick', name: 'one' })).toMatchObject({ isError: true });

  await expect(call('delegate', { task: 'x'.repeat(11 * MIB) })).rejects.toThrow(/longer than 10 MiB/);
  expect(await ok('delegate', { task: 'gate on', mode: 'async' })).toMatchObject({ success: true });
  // Its agents go on when a client stops waiting, and when it goes away.
  const stopped = new AbortController();
  const waits = call('delegate', { task: 'gate on' }, { signal: stopped.signal }).catch(() => 'stopped');
  const rows = () => project.list(['--status', 'running']);
  await eventually('both run', async () => (await rows()).length === 2);
  stopped.abort();
  expect(await waits).toBe('stopped');
  const inFlight = call('check_session', { session_id: '@last', wait_sec: 40 }).catch(() => null);
  await client.close();
  await inFlight;
  await eventually('the server has ended', () => !existsSync(`/proc/${pid}`));
  const left = (await rows()).map(({ id }) => id);
  expect(left).toHaveLength(2);
  writeFileSync(join(project.directory, 'on'), '');
  await project.ok(['wait', ...left]);
});

function spawnServer(project: Project) {
  const { command, args, cwd, env } = serverOf(project);
  const child = spawn(command, args, { cwd, env, stdio: 'pipe' });
  onTestFinished(() => void child.kill());
  const replies: { readonly id?: unknown }[] = [];
  createInterface(child.stdout).on('line', (line) => replies.push(JSON.parse(line)));
  const write = async (bytes: string | Buffer): Promise<void> => {
    if (!child.stdin.write(bytes)) await once(child.stdin, 'drain');
  };
  return {
    child,
    write,
    send: (message: object) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    reply: (id: unknown) => eventually('the server answers', () => replies.find((one) => one.id === id)),
    /** The most memory that it has ever had, in bytes; Linux. */
    peak: (): number =>
      Number(/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
  };
}

test('a message may have 10 MiB; a longer one takes no more memory, and the calls that wait go on', async () => {
  const project = createShellProject();
  const { child, write, send, reply, peak } = spawnServer(project);
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: PROTOCOLS.older, capabilities: {}, clientInfo };
  await send({ id: 'hello', method: 'initialize', params });
  await reply('hello');
  await send({ method: 'notifications/initialized' });
  const call = { name: 'delegate', arguments: { task: 'gate go' } };
  await send({ id: 1, method: 'tools/call', params: call });
  await send({ id: 'long', method: 'ping', params: { _meta: { text: 'x'.repeat(10 * MIB - 100) } } });
  expect(await reply('long')).toMatchObject({ result: {} });
  const before = peak();
  const piece = Buffer.alloc(MIB, 'x');
  await write('{"jsonrpc":"2.0","method":"ping","params":{"text":"');
  for (let i = 0; i < 256; i += 1) await write(piece);
  await write('"},"id":7}\n');
  const message = expect.stringMatching(/longer than 10 MiB.*file/);
  expect(await reply(7)).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32600, message } });
  expect(peak() - before).toBeLessThan(128 * MIB);
  writeFileSync(join(project.directory, 'go'), '');
  expect(await reply(1)).toMatchObject({ result: { structuredContent: { response: 'done' } } });
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('the project of a server stays what it was, whatever is moved away', async () => {
  const project = createShellProject();
  const repo = join(project.directory, 'repo');
  mkdirSync(join(repo, '.git'), { recursive: true });
  writeFileSync(join(repo, '.git/HEAD'), 'ref: refs/heads/main\n');
  await project.ok(['start', '-q', '--wait', 'quick']);
  const { call, ok } = await connectTools(project, { cwd: repo });
  await ok('delegate', { task: 'quick', working_dir: repo });
  renameSync(join(repo, '.git'), join(repo, 'git'));
  expect(await call('delegate', { task: 'quick', working_dir: project.directory })).toMatchObject({
    isError: true,
  });
  expect(await ok('list_sessions')).toMatchObject({ count: 1 });
});
