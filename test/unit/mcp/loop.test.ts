import { expect, test } from 'vitest';
import { INSTRUCTIONS } from '../../../src/mcp/tools.ts';
import { lineOf } from '../../../src/mcp/waiting.ts';
import { eventually, processesWith } from '../../helpers/project.ts';
import { createTools, TOOLS } from '../../helpers/tools-in-process.ts';

/* What a model reads, and how many calls it takes. */

const item = (fields: string): string => `{"type":"item.%s","item":{"id":"%s%d",${fields}}}\\n`;
const MESSAGES = `for i in $(seq 50); do printf '${item('"type":"agent_message","text":"and so on"')}' completed m $i; done`;
const COMMAND = `printf '${item('"type":"command_execution","command":"/bin/bash -lc make","status":"in_progress"')}' started c 1`;

/** A model that calls tools; what it was told, with ids and times replaced. */
function createModel(tools: ReturnType<typeof createTools>) {
  const told: string[] = [];
  return {
    told,
    /** Calls a tool; the call and its answer, without what is told everywhere, are added to what the model was told. */
    async call(tool: string, args: object, ...fields: readonly string[]) {
      const answer = await tools.ok(tool, args);
      const shown = fields.map((field) => `${field}: ${JSON.stringify(answer[field])}`);
      const text = [`${tool} ${JSON.stringify(args)}`, ...shown].join('\n  ');
      told.push(text.replaceAll(answer.session_id ?? 'ID', 'ID'));
      return answer;
    },
  };
}

test('a worker that says a hundred things costs two calls: one to delegate, one to wait', async () => {
  const tools = createTools({ env: { ZWARM_WAIT_SEC: '3600' } });
  const { call, told } = createModel(tools);
  const task = `run ${MESSAGES}; until [ -e go ]; do sleep 0.01; done; ${MESSAGES}`;
  const { session_id } = await call('delegate', { task, mode: 'async' }, 'status', 'response', 'hint');
  const waits = call('wait_sessions', { ids: [session_id] }, 'hint');
  await eventually(
    'it has said fifty things',
    async () => (await tools.ok('check_session', { session_id })).message_count === 51,
  );
  tools.open();
  const { sessions } = await waits;
  expect(sessions).toMatchObject([{ status: 'completed', response: 'done', error: null, why: null }]);
  expect(told.map((line) => line.split(' ')[0])).toEqual(['delegate', 'wait_sessions']);
  // And no more where it waits at once, or by another name.
  for (const [tool, args] of [
    ['delegate', { task, timeout_sec: 3600 }],
    ['converse', { session_id, message: task }],
  ] as const)
    expect(await tools.ok(tool, args)).toMatchObject({ status: 'completed', response: 'done' });
  expect((await tools.ok('check_session', { session_id })).message_count).toBe(2 * 102);
});

test('a look tells what an agent is doing, and leaves no mark; so does the progress of a wait', async () => {
  const tools = createTools();
  const { ok, manager, open } = tools;
  const id = await tools.begin(`run ${COMMAND}; until [ -e go ]; do sleep 0.01; done`);
  const step = { summary: '$ make', age_sec: expect.any(Number) };
  const now = { name: null, turn: 1, is_running: true, current_step: step, idle_sec: expect.any(Number) };
  const peek = (session_id: string) => ok('peek_session', { session_id });
  await eventually('its command runs', async () => (await peek(id)).current_step);
  expect(await peek(id)).toMatchObject(now);
  expect(await ok('check_session', { session_id: id })).toMatchObject(now);
  expect((await ok('list_sessions')).sessions).toMatchObject([now]);
  expect((await ok('wait_sessions', { ids: [id], wait_sec: 0 })).sessions).toMatchObject([now]);
  const poll = createTools({ project: tools.project, tasks: true });
  const task = await poll.request('tasks/get', { taskId: `${id}.1` });
  expect(task).toMatchObject({ statusMessage: `turn 1 of ${id}: running; $ make` });
  const silent = await tools.begin('hang');
  const line = (...ids: string[]) => lineOf({ manager }, { words: 'it works', ids: ids as never });
  expect(await line(id)).toBe('it works; $ make');
  // One that is removed meanwhile hides no other.
  expect(await line(silent, 'gone234567', id)).toBe(`it works; ${id} $ make`);
  expect(await line(id, id, id, id)).toBe(`it works${`; ${id} $ make`.repeat(3)}`);
  open();
  await manager.wait(id);
  const done = { status: 'completed', is_running: false, current_step: null, idle_sec: null };
  expect(await peek(id)).toMatchObject(done);
  expect(await manager.list({ attention: true })).toMatchObject([{ id }]);
});

