import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../../helpers/config.ts';
import { eventually } from '../../helpers/project.ts';
import { createRepository } from '../../helpers/repository.ts';
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
  const args = { name: 'mine', tags: ['night'], model: 'big', sandbox: 'read-only', agent: 'codex' };
  const answer = await ok('delegate', { ...args, task: 'quick', working_dir: project.directory });
  const { session_id } = answer;
  expect(answer).toEqual({
    success: true,
    // That of the project.
    working_dir: null,
    branch: null,
    error: null,
    hint: expect.stringContaining('converse'),
    session_id,
    name: 'mine',
    status: 'completed',
    turn: 1,
    response: 'done',
    why: null,
    agent: 'codex',
    unconfined: null,
    tokens: 15,
    budget: null,
    runtime: expect.any(Number),
    caller: 'mcp:test-client',
    project: project.directory,
  });
  const row = { ...args, working_dir: project.directory, needs_attention: false };
  expect(await manager.summary(session_id)).toMatchObject(row);
  expect(await ok('check_session', { session_id })).toMatchObject({
    by: 'mcp:test-client',
    log_file: project.turnFile(session_id, 1, 'events.jsonl'),
    task: 'quick',
  });
  for (const [tags, count] of [
    [['day', 'night'], 1],
    [['day'], 0],
  ] as const)
    expect(await ok('list_sessions', { tags })).toMatchObject({ count });
});

test('answers tell what is left of the budgets, and what is spent is a refusal', async () => {
  const { ok, refused, project } = createTools();
  place(join(project.base, 'home/.config/zwarm/config.toml'), '[budget]\nsession = "20"\nday = "30"\n');
  const { session_id, budget } = await ok('delegate', { task: 'quick' });
  expect(budget).toBe('tokens: 5 of 20 left in this session; tokens: 15 of 30 left today in this project');
  expect(await ok('wait_sessions', { ids: [session_id] })).toMatchObject({ sessions: [{ budget }] });
  expect(await ok('delegate', { task: 'quick' })).toMatchObject({
    budget: expect.stringContaining('0 of 30 left today'),
  });
  expect(await refused('converse', { session_id, message: 'quick' })).toMatchObject({
    error: 'the budget is spent: 30 of 30 tokens today in this project',
    hint: expect.stringMatching(/^tell the user: go on tomorrow/),
  });
});

test('delegate gives an agent a tree of its own, and says where that is', async () => {
  const project = createRepository();
  const { ok } = createTools({ project });
  const working_dir = `${project.base}/project.worktrees/own`;
  expect(await ok('delegate', { task: 'run pwd > here', name: 'own', worktree: true })).toMatchObject({
    ...{ status: 'completed', working_dir, branch: 'zwarm/own' },
  });
  expect(readFileSync(`${working_dir}/here`, 'utf8')).toBe(`${working_dir}\n`);
  expect(await ok('delegate', { task: 'quick', working_dir })).toMatchObject({ working_dir });
});

test('delegate refuses a directory that is not absolute', async () => {
  const { refused, manager } = createTools();
  for (const working_dir of ['src', '~', '.', ''])
    expect(await refused('delegate', { task: 'quick', working_dir })).toMatchObject({
      error: `working_dir cannot be "${working_dir}"`,
      hint: 'it takes an absolute path',
    });
  expect(await manager.list({ all: true })).toEqual([]);
});

test('delegate and converse return at once where they are not to wait', async () => {
  const { ok, ended } = createTools();
  for (const args of [{ mode: 'async' }, { wait_sec: 0 }, { timeout_sec: 0 }])
    expect(await ok('delegate', { task: 'hang', ...args })).toMatchObject({
      status: expect.stringMatching(/running|pending/),
      response: null,
      hint: expect.stringMatching(/wait_sessions\(ids=\["\w+"\]\)/),
    });
  for (const args of [{ wait: false }, { wait_sec: 0 }, { wait: false, wait_sec: 3600 }]) {
    const session_id = await ended('quick');
    const answer = await ok('converse', { session_id, message: 'hang', ...args });
    expect(answer).toMatchObject({ turn: 2, response: null });
  }
});

