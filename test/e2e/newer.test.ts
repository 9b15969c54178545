import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createShellProject, eventually, type Project } from '../helpers/project.ts';
import { createTools } from '../helpers/tools-in-process.ts';
import { snapshot } from '../helpers/tree.ts';

const directoryOf = (project: Project, id: string): string => join(project.store(), 'sessions', id);

/** Writes a record as a newer zwarm would have, and takes away what was computed of it. */
function write(project: Project, id: string, name: string, change: object): void {
  const path = join(directoryOf(project, id), name);
  const record = JSON.parse(readFileSync(path, 'utf8'));
  rmSync(path);
  writeFileSync(path, JSON.stringify({ ...record, ...change }));
  rmSync(join(directoryOf(project, id), 'summary.json'), { force: true });
}

/** All that would have to know the words of a session, and changes nothing. */
const REFUSED = [
  'inject ID more',
  'inject --queue ID more',
  'fork ID',
  'fork ID more',
  'rewind ID --to 0',
  'compact ID',
];

async function refuseAll(project: Project, id: string, words: string): Promise<void> {
  const before = snapshot(project.state);
  for (const line of REFUSED)
    expect(await project.$(line.replace('ID', id)), line).toBe(
      `zwarm: ${id} was written by a newer zwarm: this one does not know ${words}\n` +
        `hint: update zwarm; to read it: zwarm show ${id}\n[exit 4]\n`,
    );
  expect(snapshot(project.state)).toEqual(before);
}

/** A session with two turns that have ended well. */
async function twoTurns(project: Project): Promise<string> {
  const id = await project.ended(['run echo one']);
  await project.ok(['inject', '--wait', id, 'run echo two']);
  await project.settled(id, 2);
  return id;
}

test.each<[string, string, object, string, object, string]>([
  [
    'a kind of turn',
    'turns/2/request.json',
    { kind: 'review', to: 7, covers: [9] },
    'turn 2 of the kind "review"',
    { turn: 2, agent: 'codex' },
    'review · completed',
  ],
  [
    'an agent',
    'turns/2/request.json',
    { runs: { agent: 'gemini', model: 'pro', unconfined: false } },
    'agent "gemini"',
    { turn: 2, agent: 'gemini', model: 'pro' },
    'gemini',
  ],
  ['an executor', 'session.json', { executor: 'ssh' }, 'executor "ssh"', { turn: 2 }, 'executor "ssh"'],
  [
    'a sandbox',
    'session.json',
    { sandbox: 'network-only' },
    'sandbox "network-only"',
    { turn: 2, sandbox: 'network-only' },
    'network-only',
  ],
  [
    'the unit of a budget',
    'session.json',
    { budget: { unit: 'joules', most: 5 } },
    'budget in "joules"',
    { turn: 2 },
    'budget in "joules"',
  ],
])(
  '%s of a newer zwarm is shown by its word, and nothing goes on that would have to know it',
  async (_, file, change, words, row, said) => {
    const project = createShellProject();
    const id = await twoTurns(project);
    const other = await project.ended();
    write(project, id, file, change);
    const rows = await project.list();
    const expected = { id, status: 'completed', ...row, unknown_words: [words], error: null };
    expect(rows).toContainEqual(expect.objectContaining(expected));
    expect(rows.find((one) => one.id === other)?.unknown_words).toEqual([]);
    const shown = await project.show(id);
    expect(shown).toMatchObject(expected);
    expect(shown.messages).toContainEqual(expect.objectContaining({ content: 'run echo one', turn: 1 }));
    const page = (await project.zwarm(['show', id, '--full'], { tty: true })).stdout;
    expect(page).toContain(`written by a newer zwarm: ${words}`);
    expect(page).toContain(said);
    for (const line of [
      `trajectory ${id}`,
      `logs ${id}`,
      `export ${id}`,
      `wait ${id}`,
      'events',
      `diff ${id}`,
    ])
      expect(await project.$(line), line).not.toContain('[exit');
    await refuseAll(project, id, words);
    await project.ok(['pack', id, '-o', 'packed.zwarm']);
    expect(await project.$('unpack packed.zwarm')).toBe(
      `zwarm: the archive was packed by a newer zwarm: this one does not know ${words}\nhint: update zwarm\n[exit 5]\n`,
    );
    const tools = createTools({ project });
    expect(await tools.refused('converse', { session_id: id, message: 'more' })).toMatchObject({
      error: expect.stringContaining(words),
      hint: expect.stringContaining('update zwarm'),
    });
    // Nothing advises to remove it, `clean` leaves it, and a person may.
    const { checks } = JSON.parse((await project.zwarm(['doctor', '--json'])).stdout);
    expect(checks).toContainEqual(expect.objectContaining({ name: 'sessions', status: 'ok' }));
    expect(await project.$('clean --days 0')).toBe(
      `${other}\nzwarm: could not be deleted or judged: ${id} (newer_record); to hear why: zwarm show ${id}\n[exit 1]\n`,
    );
    expect(await project.$(`kill ${id}`)).toContain('[exit 4]');
    expect(await project.$(`rm ${id}`)).toBe(`${id}\n`);
  },
);

