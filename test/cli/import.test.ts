import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findFile } from '../../src/manager/adopt/session-files.ts';
import { importFile } from '../../src/manager/commands/import.ts';
import { place } from '../helpers/config.ts';
import { testInstallation } from '../helpers/context.ts';
import { plain } from '../helpers/display.ts';
import { createProject, type Project, repositoryFile, stream } from '../helpers/project.ts';
import {
  CODEX_THREAD,
  createGoingOn,
  createUser,
  FIRST,
  sessionFile as fixture,
  SECOND,
  THIRD,
} from '../helpers/user.ts';

const neutral = (project: Project, text: string): string =>
  plain(text)
    .replaceAll(project.directory, '<project>')
    .replace(/\b[a-z][a-z0-9]{9}\b(?=(\n| "| is that))/g, '<id>');

test('what lies here is listed, and becomes sessions, each of them once', async () => {
  const project = createUser();
  const { zwarm, list } = project;
  const { stdout, stderr } = await zwarm(['import'], { tty: true, columns: 80 });
  expect(plain(stdout + stderr)).toMatchInlineSnapshot(`
    "THREAD                                AGENT   AGE  TITLE
    01a1f881-ec1e-7f12-b7c6-f75110187463  codex   5m   [[turnA]] first
    11111111-2222-4333-8444-555555555555  claude  1h   do the work
    import one: zwarm import THREAD; the newest: --newest; all of these: --here
    "
  `);
  const all = await zwarm(['import', '--here']);
  expect(neutral(project, all.stdout + all.stderr)).toMatchInlineSnapshot(`
    "<id>
    <id>
    3 turns of codex imported into <project>; its next message goes on in codex's own thread: zwarm inject <id> "…"
    2 turns of claude imported into <project>; its next message goes on in claude's own thread: zwarm inject <id> "…"
    "
  `);
  const again = await zwarm(['import', CODEX_THREAD]);
  expect(neutral(project, again.stdout + again.stderr)).toMatchInlineSnapshot(`
    "<id>
    <id> is that session already, of <project>
    "
  `);
  const [claude, codex] = (await list()).sort((a, b) => ((a.agent ?? '') < (b.agent ?? '') ? -1 : 1));
  expect([claude, codex]).toMatchObject([
    { agent: 'claude', status: 'completed', turn: 2, last_message: 'Second.', duration_ms: 370 },
    { agent: 'codex', status: 'completed', turn: 3, model: 'gpt-5.5', sandbox: 'workspace-write' },
  ]);
  expect(codex?.token_usage).toMatchObject({ input_tokens: 4600, output_tokens: 52, at_least: false });
  // What ended elsewhere is no news.
  expect(await list(['--attention'])).toEqual([]);
  // Removed, it can be imported once more.
  await project.ok(['rm', codex?.id ?? '']);
  expect(JSON.parse(await project.ok(['import', project.codex, '--json']))).toMatchObject([
    { id: codex?.id, is_new: true, agent: 'codex', thread_id: CODEX_THREAD, turns: 3, how: 'native' },
  ]);
});

test('two that import the same thread at once get one session', async () => {
  const { zwarm, list } = createUser();
  const both = await Promise.all([1, 2, 3].map(() => zwarm(['import', '-q', CODEX_THREAD])));
  expect(new Set(both.map(({ code, stdout }) => `${code} ${stdout}`)).size).toBe(1);
  expect(await list()).toHaveLength(1);
});

test('a turn that was cut off was killed; a directory that is gone is replaced by this one; a thread that is gone is replayed', async () => {
  const { $, zwarm, show, directory, base, env } = createProject();
  env['CODEX_HOME'] = join(base, 'home/.codex');
  mkdirSync(join(env['CODEX_HOME'], 'sessions'), { recursive: true });
  const { stdout, stderr } = await zwarm(['import', fixture('codex-0.169-interrupted')]);
  expect(stderr).toContain('/workspace is not there: the session is to work here instead');
  const session = await show(stdout.trim());
  expect(session).toMatchObject({
    status: 'killed',
    working_dir: directory,
    last_message: 'Before the stall.',
  });
  expect(session.messages.map(({ content }) => content)).toEqual([
    '[[stall]] please do it',
    'Before the stall.',
  ]);
  await $(`inject ${session.id} --wait go`);
  expect((await show(session.id)).turns[1]).toMatchObject({
    how: 'replay',
    replay_reason: expect.stringMatching(/no longer has its thread/),
  });
});

test('how the next message goes on is told as inject will decide it', async () => {
  const away = createProject();
  Object.assign(away.env, { CODEX_HOME: join(away.base, 'home/.codex') });
  const file = fixture('codex-0.169-thread');
  // Codex has never run here.
  const { code, stdout, stderr } = await away.zwarm(['import', file]);
  const id = stdout.trim();
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('is told anew') });
  await away.$(`inject ${id} --wait go`);
  const { turns } = await away.show(id);
  expect(turns.map(({ how }) => how)).toEqual(['fresh', 'native', 'native', 'replay']);

  const here = createUser();
  const how = async (what: string): Promise<string> =>
    JSON.parse(await here.ok(['import', what, '--json']))[0].how;
  expect(await how(CODEX_THREAD)).toBe('native');
  const imported = (await here.list())[0]?.id ?? '';
  // What becomes of the session counts, too.
  await here.ok(['rewind', imported, '--to', '1']);
  expect(await how(CODEX_THREAD)).toBe('replay');
  expect(await how(here.claude)).toBe('native');
});

test('an old conversation is as old as it is, and clean keeps what was imported of late', async () => {
  const project = createUser();
  const { zwarm, ok, list, show, directory } = project;
  placeOldStore(directory);
  const codex = await show(await ok(['import', CODEX_THREAD]));
  expect(codex.created_at).toBe(codex.turns[0]?.started_at);
  await ok(['rm', codex.id]);

  await zwarm(['import', '.', '-q']);
  const rows = await list();
  const began = new Date('2026-01-02T03:04:05.678').toISOString();
  expect(rows.map(({ created_at }) => created_at)).toEqual([began, began]);
  const old = async (...args: string[]): Promise<readonly string[]> =>
    JSON.parse(await ok(['clean', '--dry-run', '--json', ...args])).removed;
  expect(await old('--days', '1')).toEqual([]);
  expect(await old('--older-than', '1h')).toEqual([]);
  expect(await old('--days', '0')).toHaveLength(2);
  // What the record says, counts.
  const id = rows[0]?.id ?? '';
  const recordOf = (session: string) => join(project.store(), 'sessions', session, 'session.json');
  const record = JSON.parse(readFileSync(recordOf(id), 'utf8'));
  writeFileSync(recordOf(id), JSON.stringify({ ...record, imported_at: '2026-01-03T00:00:00.000Z' }));
  expect(await old('--days', '1')).toEqual([id]);
  // A fork of it is new.
  const fork = JSON.parse(readFileSync(recordOf(await ok(['fork', id])), 'utf8'));
  expect(fork.imported_at).toBe(null);
  expect(fork.created_at > began).toBe(true);
});

test('what cannot be imported is refused, says why, and leaves nothing', async () => {
  const project = createUser();
  const { zwarm, directory, list } = project;
  const file = (name: string, text: string): string => {
    writeFileSync(join(directory, name), text);
    return name;
  };
  const head = readFileSync(fixture('codex-0.58'), 'utf8').split('\n')[0];
  const cases: readonly [string, number, RegExp][] = [
    ['nothing.jsonl', 3, /there is no file .*nothing\.jsonl/],
    ['01a1f881-0000-7f12-b7c6-f75110187463', 3, /no session file of the thread/],
    ['../../etc', 3, /there is no file/],
    [directory, 2, /holds no sessions of the Python zwarm/],
    [file('a.txt', 'hello\n'), 2, /a\.txt is not a session file/],
    [
      file('session.json', '{"session":{},"items":[],"state":{}}'),
      2,
      /session document \(session, items, state\)/,
    ],
    [file('silent.jsonl', `${head}\n`), 2, /nothing was said in/],
    ['/dev/zero', 2, /not a session file/],
  ];
  for (const [what, code, why] of cases)
    expect(await zwarm(['import', what])).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringMatching(why),
    });
  for (const args of [
    ['--since', '7d'],
    ['--newest', CODEX_THREAD],
  ])
    expect(await zwarm(['import', ...args])).toMatchObject({ code: 2 });
  expect(await zwarm(['import', '--newest'], { env: { ZWARM_SESSION_ID: 'abcdefghjk' } })).toMatchObject({
    code: 5,
  });
  expect(await list(['--everywhere'])).toEqual([]);
});