test('a wait that runs out is no failure', async () => {
  const { ok, open } = createTools({ env: { ZWARM_WAIT_SEC: '1' } });
  const begun = await ok('delegate', { task: 'gate go' });
  const { session_id } = begun;
  const hint = `still running: wait_sessions(ids=["${session_id}"]) waits for its end`;
  expect(begun).toMatchObject({ success: true, status: 'running', response: null, error: null, hint });
  const cut = 'it waited 1 s, the longest that one call may, and not 600';
  for (const [tool, args] of [
    ['wait_sessions', { ids: [session_id] }],
    ['check_session', { session_id }],
  ] as const)
    expect((await ok(tool, { ...args, wait_sec: 600 })).hint).toMatch(cut);
  open();
  const runs = async () => (await ok('wait_sessions', { ids: [session_id] })).running > 0;
  await eventually('it has ended', async () => !(await runs()));
});

test('check_session waits for the end, or where it is asked for news returns with each new message', async () => {
  const tools = createTools();
  const { ok, open, begin } = tools;
  const task = `run ${gate('one')}; ${says('half way')}; ${gate('end')}`;
  const session_id = await begin(task);
  const check = () => ok('check_session', { session_id, wait_sec: 3600, until: 'news' });
  const first = check();
  open('one');
  const news = { is_running: true, message_count: 2, latest_message: 'half way', response: null };
  expect(await first).toMatchObject(news);
  // Somebody who does not know it gets it at once, unless asked for the end; whoever does waits for the end.
  const patient = createTools({ project: tools.project });
  const same = patient.ok('check_session', { session_id, wait_sec: 3600 });
  const other = createTools({ project: tools.project });
  expect(await other.ok('check_session', { session_id, wait_sec: 3600, until: 'news' })).toMatchObject(news);
  const end = check();
  open('end');
  const done = { is_running: false, message_count: 3, latest_message: null, response: 'done', task };
  for (const answer of [end, same]) expect(await answer).toMatchObject(done);
  // The messages of a turn are not those of the next one.
  await tools.manager.inject(session_id, 'hang');
  const next = { turn: 2, latest_message: null, message_count: 4 };
  expect(await ok('check_session', { session_id, wait_sec: 0.01 })).toMatchObject(next);
});

test('a long answer is cut in each of several answers, and on one line', async () => {
  const { ok, ended, begin } = createTools();
  const session_id = await ended(
    `run printf '{"type":"item.completed","item":{"id":"a","type":"agent_message","text":"two\\\\n  lines '; ` +
      `head -c 50000 /dev/zero | tr '\\0' y; echo '"}}'; echo '{"type":"turn.completed"}'; exit 0`,
  );
  // Of one as much as a call may tell, of many less of each.
  const [one] = (await ok('wait_sessions', { ids: [session_id] })).sessions;
  const log = expect.stringMatching(/^the response was cut, all is in \/\S+\/events.jsonl; converse/);
  expect(one).toMatchObject({
    response: expect.stringMatching(/^two\n.*y\n… 1\d,\d+ characters …\ny+$/s),
    hint: log,
  });
  expect(one.response).toHaveLength(40_000);
  const { sessions } = await ok('wait_sessions', { ids: Array(20).fill(session_id) });
  const hint = expect.stringContaining(`check_session(session_id="${session_id}") has more`);
  // The number is of all that is left out.
  expect(sessions[19]).toMatchObject({
    response: expect.stringMatching(/^two.*y\n… 46,0\d\d characters …\ny+$/s),
    hint,
  });
  expect(sessions[19].response).toHaveLength(4000);
  const latest_message = `two lines ${'y'.repeat(189)}…`;
  expect(await ok('peek_session', { session_id })).toMatchObject({ status: 'completed', latest_message });
  expect(await ok('peek_session', { session_id: await begin('hang') })).toMatchObject({
    latest_message: null,
  });
});

