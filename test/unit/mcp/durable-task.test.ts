import { readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  const { request, begin, get, open, manager, project } = createTasks();
  expect((await request('server/discover')).capabilities.extensions).toEqual({
    'io.modelcontextprotocol/tasks': {},
  });
  const begun = await begin('delegate', { task: 'gate go' });
  const { session_id: id, status } = begun.structuredContent;
  expect(status).toBe('running');
  const task = {
    taskId: `${id}.1`,
    status: 'working',
    ttlMs: null,
    pollIntervalMs: 2000,
    statusMessage: `turn 1 of ${id}: running`,
  };
  expect(begun).toMatchObject({ ...task, resultType: 'task' });
  const working = await get(begun.taskId);
  expect(working).toMatchObject({ ...task, createdAt: begun.createdAt });
  expect(working).not.toHaveProperty('result');
  open();
  await manager.wait(id);
  expect(await manager.summary(id)).toMatchObject({ needs_attention: true });
  const { caller, project: root, agent } = begun.structuredContent;
  const answer = { success: true, response: 'done', turn: 1, caller, project: root, agent };
  const { result, ...done } = await get(begun.taskId);
  expect(done).toMatchObject({ status: 'completed' });
  expect(result.structuredContent).toMatchObject(answer);
  expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
  expect(await manager.summary(id)).toMatchObject({ needs_attention: false });
  const [turn] = (await manager.get(id)).turns;
  expect(done).toMatchObject({ createdAt: turn?.started_at, lastUpdatedAt: turn?.ended_at });
  // The longer it has worked, the less often it is to be asked for.
  const exit = project.turnFile(id, 1, 'exit.json');
  const record = JSON.parse(readFileSync(exit, 'utf8'));
  const worked = (await manager.get(id)).duration_ms ?? 0;
  for (const [ms, pollIntervalMs] of [
    [59_999, 2000],
    [60_000, 10_000],
  ] as const) {
    writeFileSync(exit, JSON.stringify({ ...record, uptime: record.uptime + (ms - worked) / 1000 }));
    expect(await get(begun.taskId)).toMatchObject({ pollIntervalMs });
  }

  const second = await begin('converse', { session_id: id, message: 'exit 3' });
  expect(second.structuredContent).toMatchObject({ turn: 2 });
  await manager.wait(id);
  const failed = await get(`${id}.2`);
  // A task that has completed, although the turn failed.
  expect(failed).toMatchObject({
    status: 'completed',
    result: { structuredContent: { success: false, turn: 2 } },
  });
});

test('a task tells no more of a long message than its beginning', async () => {
  const { begin, get, manager } = createTasks();
  const long = `quick\n${'x'.repeat(200_000)}`;
  const first = await begin('delegate', { task: long });
  const id = first.structuredContent.session_id;
  await manager.wait(id);
  await begin('converse', { session_id: id, message: long });
  await manager.wait(id);
  for (const turn of [1, 2]) expect(JSON.stringify(await get(`${id}.${turn}`)).length).toBeLessThan(6000);
});

test('the end of a task ends its turn, if that is the one that runs', async () => {
  const { begin, cancel, get, manager, ended, project } = createTasks();
  const id = await ended('quick');
  const second = await begin('converse', { session_id: id, message: 'hang' });
  expect(await cancel(`${id}.1`)).toMatchObject({ resultType: 'complete' });
  // A turn that has not begun yet.
  const turn = { store: { root: project.store() }, id, turn: 3 };
  claimTurn(turn, { request: requestOf('third'), prompt: Buffer.from('next') });
  await cancel(`${id}.3`);
  const { created_at } = await manager.summary(id);
  expect(await get(`${id}.3`)).toMatchObject({ status: 'working', createdAt: created_at });
  expect(await manager.summary(id)).toMatchObject({ status: 'running', turn: 2 });
  // Nobody launches it, and what ends this test's session would wait for that.
  rmSync(join(project.store(), 'sessions', id, 'turns/3'), { recursive: true });
  await cancel(second.taskId);
  const cancelled = await get(second.taskId);
  expect(cancelled).toMatchObject({ status: 'cancelled' });
  expect(cancelled).not.toHaveProperty('result');
  expect(await manager.summary(id)).toMatchObject({ turn: 2, needs_attention: false });
  expect(await cancel(second.taskId)).toMatchObject({ resultType: 'complete' });
  // One that was ended when its answer was there is done.
  const said = `echo '{"type":"item.completed","item":{"id":"a","type":"agent_message","text":"yes"}}'`;
  const third = await begin('converse', { session_id: id, message: `run ${said}; exec sleep 86400` });
  for await (const { type, turn: at } of manager.followSteps(id, { follow: true }))
    if (type === 'message' && at === 3) break;
  await cancel(third.taskId);
  expect(await get(third.taskId)).toMatchObject({
    status: 'completed',
    result: { structuredContent: { response: 'yes' } },
  });
});

test('what nobody waits for is no task', async () => {
  const { begin, ended } = createTasks();
  const session_id = await ended('quick');
  const resultType = 'complete';
  expect(await begin('delegate', { task: 'hang', mode: 'async' })).toMatchObject({ resultType });
  expect(await begin('converse', { session_id, message: 'hang', wait: false })).toMatchObject({ resultType });
  // What only looks is answered, although the turn runs.
  expect(await begin('check_session', { session_id })).toMatchObject({ resultType });
  const answer = { resultType, structuredContent: { status: 'completed' } };
  expect(await createTasks(false).begin('delegate', { task: 'quick' })).toMatchObject(answer);
});

test('there is no task of another name', async () => {
  const { ended, get, cancel } = createTasks();
  const id = await ended('quick');
  for (const taskId of [
    'nobodyhere.1',
    '../../x.1',
    '@last.1',
    '',
    id,
    ...['0', '2', '1.1', 'x'].map((turn) => `${id}.${turn}`),
  ])
    for (const answer of [await get(taskId), await cancel(taskId)])
      expect(answer).toMatchObject({ code: -32602, message: `there is no task ${JSON.stringify(taskId)}` });
});
