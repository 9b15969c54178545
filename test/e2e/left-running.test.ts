import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionSummary } from '../../src/core/session.ts';
import { createShellProject, eventually, hasEnded, type Project } from '../helpers/project.ts';
import { createTools } from '../helpers/tools-in-process.ts';

/* What turns leave running that have ended: servers in the background, for example. */

const QUIETLY = '</dev/null >/dev/null 2>&1';
/** Two of them: one in a session of its own, and one in the group of the turn. Their ids are in the file of that name. */
const serve = (name: string): string =>
  `run setsid sleep 1000 ${QUIETLY} & one=$!; sleep 1000 ${QUIETLY} & echo $one $! > ${name}`;

const pidsIn = async (project: Project, name: string): Promise<number[]> =>
  (await project.written(name))
    .split(' ')
    .map(Number)
    .sort((a, b) => a - b);

test('what ended turns have left is counted, and kill ends it, whatever the status', async () => {
  const project = createShellProject();
  const id = await project.ended([serve('first')]);
  const idle = await project.ended(['quick']);
  const left = async () =>
    Object.fromEntries((await project.list()).map((row) => [row.id, row.processes_left]));
  expect(await left()).toEqual({ [id]: 2, [idle]: 0 });
  expect(await project.show(id)).toMatchObject({ processes_left: 2, status: 'completed' });
  expect(await project.$(`show ${id}`)).toContain(`\n  2 processes left\n  hint: zwarm kill ${id}\n`);
  expect(await project.$(`show ${idle}`)).not.toContain('left');
  // Others do not look at all processes.
  const [waited] = JSON.parse(await project.ok(['wait', id, '--json']));
  expect(waited).toMatchObject({ id, processes_left: null });

  await project.ok(['inject', '--wait', id, serve('second')]);
  expect(await left()).toEqual({ [id]: 4, [idle]: 0 });
  // The one that runs is not among them.
  await project.ok(['inject', id, 'hang']);
  await eventually('the agent runs', () => project.runs().length === 4);
  expect(await left()).toEqual({ [id]: 4, [idle]: 0 });

  const pids = [...(await pidsIn(project, 'first')), ...(await pidsIn(project, 'second'))];
  expect(pids.map(hasEnded)).toEqual([false, false, false, false]);
  expect(await project.$(`kill ${id}`)).toBe(`${id} killed\n`);
  expect(pids.map(hasEnded)).toEqual([true, true, true, true]);
  expect((await project.show(id)).turns.map(({ status }) => status)).toEqual([
    'completed',
    'completed',
    'killed',
  ]);
  expect(await left()).toEqual({ [id]: 0, [idle]: 0 });
  expect(await project.$(`kill ${id}`)).toContain('is not running');

  // Nobody says how its turns ended, where none of them counts any more.
  await project.ok(['inject', '--wait', idle, serve('third')]);
  expect(await project.$('kill --all')).toBe('');
  await project.ok(['rewind', idle, '--to', '0']);
  expect(await project.show(idle)).toMatchObject({ status: 'ready', processes_left: 2 });
  expect(await project.$(`kill ${idle}`)).toBe(`${idle} 2 processes ended\n`);
  expect((await project.show(idle)).status).toBe('ready');
  expect((await pidsIn(project, 'third')).map(hasEnded)).toEqual([true, true]);
});

test('from a shell that a turn has left nothing of it is ended', async () => {
  const project = createShellProject();
  const line = 'kill "$ZWARM_SESSION_ID" > said 2>&1; echo $? > code';
  const shell = `sh -c 'until [ -e go ]; do sleep 0.01; done; env -u ZWARM_SESSION_ID "$ZWARM_NODE" "$ZWARM_MAIN" ${line}'`;
  const id = await project.ended([`run sleep 1000 ${QUIETLY} & echo $! > server; ${shell} ${QUIETLY} &`]);
  writeFileSync(join(project.directory, 'go'), '');
  expect(await project.written('code')).toBe('1');
  expect(await project.written('said')).toContain(`${id} cannot be ended from inside`);
  expect((await pidsIn(project, 'server')).map(hasEnded)).toEqual([false]);
  expect(await project.$(`kill ${id}`)).toMatch(/ process(es)? ended\n$/);
});

test('whoever deletes a session is told what it has left', async () => {
  const project = createShellProject();
  const end = (pids: readonly number[]): void => {
    for (const pid of pids) process.kill(pid, 'SIGKILL');
  };
  const told = (id: string, pids: readonly number[]): string =>
    `zwarm: 2 processes left of ${id}, which zwarm no longer knows; to end: kill ${pids.join(' ')}\n`;
  const one = await project.ended([serve('one')]);
  const ofOne = await pidsIn(project, 'one');
  expect(await project.zwarm(['rm', one])).toMatchObject({
    code: 0,
    stdout: `${one}\n`,
    stderr: told(one, ofOne),
  });
  end(ofOne);

  const two = await project.ended([serve('two')]);
  const ofTwo = await pidsIn(project, 'two');
  const cleaned = await project.zwarm(['clean', '--days', '0']);
  expect(cleaned).toMatchObject({ code: 0, stdout: `${two}\n`, stderr: told(two, ofTwo) });
  end(ofTwo);

  const three = await project.ended([serve('three')]);
  const ofThree = await pidsIn(project, 'three');
  const { left } = JSON.parse(await project.ok(['clean', '--days', '0', '--json']));
  expect(left).toEqual([{ id: three, pids: ofThree }]);
  end(ofThree);
});

test('a copy of a session has left nothing of what the session has', async () => {
  const project = createShellProject();
  const id = await project.ended([serve('one')]);
  await project.ok(['pack', id, '-o', 'one.tgz']);
  const other = join(project.base, 'other');
  mkdirSync(other);
  writeFileSync(join(other, '.git'), '');
  await project.ok(['unpack', join(project.directory, 'one.tgz')], { cwd: other });
  const left = async (cwd: string) =>
    JSON.parse(await project.ok(['ls', '--json'], { cwd })).map((row: SessionSummary) => [
      row.id,
      row.processes_left,
    ]);
  expect(await left(other)).toEqual([[id, 0]]);
  expect(await left(project.directory)).toEqual([[id, 2]]);
  expect((await project.zwarm(['kill', id], { cwd: other })).code).toBe(4);
  await project.ok(['kill', id]);
});

test('a model that ends a session ends what it has left, and learns how its turn had ended', async () => {
  const project = createShellProject();
  const tools = createTools({ project });
  const id = await tools.ended(serve('one'));
  const asked = { session_id: id, reason: 'enough' };
  expect(await tools.ok('end_session', asked)).toMatchObject({ status: 'completed', reason: null });
  expect((await pidsIn(project, 'one')).map(hasEnded)).toEqual([true, true]);
});
