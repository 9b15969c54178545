import { expect, test } from 'vitest';
import { createTools } from '../../helpers/tools-in-process.ts';

test('what was rewound speaks for nothing to a model, and is marked', async () => {
  const { ok, manager, ended } = createTools();
  const session_id = await ended('quick');
  await ok('converse', { session_id, message: 'break' });
  await manager.rewind(session_id, 1);
  const first = { status: 'completed', turn: 1 };
  expect(await ok('check_session', { session_id })).toMatchObject({
    ...first,
    response: 'done',
    message_count: 2,
  });
  expect(await ok('peek_session', { session_id })).toMatchObject({ ...first, latest_message: 'done' });
  expect(await ok('wait_sessions', { ids: [session_id] })).toMatchObject({
    sessions: [{ ...first, response: 'done', error: null }],
    completed: 1,
  });
  expect((await ok('list_sessions')).sessions).toMatchObject([{ ...first, latest_message: 'done' }]);
  const { steps } = await ok('get_trajectory', { session_id });
  const told = steps.map(({ turn, type, undone }: Record<string, unknown>) => ({ turn, type, undone }));
  expect(told).toEqual([
    { turn: 1, type: 'user_message', undone: undefined },
    { turn: 1, type: 'message', undone: undefined },
    { turn: 2, type: 'user_message', undone: true },
    { turn: 2, type: 'error', undone: true },
  ]);
  const full = (await ok('get_trajectory', { session_id, full: true })).steps;
  expect(full.map(({ undone }: { undone?: boolean }) => undone ?? false)).toEqual([false, false, true, true]);
});

test('a model is told of a ready session that it waits for a message, and what to do', async () => {
  const { ok, refused, manager, ended } = createTools();
  const { id } = await manager.fork(await ended('quick'));
  const hint = `it waits for a message: converse(session_id="${id}", message=…)`;
  const none = { success: true, status: 'ready', turn: null, response: null, why: null, error: null, hint };
  const checked = await ok('check_session', { session_id: id, wait_sec: 60 });
  expect(checked).toMatchObject({ ...none, is_running: false, log_file: null, latest_message: null });
  // Neither is waited for: the call returns at once.
  for (const mode of ['all', 'any'])
    expect(await ok('wait_sessions', { ids: [id], mode, wait_sec: 60 })).toMatchObject({
      sessions: [{ session_id: id, status: 'ready', turn: null, response: null, hint }],
      ...{ running: 0, completed: 0 },
    });
  expect(await ok('peek_session', { session_id: id })).toMatchObject({
    status: 'ready',
    latest_message: null,
  });
  const { sessions, needs_attention } = await ok('list_sessions', { status: 'ready' });
  expect({ sessions, needs_attention }).toMatchObject({ sessions: [{ session_id: id }], needs_attention: 0 });
  expect(await refused('end_session', { session_id: id })).toMatchObject({
    error: `${id} is ready: there is nothing to end`,
    hint: 'nothing of it runs: converse gives it a message, delete=true deletes it',
  });
  expect(await ok('converse', { session_id: id, message: 'quick' })).toMatchObject({
    ...{ status: 'completed', turn: 2, response: 'done' },
  });
  expect(await ok('end_session', { session_id: id })).toMatchObject({ status: 'completed' });
  const other = await manager.fork(id);
  expect(await ok('end_session', { session_id: other.id, delete: true })).toMatchObject({ deleted: true });
});
