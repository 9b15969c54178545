import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../helpers/project.ts';
import { createTools } from '../../helpers/tools-in-process.ts';

const says = (text: string): string =>
  `echo '{"type":"item.completed","item":{"id":"${text}","type":"agent_message","text":"${text}"}}'`;
const gate = (name: string): string => `until [ -e ${name} ]; do sleep 0.01; done`;

/** Makes the record of a session unreadable, and lists read it. */
async function damage({ project }: ReturnType<typeof createTools>, id: string): Promise<void> {
  await project.settled(id);
  rmSync(join(project.store(), 'sessions', id, 'summary.json'));
  writeFileSync(join(project.store(), 'sessions', id, 'session.json'), '{');
}

test('delegate passes its arguments on to the session', async () => {
  const { ok, project, manager } = createTools();
  const args = { name: 'mine', model: 'big', sandbox: 'read-only', agent: 'codex' };
  const answer = await ok('delegate', { ...args, task: 'quick', working_dir: project.directory });
  const { session_id } = answer;
  expect(answer).toEqual({
    success: true,
    error: null,
    hint: expect.stringContaining('converse'),
    session_id,
    session: 'mine',
    status: 'completed',
    turn: 1,
    by: 'mcp:test-client',
    response: 'done',
    tokens: 15,
    runtime: expect.any(Number),
    log_file: project.turnFile(session_id, 1, 'events.jsonl'),
    mode: 'sync',
    task: 'quick',
  });
  expect(await manager.summary(session_id)).toMatchObject({ ...args, working_dir: project.directory });
});

test('delegate refuses a directory that is not absolute', async () => {
  const { refused, manager } = createTools();
  for (const working_dir of ['src', '~', '.', ''])
    expect(await refused('delegate', { task: 'quick', working_dir })).toMatchObject({
      error: 'working_dir is not an absolute path',
      hint: 'give one that begins with /',
    });
  expect(await manager.list({ all: true })).toEqual([]);
});

test('delegate and converse return at once where they are not to wait, and long texts cut', async () => {
  const { ok, ended } = createTools({ env: { ZWARM_WAIT_SEC: '3600' } });
  for (const args of [{ mode: 'async' }, { wait_sec: 0 }])
    expect(await ok('delegate', { task: 'hang', ...args })).toMatchObject({
      status: expect.stringMatching(/running|pending/),
      response: null,
      hint: expect.stringContaining('wait_sec=3600'),
    });
  const message = `hang\n${'a line of a long task\n'.repeat(1000)}`;
  for (const args of [{ wait: false }, { wait_sec: 0 }, { wait: false, wait_sec: 3600 }]) {
    const session_id = await ended('quick');
    const answer = await ok('converse', { session_id, message, ...args });
    expect(answer).toMatchObject({
      turn: 2,
      response: null,
      you_said: expect.stringMatching(/^hang\n.*…$/s),
    });
  }
  const { task } = await ok('delegate', { task: message, mode: 'async' });
  expect(task.length).toBeLessThan(message.length);
});

test('a wait that runs out is no failure', async () => {
  const { ok, open } = createTools({ env: { ZWARM_WAIT_SEC: '1' } });
  const begun = await ok('delegate', { task: 'gate go' });
  const { session_id } = begun;
  const hint = expect.stringContaining('wait_sec=1)');
  expect(begun).toMatchObject({ success: true, status: 'running', response: null, error: null, hint });
  open();
  const runs = async () => (await ok('check_session', { session_id, wait_sec: 1 })).is_running;
  await eventually('it has ended', async () => !(await runs()));
});

test('check_session returns as soon as there is a message that the client does not know', async () => {
  const tools = createTools();
  const { ok, open, begin } = tools;
  const task = `run ${gate('one')}; ${says('half way')}; ${gate('end')}`;
  const session_id = await begin(task);
  const check = () => ok('check_session', { session_id, wait_sec: 3600 });
  const first = check();
  open('one');
  const news = { is_running: true, message_count: 2, latest_message: 'half way', response: null };
  expect(await first).toMatchObject(news);
  // Somebody who does not know it gets it at once; whoever does waits for the end.
  const other = createTools({ project: tools.project });
  expect(await other.ok('check_session', { session_id, wait_sec: 3600 })).toMatchObject(news);
  const end = check();
  open('end');
  const done = { is_running: false, message_count: 3, latest_message: null, response: 'done', task };
  expect(await end).toMatchObject(done);
  // The messages of a turn are not those of the next one.
  await tools.manager.inject(session_id, 'hang');
  const next = { turn: 2, latest_message: null, message_count: 4 };
  expect(await ok('check_session', { session_id, wait_sec: 0.01 })).toMatchObject(next);
});