test('a busy session is interrupted on request alone', async () => {
  const { ok, refused, begin, project } = createTools();
  const session_id = await begin('hang');
  expect(await refused('converse', { session_id, message: 'quick' })).toEqual({
    success: false,
    error: `${session_id} is still running`,
    hint: 'its agent is still working: wait_sessions waits for it; converse(interrupt=true, …) stops it first',
  });
  const answer = await ok('converse', { session_id, message: 'quick', interrupt: true });
  expect(answer).toMatchObject({ turn: 2, status: 'completed', response: 'done' });
  expect((await project.show(session_id)).turns.map(({ status }) => status)).toEqual(['killed', 'completed']);
});

test('a client lists its own sessions, and hears which of them to wait for where no more may run', async () => {
  const tools = createTools();
  const others = createTools({ project: tools.project, name: 'another' });
  const { ok, begin } = tools;
  await tools.project.start(['hang']);
  const [theirs, ...mine] = [await others.begin('hang'), await begin('hang'), await begin('hang')];
  const listed = await ok('list_sessions', { source: 'mine' });
  expect(listed.sessions.map((row: { session_id: string }) => row.session_id)).toEqual(mine.toReversed());
  expect((await others.ok('list_sessions', { source: 'mine' })).sessions).toMatchObject([
    { session_id: theirs },
  ]);
  for (let i = 3; i < 8; i += 1) await begin('hang');
  const { error, hint } = await others.refused('delegate', { task: 'quick' });
  expect(error).toBe('8 sessions run that were not begun by the user, and no more than 8 may');
  expect(hint).toBe(
    `wait_sessions(ids=["${theirs}"], mode="any") waits for room; queue=true lets it wait for its turn; the user can allow more (max_sessions)`,
  );
  // With queue it waits for that, and the end of one of them makes room, whoever sees it, and wherever that one stands.
  const queued = await others.ok('delegate', { task: 'quick', queue: true, mode: 'async' });
  expect(queued).toMatchObject({ status: 'pending' });
  for (const pid of processesWith(`ZWARM_SESSION_ID=${theirs}`)) process.kill(pid, 'SIGKILL');
  expect(await tools.project.ok(['wake'], { cwd: '/' })).toBe(`${queued.session_id} turn 1 started`);
  await others.ok('wait_sessions', { ids: [queued.session_id] });
  expect((await tools.project.show(queued.session_id)).status).toBe('completed');
});

