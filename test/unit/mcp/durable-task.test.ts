import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { claimTurn } from '../../../src/store/claim.ts';
import { requestOf } from '../../helpers/store.ts';
import { createTools } from '../../helpers/tools-in-process.ts';

function createTasks(tasks = true) {
  const tools = createTools({ tasks });
  return {
    ...tools,
    /** Begins a turn with the call of a tool; what it answers. */
    begin: (name: string, args: object) => tools.request('tools/call', { name, arguments: args }),
    get: (taskId: string) => tools.request('tasks/get', { taskId }),
    cancel: (taskId: string) => tools.request('tasks/cancel', { taskId }),
  };
}

test('a turn that is waited for is a task, at once; its result is what the call would have answered', async () => {
  const { begin, get, open, manager } = createTasks();
  const begun = await begin('delegate', { task: 'gate go' });
  const id = begun.structuredContent.session_id;
  expect(begun).toMatchObject({
    resultType: 'task',
    taskId: `${id}.1`,
    status: 'working',
    ttlMs: null,
    pollIntervalMs: 2000,
    statusMessage: `turn 1 of ${id}: running`,
  });
  const working = await get(begun.taskId);
  expect(working).toMatchObject({ status: 'working', createdAt: begun.createdAt });
  expect(working).not.toHaveProperty('result');
  open();
  await manager.wait(id);
  expect(await manager.summary(id)).toMatchObject({ needs_attention: true });
  expect(await get(begun.taskId)).toMatchObject({
    status: 'completed',
    result: { structuredContent: { success: true, response: 'done', mode: 'sync', task: 'gate go' } },
  });
  expect(await manager.summary(id)).toMatchObject({ needs_attention: false });

  const second = await begin('converse', { session_id: id, message: 'gate go' });
  await manager.wait(id);
  const { result } = await get(second.taskId ?? `${id}.2`);
  expect(result.structuredContent).toMatchObject({ turn: 2, you_said: 'gate go', response: 'done' });
  expect(result.structuredContent).not.toHaveProperty('mode');
});

test('a turn that failed is a task that has completed; one that was killed is cancelled', async () => {
  const { begin, get, cancel, manager } = createTasks();
  const failing = await begin('delegate', { task: 'exit 3' });
  const id = failing.structuredContent.session_id;
  await manager.wait(id);
  expect(await get(`${id}.1`)).toMatchObject({
    status: 'completed',
    result: { structuredContent: { success: false, status: 'failed' } },
  });
  const hanging = await begin('delegate', { task: 'hang' });
  expect(await cancel(hanging.taskId)).toMatchObject({ resultType: 'complete' });
  const cancelled = await get(hanging.taskId);
  expect(cancelled).toMatchObject({ status: 'cancelled' });
  expect(cancelled).not.toHaveProperty('result');
  const [turn] = (await manager.get(hanging.structuredContent.session_id)).turns;
  expect(turn).toMatchObject({ status: 'killed' });
});

test('the end of a task that has ended leaves the turn that runs now alone', async () => {
  const { begin, cancel, get, manager } = createTasks();
  const first = await begin('delegate', { task: 'quick', mode: 'async' });
  const id = first.structuredContent.session_id;
  await manager.wait(id);
  const second = await begin('converse', { session_id: id, message: 'hang' });
  expect(await cancel(`${id}.1`)).toMatchObject({ resultType: 'complete' });
  expect(await manager.summary(id)).toMatchObject({ status: 'running', turn: 2 });
  await cancel(second.taskId);
  expect(await get(second.taskId)).toMatchObject({ status: 'cancelled' });
});

test('the end of a task whose turn has not begun leaves the turn that runs now alone', async () => {
  const { begin, cancel, manager, project } = createTasks();
  const { structuredContent } = await begin('delegate', { task: 'hang' });
  const id = structuredContent.session_id;
  claimTurn(
    { store: { root: project.store() }, id, turn: 2 },
    { request: requestOf('second'), prompt: Buffer.from('next') },
  );
  await cancel(`${id}.2`);
  expect(await manager.summary(id)).toMatchObject({ status: 'running', turn: 1 });
  // Nobody launches it, and what ends this test's session would wait for that.
  rmSync(join(project.store(), 'sessions', id, 'turns/2'), { recursive: true });
});

test('what nobody waits for is no task', async () => {
  const { begin, manager } = createTasks();
  const asynchronous = await begin('delegate', { task: 'hang', mode: 'async' });
  expect(asynchronous.resultType).toBe('complete');
  const quick = await begin('delegate', { task: 'quick', mode: 'async' });
  const id = quick.structuredContent.session_id;
  await manager.wait(id);
  expect((await begin('converse', { session_id: id, message: 'hang', wait: false })).resultType).toBe(
    'complete',
  );
  // What only looks is answered, although the turn runs.
  expect((await begin('check_session', { session_id: id })).resultType).toBe('complete');
});

test('a client that does not take tasks waits for the answer', async () => {
  const { begin } = createTasks(false);
  expect(await begin('delegate', { task: 'quick' })).toMatchObject({
    resultType: 'complete',
    structuredContent: { status: 'completed', response: 'done' },
  });
});

test('there is no task of another name', async () => {
  const { ended, get, cancel } = createTasks();
  const id = await ended('quick');
  for (const taskId of [
    'nobodyhere.1',
    '../../x.1',
    id,
    `${id}.0`,
    `${id}.2`,
    `${id}.1.1`,
    `${id}.x`,
    '@last.1',
    '',
  ])
    for (const answer of [await get(taskId), await cancel(taskId)])
      expect(answer).toMatchObject({ code: -32602, message: `there is no task ${JSON.stringify(taskId)}` });
});