test('a file that names a directory which cannot be one, or is none itself, takes nothing down', async () => {
  const { zwarm, base, codex } = createUser();
  const sessions = join(base, 'home/.codex/sessions/2026/11/21');
  const text = readFileSync(codex, 'utf8');
  const put = (id: string, content: string) =>
    place(join(sessions, `rollout-2026-11-21T10-30-26-01a1f881-0000-7f12-b7c6-${id}.jsonl`), content);
  put('000000000001', text.replaceAll(/"cwd":"[^"]*"/g, '"cwd":"/\\u0000"'));
  put('000000000002', `{"type":"session_meta","payload":{"id":"--help"}}\n${text.slice(0, 9)}`);
  put('000000000003', '[['.repeat(100_000));
  symlinkSync('/dev/zero', join(sessions, 'rollout-2026-11-21T10-30-26-x.jsonl'));
  symlinkSync(codex, join(sessions, 'rollout-2026-11-21T10-30-27-x.jsonl'));
  symlinkSync(sessions, join(sessions, '../22'));
  const { code, stdout } = await zwarm(['import', '--json']);
  expect({ code, threads: JSON.parse(stdout).length }).toEqual({ code: 0, threads: 2 });
});

const UUIDS = ['a', 'b', 'c', 'd'].map((letter) => `${letter.repeat(8)}-1111-4222-8333-${letter.repeat(12)}`);

/** The store of a Python zwarm with two good sessions, a damaged one, and one of an agent that we do not know. */
function placeOldStore(directory: string): void {
  const stream = readFileSync(
    repositoryFile('fixtures/streams/codex-older/0.58.0-thread-turn1.jsonl'),
    'utf8',
  );
  const meta = {
    ...{ status: 'completed', working_dir: directory, created_at: '2026-01-02T03:04:05.678901', pid: 1 },
    updated_at: '2026-01-02T03:09:05.678901',
    ...{ exit_code: 0, model: 'gpt-5', turn: 1, messages: [], adapter: 'codex' },
  };
  const [good = '', killed = '', damaged = '', foreign = ''] = UUIDS;
  const session = (id: string, more: object) => {
    const path = join(directory, '.zwarm/sessions', id);
    place(join(path, 'meta.json'), JSON.stringify({ ...meta, id, ...more }));
    mkdirSync(join(path, 'turns'));
    writeFileSync(join(path, 'turns/turn_1.jsonl'), `warning: not JSON\n${stream}`);
    return path;
  };
  copyFileSync(
    repositoryFile('fixtures/streams/codex-older/0.58.0-thread-turn2-resume.jsonl'),
    join(session(good, { task: 'build it', turn: 2 }), 'turns/turn_2.jsonl'),
  );
  session(killed, { task: 'stop me', status: 'killed', exit_code: 143 });
  writeFileSync(join(session(damaged, { task: 'x' }), 'meta.json'), '{"id": "');
  session(foreign, { task: 'x', adapter: 'other' });
  symlinkSync('/etc', join(directory, '.zwarm/sessions', `e${UUIDS[0]?.slice(1)}`));
}

test('the sessions of a Python zwarm are named where they are seen, and imported; what is damaged is reported', async () => {
  const { zwarm, list, show, directory, base } = createProject();
  placeOldStore(directory);
  const offered = async (): Promise<readonly unknown[]> => {
    const told = [(await zwarm(['ls'])).stderr, (await zwarm(['doctor'])).stdout];
    return told.map((text) => /\d+ sessions? of the Python zwarm/.exec(text)?.[0]);
  };
  // Of the four, two cannot be imported.
  expect(await offered()).toEqual(Array(2).fill('2 sessions of the Python zwarm'));
  expect((await zwarm(['ls'])).stderr).toContain('to import: zwarm import .');
  const { code, stdout, stderr } = await zwarm(['import', '.', '-q']);
  expect({ code, lines: stdout.split('\n').length - 1 }).toEqual({ code: 1, lines: 2 });
  expect(stderr).toContain(`${UUIDS[2]}/meta.json cannot be read`);
  expect(stderr).toContain(`${UUIDS[3]} is other, which zwarm does not know`);
  const rows = await list();
  const built = await show(rows.find(({ task }) => task === 'build it')?.id ?? '');
  expect(built).toMatchObject({ agent: 'codex', status: 'completed', exit_code: 0, model: 'gpt-5' });
  expect(
    built.turns.map(({ how, prompt, answer, started_at }) => [how, prompt, answer !== null, started_at]),
  ).toEqual([
    ['fresh', 'build it', true, new Date('2026-01-02T03:04:05.678').toISOString()],
    ['native', null, true, null],
  ]);
  expect(built.ended_at).toBe(new Date('2026-01-02T03:09:05.678').toISOString());
  expect(built.turns[0]?.warnings).toEqual([
    '1 line of its output could not be read; it is kept in the log file',
  ]);
  expect(rows.find(({ task }) => task === 'stop me')).toMatchObject({ status: 'killed', signal: 'SIGTERM' });

  const again = await zwarm(['import', join(directory, '.zwarm'), '--json']);
  expect(again.code).toBe(1);
  expect(JSON.parse(again.stdout).map(({ is_new }: { is_new?: boolean }) => is_new)).toEqual([
    false,
    false,
    undefined,
    undefined,
  ]);
  expect(await list()).toHaveLength(2);
  // Nothing is left to import until one was removed, or lies there anew.
  expect(await offered()).toEqual([undefined, undefined]);
  await zwarm(['rm', built.id]);
  expect(await offered()).toEqual(Array(2).fill('1 session of the Python zwarm'));

  // One that worked elsewhere has become a session there.
  const other = join(base, 'other');
  mkdirSync(other);
  const meta = join(directory, '.zwarm/sessions', UUIDS[0] ?? '', 'meta.json');
  writeFileSync(meta, readFileSync(meta, 'utf8').replace(JSON.stringify(directory), JSON.stringify(other)));
  expect(await offered()).toEqual(Array(2).fill('1 session of the Python zwarm'));
  await zwarm(['import', '.', '-q']);
  expect(await offered()).toEqual([undefined, undefined]);
  expect(await list()).toHaveLength(1);
});

test('what an import that was killed has left is in nobody’s way', async () => {
  const project = createUser();
  const id = await project.ok(['import', '-q', CODEX_THREAD]);
  await project.ok(['rm', id]);
  mkdirSync(join(project.store(), 'sessions', `.new-${id}`, 'turns'), { recursive: true });
  expect(await project.ok(['import', '-q', CODEX_THREAD])).toBe(id);
});

test('start --resume imports a thread and goes on in it; a name that agents give threads leads there', async () => {
  const { zwarm, $, show, list, env } = createUser();
  env['FAKE_AGENT_STREAM'] = stream('thread-turn3-resume');
  for (const args of [
    ['show', CODEX_THREAD],
    ['inject', CODEX_THREAD, 'go on'],
    ['kill', `a${CODEX_THREAD.slice(1)}`],
  ])
    expect(await zwarm(args)).toMatchObject({
      code: expect.toSatisfy((code) => code === 2 || code === 3),
      stderr: expect.stringMatching(/zwarm import [0a]1a1f881-ec1e-7f12-b7c6-f75110187463\n/),
    });
  expect(await $(`start --resume ${CODEX_THREAD} -s read-only go`)).toContain(
    "option '--resume <thread>' cannot be used with option '-s, --sandbox <mode>'",
  );
  expect(await $('start --resume nowhere go')).toMatch(/there is no file .*nowhere/);
  const thread = `start --resume ${CODEX_THREAD}`;
  expect(await $(`${thread} ' '`)).toMatch(/the task is empty[\s\S]*\[exit 2]/);
  expect(await $(`${thread} -a codex -a claude go`)).toMatch(/one agent goes on[\s\S]*\[exit 2]/);
  // What was imported for it goes with what is refused.
  expect(await $(`${thread} -a nobody go`)).toMatch(/unknown agent[\s\S]*\[exit 2]/);
  expect(await $(`${thread} -m --evil go`)).toMatch(/not a model name[\s\S]*\[exit 2]/);
  expect(await list()).toEqual([]);
  const started = await zwarm(['start', '--resume', CODEX_THREAD, '--wait', '--json', 'go']);
  const { id, turns } = await show(JSON.parse(started.stdout).id);
  expect(turns.map(({ kind, how, prompt }) => [kind, how, prompt])).toMatchObject([
    ['imported', 'fresh', '[[turnA]] first'],
    ['imported', 'native', expect.any(String)],
    ['imported', 'native', expect.any(String)],
    ['prompt', 'native', 'go'],
  ]);
  // It is the same one again.
  expect(await $(`start --resume ${CODEX_THREAD} -q more`)).toBe(`${id}\n`);
  expect((await show(id)).turn).toBe(5);
});

test('imported again, a thread that has gone on adds what was said, as far as that can be told', async () => {
  const user = await createGoingOn();
  const { zwarm, id, say, said, turns, ok } = user;
  const added = async (...more: string[]) =>
    JSON.parse(await ok(['import', CODEX_THREAD, '--json', ...more]))[0];
  expect(await added()).toMatchObject({ id, is_new: false, added: 0, turns: 1 });
  say(said[0]);
  expect((await zwarm(['import', CODEX_THREAD])).stderr).toContain('; 1 turn said since added');
  expect(await turns()).toEqual([FIRST, SECOND]);
  say(said[1]);
  // While it runs it stays as it is.
  await ok(['inject', id, 'gate go']);
  expect(await added()).toMatchObject({ added: 0, warnings: [] });
  writeFileSync(join(user.directory, 'go'), '');
  await ok(['wait', id]);
  // What zwarm has asked in the thread is not what the file says was asked next.
  say();
  const untold = 'what may have been said there since is not taken in';
  expect(await added()).toMatchObject({
    added: 0,
    warnings: [`the thread does not hold turn 3 as ${id} does: ${untold}`],
  });
  await ok(['rewind', id, '--to', '2']);
  say();
  expect(await added()).toMatchObject({
    added: 0,
    how: 'replay',
    warnings: [`${id} goes on without that thread: ${untold}`],
  });
});

test('a thread that was imported in the middle of a turn is not taken for one with a new turn', async () => {
  const { id, say, said, turns, ok, list } = await createGoingOn();
  const [begun = '', rest = ''] = [said[0]?.split('\n').slice(0, 6), said[0]?.split('\n').slice(6)].map(
    (lines) => lines?.join('\n'),
  );
  say(begun);
  await ok(['import', '-q', CODEX_THREAD]);
  expect(await turns()).toEqual([FIRST, 'external native lost ']);
  say(rest);
  say(said[1]);
  const [imported] = JSON.parse(await ok(['import', CODEX_THREAD, '--json']));
  expect(imported).toMatchObject({
    id,
    added: 0,
    warnings: [expect.stringContaining('does not hold turn 2')],
  });
  expect(await list()).toHaveLength(1);
});

test('of a thread that was begun by a replay, what was said since is taken in', async () => {
  const { id, ok, show, base, env, codex, directory } = await createGoingOn();
  // Codex has lost the thread: the next one begins with all that was said.
  rmSync(codex);
  await ok(['inject', id, '--wait', 'go on']);
  const { thread_id: thread, turns } = await show(id);
  expect(turns.at(-1)?.how).toBe('replay');
  const at = '2026-11-21T00:00:00.000Z';
  const line = (type: string, payload: object): string =>
    `${JSON.stringify({ timestamp: at, type, payload })}\n`;
  const turn = (text: string, answer: string): string =>
    [
      line('event_msg', { type: 'item_completed', item: { type: 'UserMessage', content: [{ text }] } }),
      line('event_msg', {
        type: 'item_completed',
        item: { type: 'AgentMessage', content: [{ text: answer }] },
      }),
      line('event_msg', { type: 'task_complete' }),
    ].join('');
  const rollout = join(
    env['CODEX_HOME'] ?? base,
    `sessions/2026/11/21/rollout-2026-11-21T00-00-00-${thread}.jsonl`,
  );
  const head = line('session_meta', { id: thread, cwd: directory, cli_version: '0.169.0' });
  place(rollout, head + turn('all that was said', 'done') + turn('news', 'yes') + turn('more', 'no'));
  expect(JSON.parse(await ok(['import', rollout, '--json']))).toMatchObject([{ id, added: 2, warnings: [] }]);
  expect((await show(id)).turns.slice(2).map(({ prompt, answer }) => [prompt, answer])).toEqual([
    ['news', 'yes'],
    ['more', 'no'],
  ]);
});

test('of several that add what was said at once none fails', async () => {
  const { zwarm, say, said, turns } = await createGoingOn();
  for (const text of said) say(text);
  const all = await Promise.all([1, 2, 3].map(() => zwarm(['import', '-q', CODEX_THREAD])));
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(await turns()).toEqual([FIRST, SECOND, THIRD]);
});

test('start --resume goes on after all that was said in the thread', async () => {
  const { say, said, turns, ok, list } = await createGoingOn();
  for (const text of said) say(text);
  expect(await ok(['start', '--resume', CODEX_THREAD, '--wait', 'go on'])).toBe('done');
  expect(await turns()).toEqual([FIRST, SECOND, THIRD, 'prompt native completed done']);
  expect(await list()).toHaveLength(1);
});

test('of all threads those are imported that went on of late', async () => {
  const project = createUser();
  expect((await project.zwarm(['import', '--all', '--since', '30m'])).stdout.split('\n')).toHaveLength(2);
  expect((await project.list()).map(({ agent }) => agent)).toEqual(['codex']);
});

test('a thread is one session also after a replay has left it, and wherever it is imported', async () => {
  const project = createUser();
  const { $, ok, list, base, codex, env } = project;
  const id = await ok(['import', '-q', CODEX_THREAD]);
  // Codex has lost the thread, and finds it again.
  const elsewhere = join(base, 'rollout.jsonl');
  renameSync(codex, elsewhere);
  await $(`inject ${id} --wait go`);
  renameSync(elsewhere, codex);
  expect((await project.show(id)).turns.at(-1)).toMatchObject({ how: 'replay' });
  expect(await ok(['import', '-q', CODEX_THREAD])).toBe(id);
  expect(await list()).toHaveLength(1);

  // Of a directory that is gone it becomes one of where it is imported first.
  const gone = createProject();
  const file = fixture('codex-0.169-interrupted');
  const first = await gone.ok(['import', '-q', file]);
  const other = join(gone.base, 'other');
  mkdirSync(other);
  expect(await gone.ok(['import', '-q', file], { cwd: other })).toBe(first);
  expect(await gone.list(['--everywhere'])).toHaveLength(1);
  expect(env['CODEX_HOME']).toBeDefined();
});

test('a thread in which a session began is that session, also where a replay has left it', async () => {
  const { $, ok, ended, list, show, codex, base, env } = createUser();
  env['FAKE_AGENT_STREAM'] = stream('thread-turn1');
  const id = await ended(['[[turnA]] first']);
  expect((await show(id)).thread_id).toBe(CODEX_THREAD);
  // Codex's own file of it, which is gone for the next message.
  const text = readFileSync(codex, 'utf8').replaceAll(/2026-11-20T[\d:.]+Z/g, new Date().toISOString());
  rmSync(codex);
  env['FAKE_AGENT_STREAM'] = stream('message');
  await $(`inject ${id} --wait go`);
  expect((await show(id)).turns.at(-1)).toMatchObject({ how: 'replay' });
  const found = join(base, 'found.jsonl');
  writeFileSync(found, text);
  expect(await ok(['import', '-q', found])).toBe(id);
  expect(await list()).toHaveLength(1);
});

test('a file that names another directory has nothing made there', async () => {
  const { ok, base, codex, directory } = createUser();
  const named = join(base, 'named');
  mkdirSync(named);
  writeFileSync(codex, readFileSync(codex, 'utf8').replaceAll(directory, named));
  const [imported] = JSON.parse(await ok(['import', '--json', codex]));
  expect(imported).toMatchObject({ project: named, is_new: true });
  expect(readdirSync(named)).toEqual([]);
});

test('a line that is longer than any is left out, and that is said', async () => {
  const { zwarm, codex } = createUser();
  const [head = '', ...lines] = readFileSync(codex, 'utf8').split('\n');
  writeFileSync(codex, [head, ...lines.slice(0, -1), `{"a":"${'x'.repeat(65 << 20)}"}`, ''].join('\n'));
  const { code, stderr } = await zwarm(['import', CODEX_THREAD]);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('a line of it is too long, and left out'),
  });
});

