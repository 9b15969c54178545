import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { TOOL_NAMES } from '../../src/core/tool-names.ts';
import { eventually } from '../helpers/project.ts';
import { createShellProject } from '../helpers/shell-project.ts';
import { connectTools, PROTOCOLS, type Protocol } from '../helpers/tools-client.ts';
import { snapshot } from '../helpers/tree.ts';

describe.each(Object.keys(PROTOCOLS) as Protocol[])('a client of the %s protocol', (protocol) => {
  test('is told of the tools, with what they take, give and do', async () => {
    const { client } = await connectTools(createShellProject(), { protocol });
    expect(client.getNegotiatedProtocolVersion()).toBe(PROTOCOLS[protocol]);
    expect(client.getInstructions()).toContain('check_session');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES);
    for (const tool of tools) {
      expect(tool.inputSchema, tool.name).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema, tool.name).toMatchObject({ type: 'object' });
      expect(tool.description?.length, tool.name).toBeLessThan(1024);
    }
    const reading = tools.flatMap(({ name, annotations }) => (annotations?.readOnlyHint ? [name] : []));
    expect(reading).toEqual([
      'check_session',
      'peek_session',
      'get_trajectory',
      'list_sessions',
      'wait_sessions',
    ]);
    const ending = tools.flatMap(({ name, annotations }) => (annotations?.idempotentHint ? [name] : []));
    expect(ending).toEqual(['end_session']);
  });

  test('runs a session from its beginning to its end', async () => {
    const project = createShellProject();
    const { ok, call } = await connectTools(project, { protocol });

    const { text, fields: first } = await call('delegate', { task: 'quick', name: 'one' });
    expect(JSON.parse(text)).toEqual(first);
    const { session_id } = first;
    expect(first).toMatchObject({
      success: true,
      session: 'one',
      status: 'completed',
      turn: 1,
      mode: 'sync',
      task: 'quick',
      response: 'done',
      tokens: 15,
      error: null,
      log_file: project.turnFile(session_id, 1, 'events.jsonl'),
    });
    expect(first.runtime).toBeGreaterThanOrEqual(0);

    const second = await ok('converse', { session_id, message: 'run echo "{}" > said; true' });
    expect(second).toMatchObject({
      success: true,
      turn: 2,
      response: 'done',
      you_said: 'run echo "{}" > said; true',
    });
    expect(existsSync(join(project.directory, 'said'))).toBe(true);

    expect(await ok('check_session', { session_id })).toMatchObject({
      status: 'completed',
      is_running: false,
      turn: 2,
      message_count: 4,
      response: 'done',
    });
    expect(await ok('peek_session', { session_id })).toEqual({
      success: true,
      session_id,
      status: 'completed',
      latest_message: 'done',
    });
    expect(await ok('get_trajectory', { session_id })).toMatchObject({
      mode: 'summary',
      step_count: 2,
      steps: [
        { step: 1, turn: 1, type: 'message', summary: 'done' },
        { step: 2, turn: 2, type: 'message', summary: 'done' },
      ],
    });
    expect(await ok('get_trajectory', { session_id, full: true, turn: 2 })).toMatchObject({
      mode: 'full',
      turn: 2,
      steps: [{ step: 2, type: 'message', content: 'done' }],
    });
    expect(await ok('get_trajectory', { session_id, limit: 1 })).toMatchObject({
      step_count: 2,
      hint: expect.stringContaining('offset=1'),
    });
    expect(await ok('get_trajectory', { session_id, offset: 1 })).toMatchObject({
      steps: [{ step: 2 }],
      hint: null,
    });
    expect(await ok('list_sessions')).toMatchObject({
      count: 1,
      running: 0,
      completed: 1,
      needs_attention: 0,
      sessions: [
        {
          session_id,
          session: 'one',
          status: 'completed',
          turn: 2,
          source: 'mcp:test-client',
          latest_message: 'done',
          needs_attention: false,
        },
      ],
    });
    expect(await ok('end_session', { session_id, reason: 'enough' })).toMatchObject({
      success: true,
      status: 'completed',
      // It had ended: there was nothing to record it with.
      reason: null,
      deleted: false,
    });
    expect(await ok('end_session', { session_id, delete: true })).toMatchObject({ deleted: true });
    expect(await ok('list_sessions')).toMatchObject({ count: 0, sessions: [] });
  });

  test('lets several work at once, waits for them, and ends one', async () => {
    const project = createShellProject();
    const { ok } = await connectTools(project, { protocol });
    const begun = await Promise.all(
      ['gate first', 'gate second', 'hang'].map((task) => ok('delegate', { task, mode: 'async' })),
    );
    const [first, second, third] = begun.map(({ session_id }) => session_id);
    expect(begun.map(({ mode, success, response }) => ({ mode, success, response }))).toEqual(
      Array(3).fill({ mode: 'async', success: true, response: null }),
    );
    expect(await ok('list_sessions', { status: 'running' })).toMatchObject({ count: 3, running: 3 });

    const any = ok('wait_sessions', { ids: [first, second, third], mode: 'any' });
    writeFileSync(join(project.directory, 'second'), '');
    expect(await any).toMatchObject({
      running: 2,
      completed: 1,
      sessions: [
        { session_id: first, status: 'running', response: null },
        { session_id: second, status: 'completed', response: 'done' },
        { session_id: third, status: 'running' },
      ],
    });
    expect(await ok('wait_sessions', { ids: [first, third], wait_sec: 0 })).toMatchObject({ running: 2 });
    const all = ok('wait_sessions', { ids: [first, third] });
    writeFileSync(join(project.directory, 'first'), '');
    expect(await ok('end_session', { session_id: third, reason: 'no longer needed' })).toMatchObject({
      success: true,
      status: 'killed',
    });
    expect(await all).toMatchObject({
      running: 0,
      sessions: [{ status: 'completed' }, { status: 'killed' }],
    });
    expect((await project.show(third)).turns[0]?.warnings).toEqual([
      'it was ended on request: no longer needed',
    ]);
  });

  test('is told what is wrong with a call, and what it could have meant', async () => {
    const project = createShellProject();
    const { client, ok, call } = await connectTools(project, { protocol });
    const { session_id } = await ok('delegate', { task: 'quick' });
    const mistyped = `${session_id.slice(0, 9)}${session_id.endsWith('a') ? 'b' : 'a'}`;
    for (const [tool, args] of [
      ['converse', { session_id: mistyped, message: 'x' }],
      ['check_session', { session_id: mistyped }],
      ['peek_session', { session_id: mistyped }],
      ['get_trajectory', { session_id: mistyped }],
      ['end_session', { session_id: mistyped }],
      ['wait_sessions', { ids: [session_id, mistyped] }],
    ] as const) {
      const answer = await call(tool, args);
      expect(answer, tool).toMatchObject({
        isError: true,
        fields: { success: false, hint: expect.stringContaining('the closest ids: ') },
      });
      expect(answer.fields.error, tool).toContain(mistyped);
      expect(answer.fields.hint, tool).toContain(session_id);
      // Most clients throw away a refusal whose structured content is not that of an answer.
      const raw = await client.callTool({ name: tool, arguments: { ...args } });
      expect(raw, tool).not.toHaveProperty('structuredContent');
    }
    const bad: readonly (readonly [tool: string, args: object, what: RegExp])[] = [
      ['delegate', {}, /task/],
      ['delegate', { task: '' }, /empty/],
      ['delegate', { task: 'x', mode: 'later' }, /mode/],
      ['delegate', { task: 'x', sandbox: 'none' }, /sandbox/],
      ['delegate', { task: 'x', agent: 'codecs' }, /codecs/],
      ['delegate', { task: 'x', name: 'A B' }, /name/],
      ['delegate', { task: 'x', workdir: '/' }, /workdir/],
      ['converse', { session_id, message: ' ' }, /empty/],
      ['converse', { session_id: '../..', message: 'x' }, /not a session id/],
      ['check_session', { session_id, wait_sec: -1 }, /wait_sec/],
      ['peek_session', { session_id: '' }, /empty/],
      ['get_trajectory', { session_id, turn: 7 }, /no turn 7/],
      ['get_trajectory', { session_id, limit: 0 }, /limit/],
      ['list_sessions', { status: 'done' }, /status/],
      ['list_sessions', { source: '!' }, /source/],
      ['end_session', { session_id, reason: 5 }, /reason/],
      ['wait_sessions', { ids: [] }, /ids/],
    ];
    for (const [tool, args, what] of bad) {
      const { isError, text } = await call(tool, args);
      expect({ tool, args, isError, text }).toMatchObject({
        isError: true,
        text: expect.stringMatching(what),
      });
    }
    expect(await project.list()).toHaveLength(1);
  });

  test('has to wait for a busy session, and says so', async () => {
    const project = createShellProject();
    const { ok, call } = await connectTools(project, { protocol });
    const { session_id } = await ok('delegate', { task: 'hang', mode: 'async' });
    expect(await call('converse', { session_id, message: 'go on' })).toMatchObject({
      isError: true,
      fields: {
        success: false,
        error: expect.stringContaining('still running'),
        hint: expect.stringContaining('check_session'),
      },
    });
  });

  test('hears of a turn that failed', async () => {
    const { ok, call } = await connectTools(createShellProject(), { protocol });
    const { isError, fields } = await call('delegate', { task: 'break' });
    expect(isError).toBe(false);
    expect(fields).toMatchObject({ success: false, status: 'failed', error: 'it broke', response: null });
    const again = await ok('converse', { session_id: fields.session_id, message: 'quick' });
    expect(again).toMatchObject({ success: true, turn: 2, response: 'done', error: null });
  });
});

