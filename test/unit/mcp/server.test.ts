import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../helpers/project.ts';
import { createTools, TOOLS } from '../../helpers/tools-in-process.ts';

test('every call is that of its client', async () => {
  const { ok, clients, manager } = createTools({ name: 'My Client' });
  const { session_id } = await ok('delegate', { task: 'quick', mode: 'async' });
  await ok('list_sessions');
  expect(clients).toEqual(['my-client', 'my-client']);
  expect(await manager.summary(session_id)).toMatchObject({ source: 'mcp:my-client' });
});

test('an answer is text and structured content alike; a refusal is text alone', async () => {
  const { request, ended, manager } = createTools();
  const call = (name: string, args: object) => request('tools/call', { name, arguments: args });
  const answer = await call('list_sessions', {});
  expect(answer.isError).toBeUndefined();
  expect(JSON.parse(answer.content[0].text)).toEqual(answer.structuredContent);
  const known = await ended('quick');
  const refused = await call('peek_session', {
    session_id: `${known.slice(0, 9)}${known.endsWith('2') ? 3 : 2}`,
  });
  expect(refused).toMatchObject({ isError: true, content: [{ type: 'text' }] });
  expect(refused).not.toHaveProperty('structuredContent');
  const hint = `the closest ids: ${known}; list_sessions() has all`;
  expect(JSON.parse(refused.content[0].text)).toMatchObject({ success: false, hint });
  expect(await manager.list({ all: true })).toHaveLength(1);
});

test('what a call must not ask for is refused, and named', async () => {
  const { call } = createTools();
  const session_id = 'x';
  const calls: readonly [tool: string, args: object, what: RegExp][] = [
    ['delegate', {}, /task/],
    ['delegate', { task: ' ' }, /task/],
    ['delegate', { task: 'x', mode: 'later' }, /mode/],
    ['delegate', { task: 'x', sandbox: 'none' }, /sandbox/],
    ['delegate', { task: 'x', agent: 'codecs' }, /agent.*codex/s],
    ['delegate', { task: 'x', name: 'A B' }, /name/],
    ['delegate', { task: 'x', tags: ['A B'] }, /tags/],
    ['delegate', { task: 'x', workdir: '/' }, /workdir/],
    ['delegate', { task: 'x', wait_sec: 86_401 }, /wait_sec/],
    ['converse', { session_id: '../..', message: 'x' }, /not a session id/],
    ['check_session', { session_id, wait_sec: -1 }, /wait_sec/],
    ['peek_session', { session_id: '' }, /empty/],
    ['get_trajectory', { session_id, limit: 0 }, /limit/],
    ['get_trajectory', { session_id, turn: 0 }, /turn/],
    ['get_trajectory', { session_id, offset: -1 }, /offset/],
    ['list_sessions', { status: 'done' }, /status/],
    ['list_sessions', { source: '!' }, /source/],
    ['list_sessions', { limit: 501 }, /limit/],
    ['end_session', { session_id, reason: 5 }, /reason/],
    ['wait_sessions', { ids: [] }, /ids/],
  ];
  for (const [tool, args, what] of calls)
    expect(await call(tool, args)).toMatchObject({ isError: true, text: expect.stringMatching(what) });
});

test('what does not fit is refused as everything else is: which parameter, what it was, what fits', async () => {
  const { refused } = createTools();
  expect(await refused('delegate', { task: 'x', mode: 'later' })).toEqual({
    success: false,
    error: 'mode cannot be "later"',
    hint: 'it takes sync, async',
    field: 'mode',
    value: 'later',
    allowed: ['sync', 'async'],
  });
  expect(await refused('peek_session', {})).toMatchObject({
    error: 'session_id is missing',
    hint: 'it takes a string',
    ...{ field: 'session_id', value: null },
  });
  expect(await refused('peek_session', { session_id: 'x', id: 'y' })).toMatchObject({
    error: 'there is no parameter "id"',
    ...{ field: 'id', value: 'y', allowed: ['session_id'] },
  });
  expect(await refused('wait_sessions', { ids: ['x', 5] })).toMatchObject({
    error: 'ids.1 cannot be 5',
    ...{ field: 'ids.1', value: 5, allowed: 'a string' },
  });
  for (const [tool, args, error, hint] of [
    ['get_trajectory', { session_id: 'x', limit: 501 }, 'limit cannot be 501', 'at most 500'],
    ['wait_sessions', { ids: [] }, 'ids cannot be []', 'at least 1 entries'],
    ['wait_sessions', { ids: 'x' }, 'ids cannot be "x"', 'an array'],
    ['delegate', { task: 'x', key: '' }, 'key cannot be ""', 'at least 1 characters'],
    ['converse', { session_id: 'x', message: '\n' }, 'message cannot be "\\n"', 'some words'],
    ['delegate', { task: 'x', working_dir: 'src' }, 'working_dir cannot be "src"', 'an absolute path'],
  ] as const)
    expect(await refused(tool, args)).toMatchObject({ error, hint: `it takes ${hint}` });
  // What a rule of the core refuses says so in its own words.
  const tag = 'a tag has at most 40 characters of a-z 0-9 _ . - and begins with a letter or digit';
  for (const [tool, args, field, hint] of [
    ['delegate', { task: 'x', name: 'A B' }, 'name', /^a name begins with a lower-case letter/],
    ['delegate', { task: 'x', name: 'abcdefghjk' }, 'name', /^add something to it: abcdefghjk-1$/],
    ['delegate', { task: 'x', tags: ['ok', 'A B'] }, 'tags', tag],
    ['list_sessions', { tags: ['A B'] }, 'tags', tag],
    ['list_sessions', { source: 'me' }, 'source', /^mine \(default\), user, orchestrator, mcp, .* or all$/],
  ] as const) {
    const refusal = await refused(tool, args);
    expect(refusal).toMatchObject({ field, value: args[field as never], allowed: refusal.hint });
    expect(refusal.hint).toMatch(hint);
  }
  // However long it is.
  const long = 'y'.repeat(1000);
  for (const args of [{ task: 'x', mode: long }, { task: [long] }, { task: 'x', [long]: long }]) {
    const refusal = await refused('delegate', args);
    expect(refusal.value).toHaveLength(200);
    expect(JSON.stringify(refusal).length).toBeLessThan(1500);
  }
});