test('a file that is cut while it is read is imported whole or not at all', async () => {
  const { codex, list, directory: cwd, env, state: stateDir } = createUser();
  const uid = process.getuid?.() ?? 0;
  const context = { ...testInstallation(), cwd, env, uid, stateDir, client: null, project: null };
  const { adapter, files } = await findFile(context, codex);
  const file = { path: codex, bytes: statSync(codex).size + 1, adapter, files };
  await expect(importFile(context, file)).rejects.toThrow('was cut while it was read');
  expect(await list()).toEqual([]);
});

test('of a Python zwarm the signal of an end is told, and a process that began after the record is another one', async () => {
  const { zwarm, list, directory } = createProject();
  placeOldStore(directory);
  const [good = '', killed = '', ...rest] = UUIDS.map((id) => join(directory, '.zwarm/sessions', id));
  for (const path of rest) rmSync(path, { recursive: true });
  const edit = (path: string, more: object): void => {
    const meta = JSON.parse(readFileSync(join(path, 'meta.json'), 'utf8'));
    writeFileSync(join(path, 'meta.json'), JSON.stringify({ ...meta, ...more }));
  };
  edit(killed, { exit_code: -15 });
  const local = (ms: number): string =>
    new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
  edit(good, { status: 'running', pid: process.pid, updated_at: local(Date.now()) });
  const first = await zwarm(['import', '.', '-q']);
  expect(first).toMatchObject({
    code: 4,
    stderr: expect.stringContaining(`may still run, as process ${process.pid}`),
  });
  expect(await list()).toMatchObject([{ status: 'killed', exit_code: null, signal: 'SIGTERM' }]);
  edit(good, { updated_at: local(Date.now() - 86_400_000) });
  const before = Date.now() / 1000 - 86_400;
  utimesSync(join(good, 'meta.json'), before, before);
  expect(await zwarm(['import', '.', '-q'])).toMatchObject({ code: 0 });
  expect(await list()).toHaveLength(2);
});

