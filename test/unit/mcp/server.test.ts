import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientName } from '../../../src/mcp/server.ts';
import { eventually } from '../../helpers/project.ts';
import { createShellProject } from '../../helpers/shell-project.ts';
import { toolsInProcess } from '../../helpers/tools-in-process.ts';

test.each<[given: unknown, name: string]>([
  ['codex-mcp-client', 'codex-mcp-client'],
  ['Claude Code 2.1_x', 'claude-code-2.1_x'],
  ['../../user', '..-..-user'],
  ['a\u001b[31m\nb', 'a-31m-b'],
  ['x'.repeat(50), 'x'.repeat(40)],
  ['', 'unknown'],
  [undefined, 'unknown'],
  [5, 'unknown'],
])('a client that calls itself %j is recorded as %s', (given, name) => {
  expect(clientName(given)).toBe(name);
});

test('every call is that of its client', async () => {
  const { call, clients, manager } = toolsInProcess(createShellProject(), { name: 'My Client' });
  const { fields } = await call('delegate', { task: 'quick', mode: 'async' });
  await call('list_sessions');
  expect(clients).toEqual(['my-client', 'my-client']);
  expect(await manager.summary(fields.session_id)).toMatchObject({ source: 'mcp:my-client' });
});

test('an answer is text and structured content alike; a refusal is text alone', async () => {
  const { request } = toolsInProcess(createShellProject());
  const answer = await request('tools/call', { name: 'list_sessions', arguments: {} });
  expect(answer.isError).toBeUndefined();
  expect(JSON.parse(answer.content[0].text)).toEqual(answer.structuredContent);
  const refused = await request('tools/call', { name: 'peek_session', arguments: { session_id: 'nobody' } });
  expect(refused).toMatchObject({ isError: true, content: [{ type: 'text' }] });
  expect(refused).not.toHaveProperty('structuredContent');
  expect(JSON.parse(refused.content[0].text)).toMatchObject({ success: false });
});

test('progress is reported where the client asks for it, and nowhere else', async () => {
  const project = createShellProject();
  const { call, notifications } = toolsInProcess(project);
  const { fields } = await call('delegate', { task: 'quick' });
  expect(notifications).toEqual([]);
  await call('converse', { session_id: fields.session_id, message: 'quick' }, { progressToken: 'p' });
  expect(notifications).toMatchObject([
    {
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 0, message: `${fields.session_id} works on turn 2` },
    },
  ]);
});

test('a configuration that cannot be read is logged, and keeps nobody from looking', async () => {
  const project = createShellProject();
  const { call, logged } = toolsInProcess(project, { env: { ZWARM_WAIT_SEC: 'soon' } });
  expect(await call('list_sessions')).toMatchObject({ isError: false, fields: { count: 0 } });
  expect(logged).toEqual([expect.stringMatching(/^zwarm mcp: .*ZWARM_WAIT_SEC/)]);
  expect(await call('delegate', { task: 'quick' })).toMatchObject({
    isError: true,
    fields: { hint: expect.stringContaining('zwarm config list') },
  });
});

test('who no longer waits for an answer has not seen it', async () => {
  const project = createShellProject();
  const { call, cancelLast, manager } = toolsInProcess(project);
  void call('delegate', { task: 'gate go' });
  const [session] = await eventually('the agent runs', async () => {
    const rows = await manager.list({ all: true, statuses: ['running'] });
    return rows.length === 1 && rows;
  });
  const id = session?.id ?? '';
  cancelLast();
  // Answered after the server has heard of that.
  await call('list_sessions');
  writeFileSync(join(project.directory, 'go'), '');
  await eventually(
    'it has ended',
    async () => (await manager.summary(session?.id as never)).status === 'completed',
  );
  expect(await call('list_sessions')).toMatchObject({
    fields: { needs_attention: 1, hint: `check_session(session_id="${id}") has news` },
  });
  await call('check_session', { session_id: id });
  expect(await call('list_sessions')).toMatchObject({ fields: { needs_attention: 0, hint: null } });
});

test('it ends with its input', async () => {
  const { call, close } = toolsInProcess(createShellProject());
  await call('list_sessions');
  await close();
});
