import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createShellProject } from '../../helpers/shell-project.ts';
import { toolsInProcess } from '../../helpers/tools-in-process.ts';

/** A project with the tools; `ended` begins a session with a task, and waits for its end. */
function createTools(env: Readonly<Record<string, string>> = {}) {
  const project = createShellProject();
  const tools = toolsInProcess(project, { env });
  const { manager } = tools;
  const begin = async (task: string): Promise<string> => (await manager.start({ task })).id;
  return {
    ...tools,
    project,
    begin,
    async ended(task: string): Promise<string> {
      const { id } = await manager.start({ task });
      await manager.wait(id);
      return id;
    },
    async ok(tool: string, args: object) {
      const { isError, text, fields } = await tools.call(tool, args);
      expect(isError, text).toBe(false);
      return fields;
    },
    async refused(tool: string, args: object) {
      const { isError, text, fields } = await tools.call(tool, args);
      expect(isError, text).toBe(true);
      return fields;
    },
  };
}

const says = (text: string): string =>
  `echo '{"type":"item.completed","item":{"id":"${text}","type":"agent_message","text":"${text}"}}'`;

test('delegate passes its arguments on to the session', async () => {
  const { ok, project, manager } = createTools();
  const args = { task: 'quick', name: 'mine', model: 'big', sandbox: 'read-only', agent: 'codex' };
  const answer = await ok('delegate', { ...args, working_dir: project.directory });
  expect(answer).toMatchObject({
    success: true,
    session: 'mine',
    response: 'done',
    mode: 'sync',
    task: 'quick',
  });
  expect(await manager.summary(answer.session_id)).toMatchObject({
    name: 'mine',
    model: 'big',
    sandbox: 'read-only',
    working_dir: project.directory,
  });
});

test.each(['src', '~', '.', ''])('delegate refuses the directory %j, which is not absolute', async (dir) => {
  const { refused, manager } = createTools();
  expect(await refused('delegate', { task: 'quick', working_dir: dir })).toMatchObject({
    error: 'working_dir is not an absolute path',
    hint: 'give one that begins with /',
  });
  expect(await manager.list({ all: true })).toEqual([]);
});

test('delegate and converse return at once where they are not to wait', async () => {
  const { ok, ended } = createTools({ ZWARM_WAIT_SEC: '3600' });
  for (const args of [{ mode: 'async' }, { wait_sec: 0 }])
    expect(await ok('delegate', { task: 'hang', ...args })).toMatchObject({
      status: expect.stringMatching(/running|pending/),
      response: null,
      hint: expect.stringContaining('wait_sec=3600'),
    });
  for (const args of [{ wait: false }, { wait_sec: 0 }, { wait: false, wait_sec: 3600 }]) {
    const session_id = await ended('quick');
    expect(await ok('converse', { session_id, message: 'hang', ...args })).toMatchObject({
      turn: 2,
      response: null,
      you_said: 'hang',
    });
  }
});

test('long texts that were given come back cut', async () => {
  const { ok } = createTools();
  const long = `quick\n${'a line of a long task\n'.repeat(1000)}`;
  const { session_id, task } = await ok('delegate', { task: long });
  expect(task.length).toBeLessThan(long.length);
  expect((await ok('converse', { session_id, message: long })).you_said).toBe(task);
});

test('check_session counts the messages of both sides and shows the latest one while the turn runs', async () => {
  const { ok, begin, ended, manager } = createTools();
  const session_id = await begin(`run ${says('half way')}; touch said; exec sleep 86400`);
  for await (const { type } of manager.followSteps(session_id as never, { follow: true }))
    if (type === 'message') break;
  const running = {
    is_running: true,
    message_count: 2,
    latest_message: 'half way',
    response: null,
    status: 'running',
  };
  expect(await ok('check_session', { session_id })).toMatchObject(running);
  const done = await ended('quick');
  expect(await ok('check_session', { session_id: done })).toMatchObject({
    is_running: false,
    message_count: 2,
    latest_message: null,
    response: 'done',
    task: 'quick',
  });
  // Of a turn that has not said anything the messages of the one before are not the latest.
  await manager.inject(done, 'hang');
  expect(await ok('check_session', { session_id: done })).toMatchObject({
    turn: 2,
    latest_message: null,
    message_count: 3,
  });
});