test('a long answer is cut in each of several answers, and on one line', async () => {
  const { ok, ended, begin } = createTools();
  const session_id = await ended(
    `run printf '{"type":"item.completed","item":{"id":"a","type":"agent_message","text":"two\\\\n  lines '; ` +
      `head -c 5000 /dev/zero | tr '\\0' y; echo '"}}'; echo '{"type":"turn.completed"}'; exit 0`,
  );
  const { sessions, hint } = await ok('wait_sessions', { ids: [session_id] });
  expect(sessions[0].response).toMatch(/^two\n {2}lines y{3987}…$/);
  expect(hint).toBe(`cut here, check_session has more: ${session_id}`);
  const latest_message = `two lines ${'y'.repeat(189)}…`;
  expect(await ok('peek_session', { session_id })).toEqual({
    success: true,
    session_id,
    status: 'completed',
    latest_message,
  });
  expect(await ok('peek_session', { session_id: await begin('hang') })).toMatchObject({
    latest_message: null,
  });
});

test('list_sessions filters, counts all that match and lists the newest of them, and all that are damaged', async () => {
  const tools = createTools();
  const { ok, ended, begin, project } = tools;
  await project.zwarm(['start', 'quick', '--wait']);
  const mine = [await ended('quick'), await ended('break'), await begin('hang')];
  const all = await ok('list_sessions');
  const counts = { count: 4, running: 1, completed: 2, needs_attention: 3 };
  expect(all).toMatchObject({ ...counts, filter: { status: null, source: null } });
  expect(all.sessions).toHaveLength(4);
  expect(all.sessions[0]).toEqual({
    session_id: mine[2],
    session: null,
    status: 'running',
    turn: 1,
    updated: expect.any(String),
    source: 'mcp:test-client',
    task: 'hang',
    latest_message: null,
    needs_attention: false,
    tokens: null,
  });
  expect(all.sessions[2]).toMatchObject({ latest_message: 'done', tokens: 15, needs_attention: true });
  const newest = await ok('list_sessions', { source: 'mcp', limit: 1 });
  expect(newest).toMatchObject({ count: 3, completed: 1, filter: { status: null, source: 'mcp' } });
  expect(newest.sessions).toMatchObject([{ session_id: mine[2] }]);
  const failed = await ok('list_sessions', { status: 'failed' });
  expect(failed).toMatchObject({ count: 1, filter: { status: 'failed', source: null } });
  await damage(tools, mine[0] ?? '');
  const { sessions, count } = await ok('list_sessions', { status: 'completed', limit: 1 });
  expect(count).toBe(2);
  expect(sessions.map(({ status }: { status: string }) => status)).toEqual(['completed', 'damaged']);
});

test('get_trajectory pages through all the steps, to the last one', async () => {
  const { ok, ended } = createTools();
  const command = { id: 'c', type: 'command_execution', command: 'a\n b', exit_code: 3, status: 'failed' };
  const item = JSON.stringify({ type: 'item.completed', item: { ...command, aggregated_output: 'no' } });
  const runs = item.replace('completed', 'started').replace('"c"', '"d"').replace(':3,', ':null,');
  const session_id = await ended(`run ${says('one')}; printf '%s\\n' '${item}' '${runs}'`);
  const { steps, step_count, hint } = await ok('get_trajectory', { session_id });
  expect(hint).toBeNull();
  expect(steps).toHaveLength(step_count);
  expect(steps).toMatchObject([
    { step: 1, turn: 1, type: 'message', summary: 'one' },
    { step: 2, type: 'command', status: 'failed', exit_code: 3, summary: '$ a b' },
    { step: 3, type: 'command', summary: '$ a b' },
    { step: 4, summary: 'done' },
  ]);
  expect(steps[2]).not.toHaveProperty('exit_code');
  const paged: unknown[] = [];
  for (let offset = 0; offset < step_count; offset += 1) {
    const page = await ok('get_trajectory', { session_id, offset, limit: 1 });
    paged.push(...page.steps);
    const left = step_count - offset - 1;
    expect(page.hint).toBe(left === 0 ? null : `${left} more: offset=${offset + 1}`);
  }
  expect(paged).toEqual(steps);
  const beyond = await ok('get_trajectory', { session_id, offset: step_count });
  expect(beyond).toMatchObject({ steps: [], hint: null, turn: null, mode: 'summary' });
  const full = await ok('get_trajectory', { session_id, turn: 1, full: true });
  expect(full).toMatchObject({
    turn: 1,
    mode: 'full',
    steps: [{ content: 'one' }, { output: 'no', exit_code: 3 }, {}, {}],
  });
});