test('a marker of an unknown kind says nothing of its session but its word', async () => {
  const project = createShellProject();
  const id = await project.ended(['run echo one; exit 3']).catch(() => '');
  const [{ id: failed } = { id }] = await project.list();
  await project.ok(['rewind', failed, '--to', '0']);
  write(project, failed, 'turns/2/request.json', { kind: 'bookmark' });
  expect(await project.list()).toMatchObject([
    { status: 'failed', turn: 1, exit_code: 3, unknown_words: ['turn 2 of the kind "bookmark"'] },
  ]);
  const page = (await project.zwarm(['show', failed], { tty: true })).stdout;
  expect(page).toContain('turn 2 · bookmark');
});

test('what another executor runs is unknown until its end is recorded, and is ended or removed by force alone', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  const { pid } = await project.show(id);
  await project.ok(['kill', id]);
  expect(pid).not.toBeNull();
  rmSync(project.turnFile(id, 1, 'exit.json'));
  rmSync(project.turnFile(id, 1, 'cancel.json'));
  write(project, id, 'session.json', { executor: 'ssh' });
  const where = 'was started by a newer zwarm with "ssh": whether it runs cannot be determined here';
  expect(await project.list()).toMatchObject([
    { status: 'unknown', error: { code: 'elsewhere', message: `it ${where}` } },
  ]);
  for (const line of [`kill ${id}`, `rm ${id}`, `wait ${id}`])
    expect(await project.$(line), line).toMatch(new RegExp(`^zwarm: ${id} ${where}\n(.*\n)*\\[exit 4\\]\n$`));
  await refuseAll(project, id, 'executor "ssh"');
  expect(await project.$(`rm --force ${id}`)).toBe(`${id}\n`);
});

test('a message that only a newer zwarm can begin waits for it, and says so', async () => {
  const project = createShellProject();
  const id = await project.begin('gate go');
  await project.ok(['inject', '-q', '--queue', id, 'quick']);
  write(project, id, 'turns/2/request.json', { kind: 'review' });
  writeFileSync(join(project.directory, 'go'), '');
  await project.settled(id);
  await eventually('the first turn is over', async () => (await project.show(id)).turn === 2);
  await project.ok(['queue', 'run']);
  const why = 'only a newer zwarm begins it: this one does not know turn 2 of the kind "review"';
  expect(await project.list()).toMatchObject([
    { status: 'pending', turn: 2, queued: 1, pending: { reason: 'queue', detail: why } },
  ]);
  expect(project.runs()).toHaveLength(1);
  expect(readFileSync(project.turnFile(id, 2, 'prompt.md'), 'utf8')).toBe('quick');
});

test('a failed message is not repeated behind what only a newer zwarm knows', async () => {
  const project = createShellProject();
  const ids: string[] = [];
  for (const gate of ['known', 'unknown']) {
    const failing = `printf '{"type":"turn.failed","error":{"message":"status: 503"}}\\n'; exit 1`;
    const wait = `while ! [ -e ${join(project.directory, gate)} ]; do sleep 0.05; done`;
    ids.push(await project.ok(['start', '-q', '--retry', '2', `run ${wait}; ${failing}`]));
  }
  const [known = '', unknown = ''] = ids;
  write(project, unknown, 'session.json', { sandbox: 'network-only' });
  for (const gate of ['known', 'unknown']) writeFileSync(join(project.directory, gate), '');
  for (const id of ids) await project.settled(id);
  expect(await project.show(known)).toMatchObject({ turn: 2, status: 'pending' });
  expect(await project.show(unknown)).toMatchObject({ turn: 1, status: 'failed' });
  await project.ok(['queue', 'rm', known]);
});

test('reasons of a newer zwarm, why a turn was stopped or did not run, are not taken for none', async () => {
  const project = createShellProject();
  const killed = await project.begin('hang');
  await project.ok(['kill', killed]);
  rmSync(project.turnFile(killed, 1, 'exit.json'));
  write(project, killed, 'turns/1/cancel.json', {
    why: 'curfew',
    limit: { name: 'max_watts', allowed: 5, observed: 6 },
  });
  const failed = await project.ended();
  write(project, failed, 'turns/1/exit.json', { code: null, why: 'no_room', detail: 'the moon is full' });
  const rows = Object.fromEntries((await project.list()).map((row) => [row.id, row]));
  expect(rows[killed]).toMatchObject({ status: 'killed', unknown_words: [] });
  expect(rows[failed]).toMatchObject({
    status: 'failed',
    error: {
      code: 'no_room',
      message: 'it ended for a reason that only a newer zwarm knows, no_room: the moon is full',
    },
  });
});