test('odd sessions of a Python zwarm: a long task, many turns, foreign letters, no words at all', async () => {
  const { zwarm, list, show, directory } = createProject();
  const line = (text: string): string =>
    `${JSON.stringify({ type: 'item.completed', item: { id: 'i', type: 'agent_message', text } })}\n`;
  const put = (letter: string, more: object, turns: readonly string[]): void => {
    const id = `${letter.repeat(8)}-1111-4222-8333-${letter.repeat(12)}`;
    const meta = {
      id,
      status: 'completed',
      working_dir: directory,
      created_at: '2026-01-02T03:04:05.678901',
    };
    const path = join(directory, '.zwarm/sessions', id);
    place(join(path, 'meta.json'), JSON.stringify({ ...meta, messages: [], adapter: 'codex', ...more }));
    for (const [i, text] of turns.entries()) place(join(path, `turns/turn_${i + 1}.jsonl`), text);
  };
  const task = `${'so much to do '.repeat(75_000)}ünd 走`;
  put(
    'a',
    { task, turn: 20 },
    Array.from({ length: 20 }, (_, i) => line(`answer ${i + 1}`)),
  );
  put('b', { task: 'Füße 👣', status: 'failed', error: 'codex not found' }, ['']);
  put('c', { task: 'elsewhere', working_dir: '' }, [line('x')]);
  put('d', { task: 'never begun', status: 'pending' }, []);
  const { code, stdout, stderr } = await zwarm(['import', '.']);
  expect({ code, ids: stdout.split('\n').length - 1 }).toEqual({ code: 1, ids: 3 });
  expect(stderr).toContain('its record names no directory: the session is to work here instead');
  expect(stderr).toMatch(/d{8}-1111-4222-8333-d{12} has no turns/);
  const rows = await list();
  const long = await show(rows.find(({ title }) => title?.startsWith('so much'))?.id ?? '');
  expect(long.task).toBe(task);
  expect(long.turns.map(({ answer }) => answer)).toEqual(
    Array.from({ length: 20 }, (_, i) => `answer ${i + 1}`),
  );
  expect(rows.find(({ task }) => task === 'Füße 👣')).toMatchObject({ status: 'lost', last_message: null });
});

test('on a terminal a long import tells how far it has come', async () => {
  const { zwarm } = createUser();
  let clock = Date.now();
  // To whom half a second passes between two looks at the clock.
  const now = () => {
    clock += 500;
    return clock;
  };
  const { stderr } = await zwarm(['import', CODEX_THREAD], { tty: true, now });
  const parts = [...stderr.matchAll(/importing: (\d+) %/g)].map(([, part]) => Number(part));
  expect(parts.length).toBeGreaterThan(5);
  expect(parts).toEqual([...parts].sort((a, b) => a - b));
  expect(parts.at(-1)).toBeLessThanOrEqual(100);
  expect(stderr).toMatch(/ %\r\u001b\[2K3 turns of codex imported/);
});