test('an answer that is longer than a response may be says where all of it is', async () => {
  const { ok, ended } = createTools();
  const session_id = await ended(
    `run printf '{"type":"item.completed","item":{"id":"a","type":"agent_message","text":"'; ` +
      `head -c 50000 /dev/zero | tr '\\0' y; echo '"}}'; echo '{"type":"turn.completed"}'; exit 0`,
  );
  const answer = await ok('check_session', { session_id });
  expect(answer.response.length).toBeLessThanOrEqual(40_000);
  expect(answer.response).toMatch(/^y{30000}/);
  expect(answer.hint).toBe(`the response was cut; all of it is in ${answer.log_file}`);
  const waited = await ok('wait_sessions', { ids: [session_id] });
  expect(waited.sessions[0].response.length).toBeLessThanOrEqual(4000);
  expect(waited.hint).toBe(`cut here, check_session has more: ${session_id}`);
  const peeked = await ok('peek_session', { session_id });
  expect(peeked.latest_message.length).toBeLessThanOrEqual(200);
});

test('peek_session shows one line', async () => {
  const { ok, ended, begin } = createTools();
  expect(await ok('peek_session', { session_id: await ended('quick') })).toMatchObject({
    success: true,
    status: 'completed',
    latest_message: 'done',
  });
  expect(await ok('peek_session', { session_id: await begin('hang') })).toMatchObject({
    latest_message: null,
  });
});

test('list_sessions filters, counts all that match and lists the newest of them', async () => {
  const { ok, ended, begin, project } = createTools();
  await project.run(['start', 'quick', '--wait']);
  const mine = [await ended('quick'), await ended('break'), await begin('hang')];
  const all = await ok('list_sessions', {});
  expect(all).toMatchObject({ count: 4, running: 1, completed: 2, filter: { status: null, source: null } });
  expect(all.sessions).toHaveLength(4);
  const newest = await ok('list_sessions', { source: 'mcp', limit: 1 });
  expect(newest).toMatchObject({ count: 3, completed: 1, filter: { status: null, source: 'mcp' } });
  expect(newest.sessions).toMatchObject([{ session_id: mine[2], status: 'running' }]);
  const failed = await ok('list_sessions', { status: 'failed' });
  expect(failed).toMatchObject({ count: 1, filter: { status: 'failed', source: null } });
  expect(failed.sessions).toMatchObject([{ session_id: mine[1] }]);
});

test('list_sessions names damaged sessions whatever the limit', async () => {
  const { ok, ended, project } = createTools();
  const damaged = await ended('quick');
  writeFileSync(join(project.store(), 'sessions', damaged, 'session.json'), '{');
  await ended('quick');
  const { sessions, count } = await ok('list_sessions', { limit: 1 });
  expect(count).toBe(2);
  expect(sessions.map(({ status }: { status: string }) => status).sort()).toEqual(['completed', 'damaged']);
});

test('get_trajectory pages through all the steps, to the last one', async () => {
  const { ok, ended } = createTools();
  const session_id = await ended(`run ${says('one')}; ${says('two')}`);
  const { steps, step_count, hint } = await ok('get_trajectory', { session_id });
  expect(hint).toBeNull();
  expect(steps).toHaveLength(step_count);
  const paged: unknown[] = [];
  for (let offset = 0; ; offset += 1) {
    const page = await ok('get_trajectory', { session_id, offset, limit: 1 });
    paged.push(...page.steps);
    const left = step_count - offset - 1;
    expect(page.hint).toBe(left === 0 ? null : `${left} more: offset=${offset + 1}`);
    if (left === 0) break;
  }
  expect(paged).toEqual(steps);
  expect(await ok('get_trajectory', { session_id, offset: step_count })).toMatchObject({
    steps: [],
    hint: null,
  });
  expect(await ok('get_trajectory', { session_id, turn: 1, full: true })).toMatchObject({
    turn: 1,
    mode: 'full',
  });
});

