import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, type Project, ZWARM } from '../helpers/project.ts';
import { createShellProject } from '../helpers/shell-project.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'tasks-client', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};

/** A client by hand: the official one does not know the extension. */
function connect(project: Project) {
  const server = spawn(process.execPath, [ZWARM, 'mcp'], {
    cwd: project.directory,
    env: project.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    const ended = once(server, 'exit');
    server.stdin.end();
    await ended;
  });
  const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
  let id = 0;
  return async (method: string, params: object = {}) => {
    id += 1;
    server.stdin.write(
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { _meta: META, ...params } })}\n`,
    );
    const { value } = await lines.next();
    const answer = JSON.parse(value);
    expect(answer.id).toBe(id);
    return answer.result ?? answer.error;
  };
}

test('a client that takes tasks gets one instead of a wait, and asks for its result', async () => {
  const project = createShellProject();
  const request = connect(project);
  expect(await request('server/discover')).toMatchObject({
    capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  });
  const call = (name: string, args: object) => request('tools/call', { name, arguments: args });

  const begun = await call('delegate', { task: 'gate go' });
  const { taskId } = begun;
  const { session_id } = begun.structuredContent;
  expect(begun).toMatchObject({
    resultType: 'task',
    taskId: `${session_id}.1`,
    status: 'working',
    ttlMs: null,
    pollIntervalMs: 2000,
    structuredContent: { status: 'running' },
  });
  expect(await request('tasks/get', { taskId })).toMatchObject({
    resultType: 'complete',
    taskId,
    status: 'working',
  });
  writeFileSync(join(project.directory, 'go'), '');
  const done = await eventually('the task is done', async () => {
    const task = await request('tasks/get', { taskId });
    return task.status !== 'working' && task;
  });
  expect(done).toMatchObject({
    status: 'completed',
    result: {
      structuredContent: { success: true, response: 'done', turn: 1, task: 'gate go', mode: 'sync' },
    },
  });

  const second = await call('converse', { session_id, message: 'break' });
  const failed = await eventually('the task is done', async () => {
    const task = await request('tasks/get', { taskId: `${session_id}.2` });
    return task.status !== 'working' && task;
  });
  expect(second.structuredContent).toMatchObject({ you_said: 'break', turn: 2 });
  expect(failed).toMatchObject({
    status: 'completed',
    result: { structuredContent: { success: false, error: 'it broke', you_said: 'break' } },
  });

  const third = await call('delegate', { task: 'hang' });
  expect(await request('tasks/cancel', { taskId: third.taskId })).toMatchObject({ resultType: 'complete' });
  expect(await request('tasks/get', { taskId: third.taskId })).toMatchObject({ status: 'cancelled' });
  expect(await request('tasks/get', { taskId: '../../x.1' })).toMatchObject({
    message: expect.stringContaining('no task'),
  });

  // What was not to be waited for is answered at once.
  const asynchronous = await call('delegate', { task: 'quick', mode: 'async' });
  expect(asynchronous.resultType).toBe('complete');
});
