import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  changing,
  type Edit,
  type Member,
  membersOf,
  repacked,
  tarOf,
  withFields,
} from '../helpers/archive.ts';
import {
  createProject,
  createShellProject,
  FAKE_AGENT,
  type Project,
  repositoryFile,
  stream,
  withoutConfiner,
} from '../helpers/project.ts';

/** The history that Codex would have of the thread of the fake agent, which is that of a recorded stream. */
async function withHistory(project: Project, id: string): Promise<string> {
  const { thread_id } = await project.show(id);
  const directory = join(project.base, 'home/.codex/sessions/2026/11/20');
  mkdirSync(directory, { recursive: true });
  const path = join(directory, `rollout-2026-11-20T10-00-00-${thread_id}.jsonl`);
  writeFileSync(path, '{"a":1}\n');
  return path;
}

/** The archive of a session in its project. */
async function packed(project: Project, id: string, ...more: string[]): Promise<Buffer> {
  const path = join(project.base, `${id}.tgz`);
  await project.ok(['pack', id, '-o', path, '--force', ...more]);
  return readFileSync(path);
}

/** What `show` prints, with the paths of its project in one form. */
const shown = async (project: Project, id: string, ...more: string[]) =>
  (await project.ok(['show', id, ...more])).replaceAll(project.base, 'BASE');

/** All that lies below a directory. */
const all = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();

