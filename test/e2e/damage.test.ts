import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onScreen } from '../helpers/context.ts';
import { createProject, eventually, type Project, processesWith, runProgram } from '../helpers/project.ts';
import { connectTools } from '../helpers/tools-client.ts';

const session = (project: Project, id: string): string => join(project.store(), 'sessions', id);

/** Replaces whatever is at a path. */
function replace(path: string, put: (path: string) => void): void {
  rmSync(path, { recursive: true, force: true });
  put(path);
}

const DAMAGE: readonly [name: string, damage: (path: string) => unknown][] = [
  ['session.json is no JSON', (path) => writeFileSync(join(path, 'session.json'), '{"v":1,')],
  ['session.json is empty', (path) => writeFileSync(join(path, 'session.json'), '')],
  ['session.json is missing', (path) => rmSync(join(path, 'session.json'))],
  [
    'session.json is a link',
    (path) => replace(join(path, 'session.json'), (at) => symlinkSync('/etc/hostname', at)),
  ],
  [
    'session.json is a FIFO',
    (path) => {
      rmSync(join(path, 'session.json'));
      return runProgram('mkfifo', [join(path, 'session.json')], {});
    },
  ],
  ['it is a link', (path) => replace(path, (at) => symlinkSync('/etc', at))],
  ['it is a file', (path) => replace(path, (at) => writeFileSync(at, ''))],
  ['it is empty', (path) => replace(path, (at) => mkdirSync(at))],
  ['turns is a file', (path) => replace(join(path, 'turns'), (at) => writeFileSync(at, ''))],
  ['its turn is gone', (path) => rmSync(join(path, 'turns', '1'), { recursive: true })],
  ['request.json is no JSON', (path) => writeFileSync(join(path, 'turns/1/request.json'), '\0\0')],
];

test('a damaged session is listed as damaged beside the others, kept by clean, and can be removed', async () => {
  const project = createProject();
  const good = JSON.parse(await project.ok(['start', '--wait', '--json', 'good', '--name', 'good'])).id;
  for (const [name, damage] of DAMAGE) {
    const { id } = JSON.parse(await project.ok(['start', '--wait', '--json', 'bad']));
    await project.settled(id);
    // What settles lives for a moment longer, and nobody can tell it from the agent of a damaged session.
    await eventually('the runner is gone', () => processesWith(`ZWARM_SESSION_ID=${id}`).length === 0);
    // The records of a session that has ended, lists read only where there is no summary.
    rmSync(join(session(project, id), 'summary.json'));
    await damage(session(project, id));
    const rows = await project.list();
    expect
      .soft(
        rows.find((row) => row.id === id),
        name,
      )
      .toMatchObject({ status: 'damaged', error: { code: 'damaged' } });
    expect
      .soft(
        rows.find((row) => row.id === good),
        name,
      )
      .toMatchObject({ status: 'completed', task: 'good' });
    expect.soft(await project.ok(['ls']), name).toContain(`${id}\tdamaged\t`);
    const shown = await onScreen(project, ['show', id]);
    expect.soft(shown, name).toMatchObject({ code: 4, stdout: '' });
    expect.soft(shown.stderr, name).toMatch(new RegExp(`^zwarm: .*\nhint: .*zwarm rm ${id}`));
    expect.soft((await onScreen(project, ['inject', id, 'x'])).code, name).toBe(4);
    expect.soft((await onScreen(project, ['show', 'good'])).code, name).toBe(0);
    const cleaned = JSON.parse(await project.ok(['clean', '--days', '100', '--json']));
    expect.soft(cleaned, name).toEqual({ removed: [], skipped: [{ id, reason: 'damaged' }], bytes: 0 });
    expect.soft(await onScreen(project, ['rm', id]), name).toMatchObject({ code: 0, stdout: `${id}\n` });
    expect
      .soft(
        (await project.list()).map((row) => row.id),
        name,
      )
      .toEqual([good]);
  }
});

test('a damaged launch record, which nothing acts on, stops no conversation', async () => {
  const project = createProject();
  const id = JSON.parse(await project.ok(['start', '--wait', '--json', 'x'])).id;
  writeFileSync(project.turnFile(id, 1, 'launch.json'), '{');
  expect(await project.zwarm(['inject', '--wait', id, 'more'])).toMatchObject({ code: 0 });
  expect((await project.show(id)).turns.map(({ how }) => how)).toEqual([null, 'native']);
});

test('every list has the damaged ones, but ids for another command are exactly those that were asked for', async () => {
  const project = createProject();
  const ids = ['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc'];
  for (const newId of ids) await onScreen(project, ['start', '--wait', newId], { newId });
  const [bad = '', ...good] = ids;
  await project.settled(bad);
  rmSync(join(session(project, bad), 'summary.json'));
  writeFileSync(join(session(project, bad), 'session.json'), '');
  for (const argv of [
    [],
    ['--all'],
    ['-n', '1'],
    ['--status', 'failed'],
    ['--here'],
    ['--since', '1h'],
    ['--grep', 'nowhere'],
    ['--source', 'mcp'],
    ['--attention'],
    ['--tree'],
    ['--sort', 'updated'],
  ]) {
    const { stdout } = await onScreen(project, ['ls', ...argv]);
    expect.soft(stdout, argv.join(' ')).toContain(`${bad}\tdamaged\t`);
    const rows: { id: string }[] = JSON.parse((await onScreen(project, ['ls', '--json', ...argv])).stdout);
    expect
      .soft(
        rows.map(({ id }) => id),
        argv.join(' '),
      )
      .toContain(bad);
  }
  const quiet = async (...argv: string[]): Promise<string> =>
    (await onScreen(project, ['ls', '-q', ...argv])).stdout;
  expect(await quiet('--status', 'completed')).toBe(
    good
      .toReversed()
      .map((id) => `${id}\n`)
      .join(''),
  );
  expect(await quiet('--status', 'damaged')).toBe(`${bad}\n`);
  expect(await quiet('--status', 'failed')).toBe('');
  const { ok } = await connectTools(project);
  const listed = await ok('list_sessions', { status: 'completed', limit: 1 });
  expect(listed).toMatchObject({ sessions: [{ session_id: good.at(-1) }, { session_id: bad }], count: 3 });
});

test('more sessions than a list shows hide no damaged one', async () => {
  const project = createProject();
  await onScreen(project, ['start', '--wait', 'x'], { newId: 'zzzzzzzzzz', now: 0 });
  await project.settled('zzzzzzzzzz');
  rmSync(join(session(project, 'zzzzzzzzzz'), 'summary.json'));
  writeFileSync(join(session(project, 'zzzzzzzzzz'), 'session.json'), '');
  for (let i = 0; i < 20; i += 1) await onScreen(project, ['start', 'x']);
  expect((await onScreen(project, ['ls'])).stdout.trim().split('\n')).toHaveLength(21);
});