test('what may have run is no mark, whatever its kind and whoever runs it', async () => {
  const project = createShellProject();
  const id = await project.ended();
  await project.ok(['inject', id, 'hang']);
  await eventually('the agent runs', () => project.runs().length === 2);
  write(project, id, 'turns/2/request.json', { kind: 'review' });
  for (const name of ['prompt.md', 'runner.stat']) rmSync(project.turnFile(id, 2, name));
  expect(await project.show(id)).toMatchObject({ turn: 2, status: 'running' });
  expect(await project.$(`rm ${id}`)).toContain('[exit 4]');
  expect(await project.$(`kill ${id}`)).toBe(`${id} killed\n`);
  // The same with somebody who may run it elsewhere, of which nothing but the launch is seen here.
  for (const name of ['exit.json', 'cancel.json', 'events.jsonl'])
    rmSync(project.turnFile(id, 2, name), { force: true });
  write(project, id, 'session.json', { executor: 'ssh' });
  expect(await project.show(id)).toMatchObject({ turn: 2, status: 'unknown' });
  expect(await project.$(`rm ${id}`)).toContain('[exit 4]');
});

test('a queued turn that was given to another executor may run', async () => {
  const project = createShellProject();
  const id = await project.ended();
  await project.ok(['inject', '-q', '--queue', '--wait', id, 'quick']);
  await project.settled(id, 2);
  for (const name of ['runner.stat', 'exit.json', 'notified.json'])
    rmSync(project.turnFile(id, 2, name), { force: true });
  write(project, id, 'session.json', { executor: 'ssh' });
  expect(await project.list()).toMatchObject([{ turn: 2, status: 'unknown' }]);
  for (const line of [`kill ${id}`, `rm ${id}`, `queue rm ${id}`])
    expect(await project.$(line), line).toMatch(/\[exit [1-4]\]\n$/);
  expect(existsSync(project.turnFile(id, 2, 'cancel.json'))).toBe(false);
});

test('of what was taken over from an unknown agent the recorded end tells how it ended', async () => {
  const project = createShellProject();
  for (const [end, status] of [
    [{ code: null, cancelled: true }, 'killed'],
    [{ code: null, cancelled: false }, 'completed'],
    [{ code: 3, cancelled: false }, 'failed'],
  ] as const) {
    const id = await project.ended();
    const adopted = { thread_id: null, stream: 'sse', started_at: null };
    write(project, id, 'turns/1/request.json', { kind: 'imported', adopted });
    write(project, id, 'turns/1/exit.json', end);
    rmSync(project.turnFile(id, 1, 'runner.stat'));
    const unknown_words = ['turn 1 with the stream "sse"'];
    expect(await project.show(id)).toMatchObject({ status, unknown_words });
  }
});

test('a session with nothing but a mark of an unknown kind is ready, and is not damaged', async () => {
  const project = createShellProject();
  const id = await project.ended();
  write(project, id, 'turns/1/request.json', { kind: 'bookmark' });
  for (const name of ['prompt.md', 'runner.stat', 'exit.json', 'launch.json', 'events.jsonl'])
    rmSync(project.turnFile(id, 1, name));
  const unknown_words = ['turn 1 of the kind "bookmark"'];
  expect(await project.list()).toMatchObject([{ status: 'ready', unknown_words }]);
  await refuseAll(project, id, unknown_words.join());
  expect(await project.$(`kill ${id}`)).not.toContain('zwarm rm');
});

test('the agent of the session itself counts, and words drive no terminal and have an end', async () => {
  const project = createShellProject();
  const id = await project.ended();
  write(project, id, 'session.json', { agent: 'gemini' });
  await refuseAll(project, id, 'agent "gemini"');
  const evil = await twoTurns(project);
  write(project, evil, 'turns/1/request.json', { kind: '\u001b[31mEVIL\u001b]0;t\u0007\nline2' });
  write(project, evil, 'turns/2/request.json', { kind: 'x'.repeat(20_000) });
  write(project, evil, 'turns/2/launch.json', { how: '\u001b[31mhow' });
  for (const line of ['show', 'show --full', 'trajectory']) {
    const { stdout } = await project.zwarm([...line.split(' '), evil], { tty: true });
    expect(stdout, line).toContain('EVIL');
    // What colours the page is ours; what is in a word is not.
    expect(stdout, line).not.toMatch(/\u001b\[31mEVIL|\u0007|\u001b\[31mhow/);
    expect(stdout.length, line).toBeLessThan(6000);
  }
  // What was said is not lost.
  expect((await project.show(evil)).messages).toContainEqual(
    expect.objectContaining({ role: 'user', content: 'run echo one' }),
  );
  expect(await project.$('search two')).toContain(evil);
});