test('a session that was packed is the same elsewhere, and goes on there from a transcript', async () => {
  const [here, there] = [createProject(), createProject('elsewhere')];
  const id = await here.ended(['first', '--name', 'fix', '--tag', 'docs']);
  await here.ok(['inject', id, '--wait', 'second']);
  await here.settled(id, 2);
  await here.ok(['rewind', id, '--to', '1']);

  expect(await here.ok(['pack', 'fix'])).toBe(join(here.directory, `${id}.zwarm.tgz`));
  const file = join(here.directory, `${id}.zwarm.tgz`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(membersOf(readFileSync(file)).map(({ name }) => name)).toMatchInlineSnapshot(`
    [
      "manifest.json",
      "session.json",
      "turns/1/after.json",
      "turns/1/events.jsonl",
      "turns/1/exit.json",
      "turns/1/launch.json",
      "turns/1/prompt.md",
      "turns/1/request.json",
      "turns/1/runner.stat",
      "turns/1/stderr.log",
      "turns/2/after.json",
      "turns/2/events.jsonl",
      "turns/2/exit.json",
      "turns/2/launch.json",
      "turns/2/prompt.md",
      "turns/2/request.json",
      "turns/2/runner.stat",
      "turns/2/stderr.log",
      "turns/3/request.json",
    ]
  `);

  mkdirSync(join(there.base, 'home/.codex/sessions'), { recursive: true });
  expect(await there.$(`unpack ${file}`)).toBe(`${id}\n`);
  for (const more of [['--time'], ['--time', '--full'], ['--json', '--full']]) {
    const of = async (project: Project, name: string) =>
      (await shown(project, id, ...more)).replaceAll(`BASE/${name}`, 'DIR').replaceAll(/-[0-9a-f]{16}/g, '');
    expect((await of(there, 'elsewhere')).replaceAll('elsewhere', 'project')).toBe(await of(here, 'project'));
  }
  expect((await there.list())[0]).toMatchObject({ id, name: 'fix', tags: ['docs'], status: 'completed' });
  await there.ok(['inject', 'fix', '--wait', 'third']);
  const { turns } = await there.show(id);
  expect(turns.at(-1)).toMatchObject({ turn: 4, how: 'replay', status: 'completed' });
  expect(there.runs()[0]?.stdin).toMatch(/first[\s\S]*third/);

  // Of a fork, all that comes after it is its own.
  const fork = await there.ok(['fork', id, '--turn', '1', '-q']);
  const record = readFileSync(join(there.store(), 'sessions', fork, 'session.json'), 'utf8');
  expect(JSON.parse(record).unpacked).toMatchObject({ turn: 1 });
  await there.ok(['rm', fork]);

  // Once more: it is here, and has gone on.
  expect(await there.$(`unpack ${file}`)).toBe(`${id}\nzwarm: ${id} is here already: nothing was changed\n`);
  expect(await here.$(`unpack ${file}`)).toContain('is here already');
  expect(await there.list()).toHaveLength(1);
  expect(all(join(there.store(), 'sessions')).filter((name) => name.includes('.new-'))).toEqual([]);
});

test('what is shown of a session is the same, byte for byte, wherever it was carried', async () => {
  const places = [createProject(), createProject('elsewhere'), createProject('third')] as const;
  const [here, ...others] = places;
  const printed = join(here.base, 'printed.jsonl');
  writeFileSync(
    printed,
    readFileSync(stream('file-change'), 'utf8').replaceAll('/workspace', here.directory),
  );
  here.env['FAKE_AGENT_STREAM'] = printed;
  const id = await here.ended(['first']);
  await here.ok(['inject', id, '--wait', 'second']);
  await here.settled(id, 2);
  // Where each of them is, and its files; what is not told of that is the same text.
  const pageOf = async (project: Project, line: string): Promise<string> => {
    const page = await project.$(line.replace('ID', id));
    return places.reduce(
      (text, { base, directory }) => text.replaceAll(directory, 'DIR').replaceAll(base, 'BASE'),
      page.replaceAll(/(?<=projects\/)\w+-[0-9a-f]{16}/g, 'KEY'),
    );
  };
  const lines = ['show ID --json', 'show ID --json --full', 'show ID --time', 'show ID --time --full'];
  const more = ['show ID --time --turn 1', 'trajectory ID --full', 'export ID', 'logs ID', 'history ID'];
  const compare = async (from: Project, to: Project): Promise<void> => {
    const pages: string[] = [];
    for (const line of [...lines, ...more]) pages.push(await pageOf(from, line));
    expect(pages[2]).toMatch(/changed {4}\d files?: (?!\/)[^\n]*\n[\s\S]*turn 1/);
    await to.ok(['unpack', '-'], { input: await packed(from, id) });
    for (const [i, line] of [...lines, ...more].entries())
      expect.soft(await pageOf(to, line), line).toBe(pages[i]);
  };
  let from: Project = here;
  for (const to of others) {
    await compare(from, to);
    from = to;
  }
  // Wound back, too.
  await from.ok(['rewind', id, '--to', '1']);
  await here.ok(['rm', id]);
  await compare(from, here);
});

test('with the file of its agent it goes on natively', async () => {
  const [here, there] = [createProject(), createProject()];
  const id = await here.ended(['first']);
  expect(await here.$(`pack ${id} --with-thread -o none.tgz`)).toMatch(/codex has no file of its thread/);
  const history = await withHistory(here, id);
  const archive = await packed(here, id, '--with-thread');
  await there.ok(['unpack', '-'], { input: archive });
  const copy = history.replace(here.base, there.base);
  expect(readFileSync(copy, 'utf8')).toBe('{"a":1}\n');
  await there.ok(['inject', id, '--wait', 'second']);
  expect((await there.show(id)).turns[1]).toMatchObject({ how: 'native' });
  // From here on the thread is its own, however it grows.
  writeFileSync(copy, 'more', { flag: 'a' });
  await there.ok(['inject', id, '--wait', 'third']);
  expect((await there.show(id)).turns[2]).toMatchObject({ how: 'native' });
});

test('so does a conversation that was imported', async () => {
  const [here, there] = [createProject(), createProject()];
  const thread = '01a1f881-ec1e-7f12-b7c6-f75110187463';
  const name = `rollout-2026-11-20T10-30-26-${thread}.jsonl`;
  const text = readFileSync(repositoryFile('fixtures/session-files/codex-0.169-thread.jsonl'), 'utf8');
  const history = join(here.base, 'home/.codex/sessions/2026/11/20');
  mkdirSync(history, { recursive: true });
  writeFileSync(join(history, name), text.replaceAll('/workspace', here.directory));
  const id = await here.ok(['import', thread]);
  const archive = await packed(here, id, '--with-thread');
  await there.ok(['unpack', '-'], { input: archive });
  const page = await shown(here, id, '--time');
  expect(page).toContain('imported');
  expect(await shown(there, id, '--time')).toBe(page);
  await there.ok(['inject', id, '--wait', 'on']);
  expect((await there.show(id)).turns.map(({ kind }) => kind).slice(-2)).toEqual(['imported', 'prompt']);
  expect(there.runs()[0]?.argv).toEqual(expect.arrayContaining(['resume', thread]));
});

test('clean counts from when a session was unpacked', async () => {
  const [here, there] = [createProject(), createProject()];
  const id = await here.ended();
  const exit = { v: 1, code: 0, cancelled: false, ended_at: '2026-01-03T00:00:00.000Z' };
  const aged = repacked(
    repacked(await packed(here, id), withFields('session.json', { created_at: '2026-01-02T00:00:00.000Z' })),
    changing('turns/1/exit.json', () => ({ content: Buffer.from(JSON.stringify(exit)) })),
  );
  const request = withFields('turns/1/request.json', { at: '2026-01-02T00:00:00.000Z' });
  await there.ok(['unpack', '-'], { input: repacked(aged, request) });
  expect((await there.show(id)).updated_at).toBe(exit.ended_at);
  const old = async (days: string): Promise<readonly string[]> =>
    JSON.parse(await there.ok(['clean', '--dry-run', '--json', '--days', days])).removed;
  expect(await old('1')).toEqual([]);
  expect(await old('0')).toEqual([id]);
});

test('a file that the agent has already is left alone, and is not taken for this conversation', async () => {
  const [here, there] = [createProject(), createProject()];
  const id = await here.ended(['first']);
  const history = (await withHistory(here, id)).replace(here.base, there.base);
  const archive = await packed(here, id, '--with-thread');
  mkdirSync(join(history, '..'), { recursive: true });
  writeFileSync(history, 'it has gone on');
  expect(await there.$('unpack -', { input: archive })).toContain('is there already and stays as it is');
  expect(readFileSync(history, 'utf8')).toBe('it has gone on');
  await there.ok(['inject', id, '--wait', 'second']);
  expect((await there.show(id)).turns[1]).toMatchObject({
    how: 'replay',
    replay_reason: expect.stringContaining('as it was packed'),
  });
});

test('an id and a name that are taken', async () => {
  const [here, there] = [createProject(), createProject()];
  const own = await there.ended(['of its own', '--name', 'fix']);
  const id = await here.ended(['first', '--name', 'fix']);
  const archive = await packed(here, id);
  const posing = repacked(archive, undefined, (manifest) => ({ ...manifest, id: own }));
  const said = await there.$('unpack -', { input: posing });
  expect(said).toContain(`another session has the id ${own} here: this one got a new one`);
  expect(said).toContain(`it has no name here: the name fix is taken: ${own}`);
  const rows = await there.list();
  expect(rows.map(({ task }) => task).sort()).toEqual(['first', 'of its own']);
});

test('what its agent may do is not decided by an archive', async () => {
  const [here, there] = [createProject(), createProject('elsewhere')];
  const id = await here.ended(['first']);
  const record = {
    working_dir: '/etc',
    work_in: '../x',
    git: { root: '/', head: null, branch: null },
    sandbox: 'danger-full-access',
    agent_args: ['--dangerously-bypass-approvals-and-sandbox'],
    orchestrates: true,
    source: 'orchestrator:abcdefghjk',
    parent: 'abcdefghjk',
    unpacked: { at: '2026-11-20T10:00:00.000Z', turn: 0, history_bytes: 1 },
  };
  const archive = repacked(await packed(here, id), withFields('session.json', record));
  expect((await there.$('unpack -', { input: archive })).replaceAll(there.base, 'BASE')).toBe(
    `${id}
zwarm: it worked in /etc, and here works in BASE/elsewhere
zwarm: its sandbox was danger-full-access, and here is workspace-write
zwarm: the arguments for its agent's own program are left out
zwarm: it ran other sessions, and here gets no tools for that
`,
  );
  const stored = JSON.parse(readFileSync(join(there.store(), 'sessions', id, 'session.json'), 'utf8'));
  expect(stored).toMatchObject({
    working_dir: '.',
    work_in: null,
    git: null,
    sandbox: 'workspace-write',
    agent_args: [],
    orchestrates: false,
    source: 'user',
    parent: null,
    unpacked: { turn: 1, history_bytes: null },
  });
  for (const working_dir of ['../..', '.git/hooks', 'a/../../b', '.CODEX']) {
    const other = createProject();
    const hostile = repacked(archive, withFields('session.json', { working_dir }));
    await other.ok(['unpack', '-'], { input: hostile });
    expect((await other.show(id)).working_dir).toBe(other.directory);
  }
  const above = repacked(archive, withFields('session.json', { working_dir: '.', work_in: 'a/../../x' }));
  const other = createProject();
  await other.ok(['unpack', '-'], { input: above });
  expect((await other.show(id)).work_in).toBe(null);
});

test('that its agent was confined by nothing elsewhere does not make it so here', async () => {
  const [here, there] = [createProject(), createProject()];
  const id = await here.ended(['first']);
  const runs = { agent: 'claude', model: null, unconfined: true };
  const archive = repacked(
    repacked(await packed(here, id), withFields('session.json', runs)),
    withFields('turns/1/request.json', { runs }),
  );
  await there.ok(['unpack', '-'], { input: archive });
  withoutConfiner(there);
  there.env['ZWARM_CLAUDE_BIN'] = FAKE_AGENT;
  expect(await there.$(`inject ${id} on`)).toMatch(/nothing here keeps claude within[\s\S]*\[exit 4\]/);
});

test('only a session at rest is packed, by the user, and into no file that is there', async () => {
  const project = createShellProject();
  const id = await project.ended(['x']);
  await project.ok(['pack', id, '-o', 'a.tgz']);
  expect(await project.$(`pack ${id} -o a.tgz`)).toMatch(/there is a file .*a\.tgz[\s\S]*\[exit 2\]/);
  expect(await project.$(`pack ${id} -o -`, { tty: true })).toContain('[exit 2]');
  const agent = { ZWARM_SESSION_ID: id };
  for (const line of [`pack ${id}`, 'unpack a.tgz'])
    expect(await project.$(line, { env: agent })).toMatch(/only the user may do this[\s\S]*\[exit 5\]/);
  const running = await project.begin('hang');
  expect(await project.$(`pack ${running}`)).toMatch(/is still running[\s\S]*\[exit 4\]/);
  const aborted = AbortSignal.abort(130);
  expect(await project.$(`pack ${id} -o b.tgz`, { interrupt: aborted })).toContain('[exit 130]');
  expect(await project.$('unpack a.tgz', { interrupt: aborted })).toContain('[exit 130]');
  expect(readdirSync(project.directory).filter((name) => /tgz/.test(name))).toEqual(['a.tgz']);
  expect(await project.$('unpack nothing.tgz')).toMatch(/cannot read[\s\S]*\[exit 2\]/);
});

test('a turn whose end nobody has recorded stays where it ran', async () => {
  const project = createProject();
  const id = await project.ended();
  rmSync(project.turnFile(id, 1, 'exit.json'));
  expect(await project.$(`pack ${id}`)).toMatch(/nobody has recorded the end of turn 1[\s\S]*\[exit 4\]/);
});

const PROMPT = 'turns/1/prompt.md';
const x = Buffer.from('x');
const add =
  (name: string, content = x): Edit =>
  (files) => [...files, { name, content }];
const without =
  (name: string): Edit =>
  (files) =>
    files.filter((file) => file.name !== name);
const mib = (zeros: number) => gzipSync(Buffer.alloc(zeros << 20));

/** An archive that is no more than it says, but says too much. */
const edited = (edit: Edit) => (archive: Buffer) => repacked(archive, edit);
/** One that is not as its manifest says. */
const lying = (lie: Edit) => (archive: Buffer) => repacked(archive, undefined, undefined, lie);
const saying = (fields: object) => (archive: Buffer) =>
  repacked(archive, undefined, (manifest) => ({ ...manifest, ...fields }));
const typed = (type: NonNullable<Member['type']>, content = Buffer.from('/etc/passwd')) =>
  lying(changing(PROMPT, () => ({ type, content })));

const FOREIGN_NAMES = [
  ...['../x', '/etc/x', 'turns/../../x', 'turns/1/../x', 'turns/1/environment', 'turns\\1\\prompt.md'],
  ...['summary.json', 'turns/01/prompt.md', 'turns/1/exit.x', 'thread/codex/../x', 'thread/codex/a/b'],
  ...['thread/../x', 'thread/codex/.x', 'session.json/', 'turns/1/prompt.md/', 'thread/codex/x\nx'],
];

/** What is wrong with an archive, how it is made of an honest one, and what is said of it. */
const HOSTILE: Readonly<Record<string, readonly [make: (archive: Buffer) => Buffer, said: RegExp]>> = {
  nothing: [() => Buffer.alloc(0), /not an archive|cut short/],
  text: [() => Buffer.from('hello'), /not an archive/],
  'a little text in gzip': [() => gzipSync('hello'), /cut short/],
  'much text in gzip': [() => gzipSync('hello'.repeat(1000)), /not an archive/],
  'an empty tar': [() => gzipSync(tarOf([])), /first file is not a manifest/],
  'another tar': [() => gzipSync(tarOf([{ name: 'a', content: x }])), /first file is not a manifest/],
  'half of the file': [(archive) => archive.subarray(0, archive.length / 2), /damaged/],
  'half of the tar': [(archive) => gzipSync(gunzipSync(archive).subarray(0, 4096)), /cut short/],
  'no manifest': [(archive) => gzipSync(tarOf(membersOf(archive).slice(1))), /is not a manifest/],
  'a newer format': [saying({ v: 2 }), /newer zwarm/],
  'another format': [saying({ format: 'x' }), /field format/],
  'an id that is a path': [saying({ id: '../../x' }), /field id/],
  'no files': [saying({ files: [] }), /does not hold a whole session/],
  'no session': [edited(without('session.json')), /does not hold a whole session/],
  'a gap in the turns': [edited(add('turns/3/prompt.md')), /does not hold a whole session/],
  'a file twice': [edited((files) => [...files, ...files]), /holds a file twice/],
  ...Object.fromEntries(
    FOREIGN_NAMES.map((name) => [`the name ${JSON.stringify(name)}`, [edited(add(name)), /\.name is not/]]),
  ),

  'a file less than it says': [lying(without(PROMPT)), /not as its manifest says/],
  'a file of another name': [lying(changing(PROMPT, () => ({ name: 'turns/1/input.md' }))), /not as its/],
  'the last file less': [lying((files) => files.slice(0, -1)), /not as its manifest says: nothing/],
  'a file more': [lying(add('turns/1/cancel.json')), /more files than its manifest says/],
  'its files in another order': [lying((files) => files.toReversed()), /not as its manifest says/],
  'a longer file': [
    lying(changing(PROMPT, () => ({ content: Buffer.alloc(999) }))),
    /of 999 bytes is in the place/,
  ],
  'other words': [lying(changing(PROMPT, () => ({ content: Buffer.from('y') }))), /its SHA-256 differs/],
  'a symbolic link': [typed('SymbolicLink'), /is not a regular file/],
  'a hard link': [typed('Link'), /is not a regular file/],
  'a device': [typed('CharacterDevice'), /is not a regular file/],
  'a pipe': [typed('FIFO'), /is not a regular file/],
  'a directory': [typed('Directory'), /is not a regular file/],
  'a longer name by an extended header': [typed('ExtendedHeader'), /is not a regular file/],
  'a longer name in the way of GNU': [typed('NextFileHasLongPath'), /is not a regular file/],

  'a manifest of 9 MiB': [
    () => gzipSync(tarOf([{ name: 'manifest.json', content: Buffer.alloc(9 << 20) }])),
    /is not a manifest/,
  ],
  '10 GiB that it announces': [
    (archive) =>
      repacked(archive, undefined, ({ files }) => ({
        ...JSON.parse(String(membersOf(archive)[0]?.content)),
        files: files.map((one) => ({ ...one, size: 10 * 2 ** 30 })),
      })),
    /holds \d{11,} bytes, and no more than 4294967296 are taken/,
  ],
  '10 GiB behind its end': [
    (archive) => Buffer.concat([archive, ...Array<Buffer>(160).fill(mib(64))]),
    /goes on behind its end/,
  ],
  'something behind its end': [(archive) => Buffer.concat([archive, gzipSync('x')]), /behind its end/],

  'a record that is not JSON': [
    edited(changing('turns/1/request.json', () => ({ content: x }))),
    /not valid JSON/,
  ],
  'a record of 2 MiB': [
    edited(changing('turns/1/request.json', () => ({ content: Buffer.alloc(2 << 20) }))),
    /too large/,
  ],
  'a turn that has not ended': [edited(without('turns/1/exit.json')), /turn 1 has not ended/],
  'a turn without a message': [edited(without(PROMPT)), /prompt.md of turn 1 is missing/],
  'a tombstone': [edited(withFields('turns/1/request.json', { kind: 'tombstone' })), /kind tombstone/],
  'a model that is an option': [edited(withFields('session.json', { model: '--x' })), /name of a model/],
  'a turn of such a model': [
    edited(withFields('turns/1/request.json', { runs: { agent: 'codex', model: '-x' } })),
    /name of a model/,
  ],
  'a thread that is an option': [
    edited(
      withFields('turns/1/request.json', {
        kind: 'imported',
        adopted: { thread_id: '--yolo', stream: 'printed', started_at: null },
      }),
    ),
    /thread of turn 1 is not valid/,
  ],
  'a tag that is none': [edited(withFields('session.json', { tags: ['\u001b[2J'] })), /not a valid tag/],
  'a fork of a path': [
    edited(withFields('session.json', { forked_from: { id: '../x', turn: 1 } })),
    /field forked_from\.id/,
  ],
  "another thread's file": [
    edited(add('thread/codex/rollout-2026-11-20T10-00-00-01a1f880-c978-76c0-be58-213b143ff768.jsonl')),
    /belongs to no turn/,
  ],
  'a file of an unknown agent': [edited(add('thread/nobody/x')), /belongs to no turn/],
};

test('an archive that is not what zwarm packs is refused: nothing outside, nothing half', async () => {
  const [here, there] = [createProject(), createProject()];
  const archive = await packed(here, await here.ended());
  await there.ended();
  const before = all(there.base);
  for (const [what, [make, said]] of Object.entries(HOSTILE)) {
    const told = await there.$('unpack -', { input: make(archive) });
    expect.soft(told, what).toMatch(said);
    expect.soft(told, what).toMatch(/\[exit [15]\]\n$/);
    expect.soft(all(there.base), what).toEqual(before);
  }
  // So it was none of them for another reason.
  expect(await there.$('unpack -', { input: repacked(archive) })).toMatch(/^\w{10}\n$/);
});