test('a page of get_trajectory holds as many whole steps as fit, and at least one', async () => {
  const { ok, ended } = createTools();
  const output = (id: number) =>
    `printf '{"type":"item.completed","item":{"id":"c${id}","type":"command_execution","command":"c${id}","aggregated_output":"'; ` +
    `head -c 20000 /dev/zero | tr '\\0' z; echo '","exit_code":0,"status":"completed"}}'`;
  const session_id = await ended(`run ${[1, 2, 3, 4, 5, 6, 7].map(output).join('; ')}`);
  const first = await ok('get_trajectory', { session_id, full: true });
  // Of each output 8000 characters are shown, of a page 40000.
  const commands = (steps: readonly { command?: string }[]) => steps.flatMap(({ command }) => command ?? []);
  expect(commands(first.steps)).toEqual(['c1', 'c2', 'c3', 'c4']);
  const offset = first.steps.length;
  expect(first.hint).toBe(`${first.step_count - offset} more: offset=${offset}`);
  const rest = await ok('get_trajectory', { session_id, full: true, offset });
  expect(commands(rest.steps)).toEqual(['c5', 'c6', 'c7']);
  expect(rest.hint).toBeNull();
});

test('end_session ends what runs, and records the reason', async () => {
  const { ok, begin, manager } = createTools();
  const session_id = await begin('hang');
  expect(await ok('end_session', { session_id, reason: 'enough' })).toEqual({
    success: true,
    error: null,
    hint: `its records stay; end_session(session_id="${session_id}", delete=true) deletes them`,
    session_id,
    status: 'killed',
    reason: 'enough',
    deleted: false,
  });
  // It has ended already: a success, but nothing that this reason is recorded for.
  expect(await ok('end_session', { session_id, reason: 'again' })).toMatchObject({
    status: 'killed',
    reason: null,
  });
  expect((await manager.get(session_id)).turns).toHaveLength(1);
});

test('end_session deletes a session by its whole id alone', async () => {
  const { ok, refused, manager } = createTools();
  const { session_id } = await ok('delegate', { task: 'hang', mode: 'async', name: 'mine' });
  for (const text of ['mine', session_id.slice(0, 5)]) {
    expect(await refused('end_session', { session_id: text, delete: true })).toMatchObject({
      error: `delete=true takes the whole id of a session, not "${text}": nothing was ended`,
      hint: `if you mean that session: end_session(session_id="${session_id}", delete=true)`,
    });
  }
  expect(await manager.summary(session_id)).toMatchObject({ status: 'running' });
  const deleted = { deleted: true, status: 'killed', hint: null };
  expect(await ok('end_session', { session_id, delete: true })).toMatchObject(deleted);
  expect(await manager.list({ all: true })).toEqual([]);
});

test('wait_sessions tells of each how it stands, and of whom to wait for again', async () => {
  const { ok, ended, begin, manager } = createTools();
  const [done, failed, hanging] = [await ended('quick'), await ended('break'), await begin('hang')];
  expect(await ok('wait_sessions', { ids: [done, failed, hanging], wait_sec: 0 })).toMatchObject({
    mode: 'all',
    hint: `continue waiting for: ${hanging}`,
    sessions: [
      { session_id: done, status: 'completed', turn: 1, response: 'done', error: null },
      { session_id: failed, status: 'failed', turn: 1, response: null, error: 'it broke' },
      { session_id: hanging, status: 'running', turn: 1, response: null, error: null },
    ],
    count: 3,
    running: 1,
    completed: 1,
  });
  expect(await manager.list({ all: true })).toMatchObject(
    [hanging, failed, done].map((id) => ({ id, needs_attention: false })),
  );
  expect(await ok('wait_sessions', { ids: [hanging, done], mode: 'any' })).toMatchObject({ mode: 'any' });
});

test('wait_sessions tells the answers of the others where one is damaged', async () => {
  const { ok, ended, project } = createTools();
  const [damaged, done] = [await ended('quick'), await ended('quick')];
  writeFileSync(join(project.store(), 'sessions', damaged, 'session.json'), '{');
  expect(await ok('wait_sessions', { ids: [damaged, done] })).toMatchObject({
    hint: null,
    running: 0,
    completed: 1,
    sessions: [{ session_id: damaged, status: null, turn: null, response: null }, { response: 'done' }],
  });
});
