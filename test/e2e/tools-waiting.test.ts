import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/project.ts';
import { createShellProject } from '../helpers/shell-project.ts';
import { connectTools } from '../helpers/tools-client.ts';

test('a wait that runs out is no failure, and nothing is started twice', async () => {
  const project = createShellProject();
  // The client gives up after a minute; the server, told so, answers before that.
  const { call, ok } = await connectTools(project, { env: { ZWARM_WAIT_SEC: '1' } });
  const begun = await call('delegate', { task: 'gate go' }, { timeout: 60_000 });
  const { session_id } = begun.fields;
  expect(begun).toMatchObject({
    isError: false,
    fields: {
      success: true,
      status: 'running',
      response: null,
      error: null,
      hint: expect.stringContaining(session_id),
    },
  });
  expect(await ok('check_session', { session_id, wait_sec: 3600 })).toMatchObject({
    is_running: true,
    response: null,
  });
  const checked = ok('check_session', { session_id, wait_sec: 3600 });
  writeFileSync(join(project.directory, 'go'), '');
  const last = (await checked).is_running
    ? await ok('check_session', { session_id, wait_sec: 3600 })
    : await checked;
  expect(last).toMatchObject({ success: true, status: 'completed', response: 'done' });
  expect(project.runs()).toHaveLength(1);
  expect(await project.list()).toHaveLength(1);
});

test('the longest wait is that of the client, and no more than was asked for', async () => {
  const project = createShellProject();
  const { ok } = await connectTools(project, { env: { ZWARM_WAIT_SEC: '3600' } });
  const { session_id } = await ok('delegate', { task: 'hang', wait_sec: 0 });
  expect(await ok('check_session', { session_id, wait_sec: 0.05 })).toMatchObject({ is_running: true });
  expect(
    await ok('converse', {
      session_id: (await ok('delegate', { task: 'quick' })).session_id,
      message: 'hang',
      wait: false,
    }),
  ).toMatchObject({
    response: null,
    turn: 2,
  });
});

test('check_session returns as soon as the agent says something', async () => {
  const project = createShellProject();
  const { ok } = await connectTools(project, { env: { ZWARM_WAIT_SEC: '3600' } });
  const message = '{"type":"item.completed","item":{"id":"item_7","type":"agent_message","text":"half way"}}';
  const task = `run until [ -e go ]; do sleep 0.01; done; echo '${message}'; exec sleep 86400`;
  const { session_id } = await ok('delegate', { task, mode: 'async' });
  const checked = ok('check_session', { session_id, wait_sec: 3600 });
  writeFileSync(join(project.directory, 'go'), '');
  const news = { is_running: true, response: null, latest_message: 'half way' };
  expect(await checked).toMatchObject(news);
  // That it knows by now: there is nothing new to wait for but the end.
  const ended = ok('check_session', { session_id, wait_sec: 3600 });
  await ok('end_session', { session_id });
  expect(await ended).toMatchObject({ is_running: false, status: 'killed', success: false });
  // Somebody who has not been told yet is told at once.
  const other = await connectTools(project, { env: { ZWARM_WAIT_SEC: '3600' } });
  const second = (await ok('delegate', { task, mode: 'async' })).session_id;
  await eventually('it was said', async () => (await project.show(second)).messages.length > 1);
  expect(await other.ok('check_session', { session_id: second, wait_sec: 3600 })).toMatchObject(news);
});

test('a client that wants to know is told that something goes on', async () => {
  const project = createShellProject();
  const { call } = await connectTools(project);
  const told: unknown[] = [];
  const onprogress = (progress: unknown): void => {
    told.push(progress);
    writeFileSync(join(project.directory, 'go'), '');
  };
  const { fields } = await call('delegate', { task: 'gate go' }, { onprogress });
  expect(fields).toMatchObject({ status: 'completed' });
  expect(told).toEqual([{ progress: 0, message: `${fields.session_id} works on turn 1` }]);
});