test('an agent goes on when its client stops waiting, and when it goes away', async () => {
  const project = createShellProject();
  const { call, ok, close, pid } = await connectTools(project);
  const stopped = new AbortController();
  const waiting = call('delegate', { task: 'gate go' }, { signal: stopped.signal });
  const [first] = await eventually('the agent runs', async () => {
    const rows = await project.list(['--status', 'running']);
    return rows.length === 1 && rows;
  });
  stopped.abort();
  await expect(waiting).rejects.toThrow();
  const second = await ok('delegate', { task: 'gate go', mode: 'async' });
  const inFlight = call('check_session', { session_id: second.session_id, wait_sec: 40 }).catch(() => null);
  await close();
  await inFlight;
  await eventually('the server has ended', () => !existsSync(`/proc/${pid}`));
  expect((await project.list()).map(({ status }) => status)).toEqual(['running', 'running']);
  writeFileSync(join(project.directory, 'go'), '');
  await project.ok(['wait', first?.id ?? '', second.session_id]);
});

test('looking writes nothing and starts nothing', async () => {
  const project = createShellProject();
  const { ok } = await connectTools(project);
  const { session_id } = await ok('delegate', { task: 'quick' });
  const running = (await ok('delegate', { task: 'hang', mode: 'async' })).session_id;
  await project.settled(session_id);
  const store = project.store();
  const before = snapshot(store);
  for (let i = 0; i < 5; i += 1) {
    await ok('list_sessions', { source: 'mcp' });
    for (const id of [session_id, running]) {
      await ok('peek_session', { session_id: id });
      await ok('check_session', { session_id: id });
      await ok('get_trajectory', { session_id: id, full: true });
    }
    await ok('wait_sessions', { ids: [session_id, running], wait_sec: 0 });
  }
  expect(snapshot(store)).toEqual(before);
  expect(project.runs()).toHaveLength(2);
});