test('a key starts a session once, and without one a running twin is named', async () => {
  const { ok, refused, manager, project } = createTools();
  const asked = { task: 'hang', mode: 'async', key: 'lint' };
  const { session_id } = await ok('delegate', asked);
  expect(await ok('delegate', asked)).toMatchObject({ session_id, status: 'running' });
  expect(await refused('delegate', { ...asked, task: 'quick' })).toEqual({
    success: false,
    error: `the key "lint" has begun ${session_id}, with another task`,
    hint: 'choose another name or key, or converse with the session that has it',
  });
  expect(await manager.list({ all: true })).toHaveLength(1);
  // Each caller has keys of its own.
  const others = createTools({ project, name: 'another' });
  expect((await others.ok('delegate', asked)).session_id).not.toBe(session_id);
  // Deleted, it gives the key free.
  await ok('end_session', { session_id, delete: true });
  const { session_id: second } = await ok('delegate', asked);
  expect(second).not.toBe(session_id);
  const twin = await ok('delegate', { task: 'hang', mode: 'async' });
  expect(twin.hint).toContain(
    `${second} works on the same task: if it is yours, end_session(session_id="${twin.session_id}")`,
  );
  expect((await ok('delegate', { task: 'quick' })).hint).not.toContain('same task');
  // Tasks of which the list shows the same beginning.
  const long = `hang ${'x'.repeat(1000)}`;
  const begin = (task: string) => ok('delegate', { task, mode: 'async' });
  await begin(`${long} one`);
  expect((await begin(`${long} another`)).hint).not.toContain('same task');
  expect((await begin(`${long} one`)).hint).toContain('same task');
});

test('a client lists what its agents have started, too, and nothing of others', async () => {
  const tools = createTools();
  const { ok, begin, project } = tools;
  await project.start(['hang']);
  const mine = await begin('hang');
  const agent = createTools({ project, env: { ZWARM_SESSION_ID: mine } });
  const { session_id: below } = await agent.ok('delegate', { task: 'hang', mode: 'async' });
  const idsOf = ({ sessions }: { sessions: { session_id: string }[] }) =>
    sessions.map((row) => row.session_id);
  expect(idsOf(await ok('list_sessions')).sort()).toEqual([mine, below].sort());
});

test('a worker that fails says why in the answer itself', async () => {
  const { call, told } = createModel(createTools());
  const ended = COMMAND.replace('started c', 'completed c').replace(
    '"status":"in_progress"',
    '"status":"failed","exit_code":1,"aggregated_output":"FAIL a.test.ts\\\\nexpected 1, got 2\\\\n"',
  );
  const failed = `printf '{"type":"turn.failed","error":{"message":"it broke"}}\\n'`;
  await call(
    'delegate',
    { task: `run ${ended}; ${failed}; exit 1`, name: 'w' },
    'status',
    'error',
    'why',
    'hint',
  );
  expect(told[0]?.split('\n').slice(1).join('\n')).toMatchInlineSnapshot(`
    "  status: "failed"
      error: "it broke"
      why: "$ make [exit 1]\\nFAIL a.test.ts\\nexpected 1, got 2"
      hint: "get_trajectory(session_id=\\"ID\\", turn=1) shows what it did; converse continues where it stopped""
  `);
});

test('hosts show all of the instructions, and Codex at first the first line', () => {
  expect(INSTRUCTIONS.length).toBeLessThanOrEqual(2000);
  expect(INSTRUCTIONS.split('\n')[0]?.length).toBeLessThanOrEqual(247);
});

/** The parameters of all tools, with what is said of each. */
const PARAMETERS = TOOLS.flatMap((tool) =>
  Object.entries(tool.input.shape).map(([name, schema]) => ({
    name,
    description: schema.description ?? '',
    hasDefault: schema.safeParse(undefined).data !== undefined,
  })),
);

test('what a parameter is where it is left out is told in words, as some hosts show a model nothing else', () => {
  const silent = PARAMETERS.filter((one) => one.hasDefault && !one.description.includes('default'));
  expect(silent).toEqual([]);
});

test('a parameter without a word has a name that says all, and where it is left out there is none', () => {
  const wordless = PARAMETERS.filter(({ description }) => description === '').map(({ name }) => name);
  const names = ['model', 'tags', 'session_id', 'message', 'turn', 'path', 'status', 'reason'];
  expect([...new Set(wordless)]).toEqual(names);
});

test('the description of a tool is short', () => {
  for (const { name, description } of TOOLS) expect(description.length, name).toBeLessThanOrEqual(200);
});