test('the list of tools is short: models pay for it in every conversation', async () => {
  const { tools } = await createTools().request('tools/list');
  expect(tools).toHaveLength(9);
  const told = JSON.stringify(tools, (key, value) => (key === 'outputSchema' ? undefined : value));
  expect(told.length).toBeLessThanOrEqual(6000);
  // Nothing else is left out of it.
  const names = tools.map(({ inputSchema }: { inputSchema: { properties: object } }) =>
    Object.keys(inputSchema.properties),
  );
  const own = TOOLS.filter(({ name }) => name !== 'land');
  expect(names).toEqual(own.map(({ input }) => Object.keys(input.shape)));
});

test('a host that has its model search for tools is asked to show it those of the loop at once', async () => {
  const { tools } = await createTools().request('tools/list');
  const asked = { 'anthropic/alwaysLoad': true };
  const shown = tools.filter(
    ({ _meta }: { _meta?: object }) => JSON.stringify(_meta) === JSON.stringify(asked),
  );
  expect(shown.map(({ name }: { name: string }) => name)).toEqual([
    'delegate',
    'converse',
    'get_trajectory',
    'wait_sessions',
  ]);
});

test('what would be null is left out of an answer, and of each session in it', async () => {
  const { call, request } = createTools();
  await call('delegate', { task: 'quick' });
  for (const name of ['list_sessions', 'delegate']) {
    const { content } = await request('tools/call', {
      name,
      arguments: name === 'delegate' ? { task: 'quick' } : {},
    });
    expect(content[0].text, name).not.toContain('null');
  }
});

test('progress is reported where the client asks for it, and nowhere else', async () => {
  const { ok, call, notifications } = createTools();
  const { session_id } = await ok('delegate', { task: 'quick' });
  expect(notifications).toEqual([]);
  await call('converse', { session_id, message: 'quick' }, { progressToken: 0 });
  const params = { progressToken: 0, progress: 0, message: `${session_id} works on turn 2` };
  expect(notifications).toMatchObject([{ method: 'notifications/progress', params }]);
});

test('a configuration that cannot be read is logged, and keeps nobody from looking', async () => {
  const { ok, refused, logged } = createTools({ env: { ZWARM_WAIT_SEC: 'soon' } });
  expect(await ok('list_sessions')).toMatchObject({ count: 0 });
  expect(logged).toEqual([expect.stringMatching(/^zwarm mcp: .*ZWARM_WAIT_SEC/)]);
  const { hint } = await refused('delegate', { task: 'quick' });
  expect(hint).toBe("tell the user: zwarm's configuration cannot be understood");
});

test('an answer is given although nobody can record that it was seen', async () => {
  const { ok, ended, project, logged } = createTools();
  const session_id = await ended('quick');
  writeFileSync(join(project.state, 'seen'), '');
  expect(await ok('check_session', { session_id })).toMatchObject({ response: 'done' });
  expect(logged).toEqual([expect.stringMatching(/^zwarm mcp: could not record what was seen: ./)]);
});

test('who no longer waits for an answer has not seen it', async () => {
  const { call, ok, cancelLast, manager, open } = createTools();
  void call('delegate', { task: 'gate go' });
  const [session] = await eventually('the agent runs', async () => {
    const rows = await manager.list({ all: true, statuses: ['running'] });
    return rows.length === 1 && rows;
  });
  const id = session?.id as never;
  cancelLast();
  // Answered after the server has heard of that.
  await ok('list_sessions');
  open();
  await manager.wait(id);
  const news = { needs_attention: 1, hint: `check_session(session_id="${id}") has news` };
  expect(await ok('list_sessions')).toMatchObject(news);
  await ok('check_session', { session_id: id });
  expect(await ok('list_sessions')).toMatchObject({ needs_attention: 0, hint: null });
});

test('a call that is taken back before anything was begun begins nothing', async () => {
  const { call, ok, cancelLast } = createTools();
  void call('delegate', { task: 'quick' });
  cancelLast();
  expect(await ok('delegate', { task: 'quick' })).toMatchObject({ success: true });
  expect(await ok('list_sessions')).toMatchObject({ count: 1 });
});