test('a page of get_trajectory holds as many whole steps as fit, and at least one', async () => {
  const { ok, ended } = createTools();
  const output = (id: number, text = 'z') =>
    `printf '{"type":"item.completed","item":{"id":"c${id}","type":"command_execution","command":"c${id}","aggregated_output":"'; ` +
    `head -c 20000 /dev/zero | tr '\\0' z | sed 's/z/${text}/g'; printf '%s\\n' '","exit_code":0,"status":"completed"}}'`;
  const session_id = await ended(
    `run ${[1, 2, 3, 4, 5, 6, 7].map((id) => output(id)).join('; ')}; ${output(8, String.raw`\\u0001`)}`,
  );
  const first = await ok('get_trajectory', { session_id, full: true });
  // Of each output 8000 characters are shown, of a page 40000.
  const commands = (steps: readonly { command?: string }[]) => steps.flatMap(({ command }) => command ?? []);
  expect(commands(first.steps)).toEqual(['c1', 'c2', 'c3', 'c4']);
  expect(first.steps[0].output).toMatch(/^z{7999}…$/);
  const offset = first.steps.length;
  expect(first.hint).toBe(`${first.step_count - offset} more: offset=${offset}`);
  const rest = await ok('get_trajectory', { session_id, full: true, offset });
  expect(commands(rest.steps)).toEqual(['c5', 'c6', 'c7']);
  // As JSON it is longer than a page.
  const long = await ok('get_trajectory', { session_id, full: true, offset: offset + 3 });
  expect(commands(long.steps)).toEqual(['c8']);
  expect(long.hint).toBe(`1 more: offset=${offset + 4}`);
});

test('end_session ends what runs, and records the reason', async () => {
  const { ok, refused, manager, project } = createTools();
  const { session_id } = await ok('delegate', { task: 'hang', mode: 'async', name: 'mine' });
  expect(await ok('end_session', { session_id: 'mine', reason: 'enough' })).toEqual({
    success: true,
    error: null,
    hint: `its records stay; end_session(session_id="${session_id}", delete=true) deletes them`,
    session_id,
    status: 'killed',
    reason: 'enough',
    deleted: false,
  });
  // It has ended already: a success, but nothing that this reason is recorded for.
  const again = await ok('end_session', { session_id, reason: 'again' });
  expect(again).toMatchObject({ status: 'killed', reason: null });
  expect((await manager.get(session_id)).turns).toMatchObject([
    { warnings: ['it was ended on request: enough'] },
  ]);
  const users = await project.start(['hang']);
  expect(await refused('end_session', { session_id: users })).toMatchObject({ success: false });
});

test('end_session deletes a session by its whole id alone', async () => {
  const { ok, refused, manager } = createTools();
  const { session_id } = await ok('delegate', { task: 'hang', mode: 'async', name: 'mine' });
  for (const text of ['mine', '@last', session_id.slice(0, 5)]) {
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

test('wait_sessions answers for each, and names those to wait for again', async () => {
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
});

test('wait_sessions waits for all, or for any; one that is damaged or removed meanwhile hides no other', async () => {
  const tools = createTools();
  const { ok, ended, begin, open, manager, call, notifications } = tools;
  const [gone, gated, hanging] = [await ended('quick'), await begin('gate go'), await begin('hang')];
  const any = call('wait_sessions', { ids: [gated, hanging], mode: 'any' }, { progressToken: 1 });
  const all = call('wait_sessions', { ids: [gone, gated, hanging] }, { progressToken: 2 });
  await eventually('both wait', () => notifications.length === 2);
  expect(notifications).toMatchObject([
    { params: { message: `waiting for one of ${gated}, ${hanging}` } },
    { params: { message: `waiting for ${gone}, ${gated}, ${hanging}` } },
  ]);
  open();
  expect((await any).fields).toMatchObject({ mode: 'any', running: 1, completed: 1 });
  await tools.project.settled(gone);
  await manager.remove(gone);
  await manager.kill(hanging);
  expect((await all).fields).toMatchObject({
    hint: null,
    sessions: [
      { session_id: gone, status: null, turn: null, response: null, error: expect.stringContaining(gone) },
      { status: 'completed', response: 'done' },
      { status: 'killed' },
    ],
  });
  await damage(tools, gated);
  const damaged = await ok('wait_sessions', { ids: [gated, hanging], mode: 'any' });
  expect(damaged).toMatchObject({ running: 0, sessions: [{ status: null }, { status: 'killed' }] });
});

test('an agent that has the tools does not wait for itself', async () => {
  const user = createTools();
  const self = await user.begin('hang');
  const { ok, refused } = createTools({ project: user.project, env: { ZWARM_SESSION_ID: self } });
  for (const [tool, args] of [
    ['wait_sessions', { ids: [self] }],
    ['check_session', { session_id: self, wait_sec: 60 }],
    ['converse', { session_id: self, message: 'x' }],
    ['end_session', { session_id: self }],
  ] as const)
    expect(await refused(tool, args), tool).toMatchObject({ error: `${self} is your own session` });
  expect(await ok('check_session', { session_id: self })).toMatchObject({ is_running: true });
});