test('one session that is gone keeps nobody from the answers of the others', async () => {
  const project = createShellProject();
  const { ok } = await connectTools(project);
  const first = (await ok('delegate', { task: 'gate first', mode: 'async' })).session_id;
  const second = (await ok('delegate', { task: 'gate second', mode: 'async' })).session_id;
  const waiting = ok('wait_sessions', { ids: [first, second] });
  writeFileSync(join(project.directory, 'first'), '');
  await project.ok(['wait', first]);
  await project.settled(first);
  await project.ok(['rm', first]);
  writeFileSync(join(project.directory, 'second'), '');
  expect(await waiting).toMatchObject({
    completed: 1,
    sessions: [
      { session_id: first, status: null, response: null, error: expect.stringContaining(first) },
      { session_id: second, status: 'completed', response: 'done', error: null },
    ],
  });
});

test('a call that is taken back before anything was begun begins nothing', async () => {
  const project = createShellProject();
  const { call, ok, pid } = await connectTools(project);
  const stop = new AbortController();
  // The server is held, so that it hears of the call and of its end at once.
  process.kill(pid, 'SIGSTOP');
  const taken = call('delegate', { task: 'quick' }, { signal: stop.signal }).catch(() => null);
  await setImmediate();
  stop.abort();
  await setImmediate();
  process.kill(pid, 'SIGCONT');
  await taken;
  expect(await ok('list_sessions')).toMatchObject({ count: 0 });
  expect(await ok('delegate', { task: 'quick' })).toMatchObject({ success: true });
  expect(await project.list(['--all'])).toHaveLength(1);
});

test('an agent that has the tools does not wait for itself', async () => {
  const project = createShellProject();
  const self = await project.begin('hang');
  const { call, ok } = await connectTools(project, { env: { ZWARM_SESSION_ID: self } });
  for (const [tool, args] of [
    ['wait_sessions', { ids: [self] }],
    ['check_session', { session_id: self, wait_sec: 60 }],
    ['converse', { session_id: self, message: 'x' }],
    ['end_session', { session_id: self }],
  ] as const) {
    expect(await call(tool, args), tool).toMatchObject({
      isError: true,
      fields: { error: `${self} is your own session` },
    });
  }
  expect(await ok('check_session', { session_id: self })).toMatchObject({ is_running: true });
});