test('list_sessions filters, counts all that match and lists the newest of them, and all that are damaged', async () => {
  const tools = createTools();
  const { ok, ended, begin, project } = tools;
  await project.zwarm(['start', 'quick', '--wait']);
  const mine = [await ended('quick'), await ended('break'), await begin('hang')];
  // Where nothing else is asked for, its own.
  expect(await ok('list_sessions')).toMatchObject({ count: 3 });
  const all = await ok('list_sessions', { source: 'all' });
  expect(all).toMatchObject({ count: 4, running: 1, completed: 2, needs_attention: 2 });
  expect(all.sessions).toHaveLength(4);
  expect(all.sessions[0]).toEqual({
    session_id: mine[2],
    agent: 'codex',
    unconfined: null,
    status: 'running',
    name: null,
    turn: 1,
    is_running: true,
    idle_sec: expect.any(Number),
    age_sec: expect.any(Number),
    current_step: null,
    updated: expect.any(String),
    source: 'mcp:test-client',
    tags: [],
    task: 'hang',
    latest_message: null,
    error: null,
    needs_attention: false,
    tokens: null,
  });
  expect(all.sessions[2]).toMatchObject({ latest_message: 'done', tokens: 15, needs_attention: true });
  const newest = await ok('list_sessions', { source: 'mcp', limit: 1 });
  expect(newest).toMatchObject({ count: 3, completed: 1 });
  expect(newest.sessions).toMatchObject([{ session_id: mine[2] }]);
  // In any case.
  const failed = await ok('list_sessions', { status: 'Failed' });
  expect(failed).toMatchObject({ count: 1 });
  await damage(tools, mine[0] ?? '');
  const { sessions, count } = await ok('list_sessions', { status: 'completed', source: 'all', limit: 1 });
  expect(count).toBe(2);
  expect(sessions.map(({ status }: { status: string }) => status)).toEqual(['completed', 'damaged']);
});

test('end_session ends what runs, and records the reason', async () => {
  const { ok, refused, manager, project } = createTools();
  const { session_id } = await ok('delegate', { task: 'hang', mode: 'async', name: 'mine' });
  expect(await ok('end_session', { session_id: 'mine', reason: 'enough' })).toEqual({
    success: true,
    error: null,
    hint: 'its records stay; delete=true deletes them',
    session_id,
    status: 'killed',
    turn: 1,
    tokens: null,
    reason: 'enough',
    deleted: false,
    caller: 'mcp:test-client',
    project: project.directory,
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

test('what a client ends itself is no news for it, what others end is', async () => {
  const { ok, project } = createTools();
  const { session_id } = await ok('delegate', { task: 'hang', mode: 'async' });
  await project.ok(['kill', session_id]);
  expect(await ok('list_sessions', {})).toMatchObject({ needs_attention: 1 });
  await ok('converse', { session_id, message: 'hang', wait: false });
  await ok('end_session', { session_id });
  expect(await ok('list_sessions', {})).toMatchObject({ needs_attention: 0 });
  expect(await project.ok(['ls', '-q', '--attention'])).toBe(session_id);
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
    hint: `still running: wait_sessions(ids=["${hanging}"]) goes on waiting; 1 failed; why: get_trajectory(session_id="${failed}")`,
    sessions: [
      { session_id: done, status: 'completed', turn: 1, response: 'done', error: null },
      { session_id: failed, status: 'failed', turn: 1, response: null, error: 'it broke', why: null },
      { session_id: hanging, status: 'running', turn: 1, response: null, error: null },
    ],
    count: 3,
    running: 1,
    completed: 1,
    failed: 1,
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
  expect((await any).fields).toMatchObject({ running: 1, completed: 1 });
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
