import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../src/core/ids.ts';
import { claimTombstone } from '../../src/store/claim.ts';
import { createShellProject, eventually, type Project } from '../helpers/project.ts';
import { createRepository } from '../helpers/repository.ts';
import { requestOf, storeOf } from '../helpers/store.ts';
import { createTools } from '../helpers/tools-in-process.ts';
import { snapshot } from '../helpers/tree.ts';

/** Checks that a command line is refused with these words and this exit code, and that it changes nothing. */
async function refuse(project: Project, line: string, said: string, code: number): Promise<void> {
  const before = snapshot(project.state);
  expect(await project.$(line)).toBe(`zwarm: ${said}\n[exit ${code}]\n`);
  expect(snapshot(project.state), line).toEqual(before);
}

test('of a session that runs, what was before can be forked, and the running turn cannot', async () => {
  const project = createShellProject();
  const id = await project.begin('hang');
  const running = (turn: number, hint: string) => `turn ${turn} of ${id} is still running\nhint: ${hint}`;
  for (const line of [`fork ${id}`, `fork ${id} --turn 1`])
    await refuse(project, line, running(1, `wait for it first: zwarm wait ${id}`), 4);
  for (const turn of [2, 3]) {
    await project.ok(['kill', id]);
    await project.ok(['inject', id, 'hang']);
    await eventually('the agent runs', () => project.runs().length === turn);
  }
  for (const line of [`fork ${id}`, `fork ${id} --turn 3 more`])
    await refuse(project, line, running(3, `fork what was before: zwarm fork ${id} --turn 2`), 4);
  await refuse(project, `fork ${id} --turn 4`, `${id} has no turn 4\nhint: its turns go from 1 to 3`, 2);
  for (const turn of [1, 2]) {
    const fork = (await project.ok(['fork', id, '--turn', String(turn), '-q'])).trim();
    expect((await project.show(fork)).turns.map(({ status }) => status)).toEqual(Array(turn).fill('killed'));
  }
});

test('where the directory of a session is gone nothing of it begins, is stopped or spent, and a fork goes on elsewhere', async () => {
  const project = createRepository();
  project.env['FAKE_AGENT_THREADS'] = '1';
  const [sub, other] = ['sub', 'other'].map((name) => join(project.directory, name)) as [string, string];
  for (const directory of [sub, other]) fs.mkdirSync(directory);
  const id = await project.ended(['-C', 'sub', 'first']);
  const running = await project.ok(['start', '-q', '-C', 'sub', 'hang']);
  await eventually('the agent runs', () => project.runs().length === 2);
  fs.rmSync(sub, { recursive: true });
  const gone = (of: string) =>
    `the agent's directory is gone or cannot be read: ${sub}\n` +
    `hint: make it available again, or go on elsewhere: zwarm fork ${of} -C DIR "…"`;
  for (const line of [`fork ${id}`, `fork ${id} -W`, `fork ${id} more`, `inject ${id} more`, `compact ${id}`])
    await refuse(project, line, gone(id), 4);
  await refuse(project, `inject ${running} --interrupt more`, gone(running), 4);
  expect((await project.show(running)).status).toBe('running');
  const tools = createTools({ project });
  const of = await tools.ok('delegate', { task: 'quick', worktree: true });
  fs.rmSync(of.working_dir, { recursive: true });
  const refused = await tools.refused('converse', { session_id: of.session_id, message: 'more' });
  expect(refused).toMatchObject({ error: expect.stringContaining(of.working_dir) });

  const choose = '-C and -W both say where it works\nhint: leave one of them out';
  await refuse(project, `fork ${id} -C other -W more`, choose, 2);
  await refuse(
    project,
    `fork ${id} -C missing more`,
    `there is no directory ${project.directory}/missing\nhint: give one that exists with -C DIR`,
    2,
  );
  const forked = await project.ok(['fork', '-q', '-C', '../other', '--wait', id, 'run pwd > here'], {
    cwd: other,
  });
  expect(await project.written('other/here')).toBe(other);
  expect(await project.show(forked)).toMatchObject({ working_dir: other, status: 'completed' });
  const waiting = await project.ok(['fork', '-q', '-C', 'other', id]);
  expect(await project.$(`inject ${waiting} --wait 'run pwd > here'`)).toBe('done\n');
  expect((await project.show(waiting)).turns.map(({ prompt }) => prompt)).toEqual([
    'first',
    'run pwd > here',
  ]);
});

test('a message whose directory goes while it waits is kept, and told where else to go on', async () => {
  const project = createShellProject();
  const sub = join(project.directory, 'sub');
  fs.mkdirSync(sub);
  const id = await project.ok(['start', '-q', '-C', 'sub', 'gate ../go']);
  await eventually('the agent runs', () => project.runs().length === 1);
  await project.ok(['inject', '-q', '--queue', id, 'more']);
  fs.renameSync(sub, `${sub}.away`);
  fs.writeFileSync(join(project.directory, 'go'), '');
  await project.settled(id);
  await eventually('it has ended', async () => (await project.show(id)).status === 'failed');
  const { turns, error } = await project.show(id);
  expect(turns.at(-1)?.prompt).toBe('more');
  expect(error).toMatchObject({
    code: 'no_working_dir',
    hint: `make it available again, then: zwarm inject ${id} "…"; or elsewhere: zwarm fork ${id} -C DIR "…"`,
  });
});

test('of a session that may run elsewhere, what was before can be forked there or here', async () => {
  const project = createShellProject();
  /** As if its newest turn had begun on another machine. */
  const move = (id: string, turn: number): void => {
    fs.rmSync(project.turnFile(id, turn, 'exit.json'));
    const path = project.turnFile(id, turn, 'runner.stat');
    const record = JSON.parse(fs.readFileSync(path, 'utf8'));
    fs.writeFileSync(path, JSON.stringify({ ...record, host: 'elsewhere', boot_id: 'theirs' }));
  };
  const [id, alone] = [await project.ended(), await project.ended()];
  await project.ok(['inject', id, '--wait', 'quick']);
  await project.settled(id, 2);
  move(id, 2);
  move(alone, 1);
  const refused = (hint: string) => expect.stringMatching(new RegExp(`\\nhint: ${hint}\\n\\[exit 4\\]\\n$`));
  expect(await project.$(`fork ${id}`)).toEqual(refused(`fork what was before: zwarm fork ${id} --turn 1`));
  expect(await project.$(`fork ${id} --turn 1 -q`)).not.toContain('[exit');
  expect(await project.$(`fork ${alone}`)).toEqual(refused('fork it there'));
});

test('a session of an agent that a newer zwarm knows is shown, and takes no turn', async () => {
  const project = createShellProject();
  const id = await project.ended();
  for (const file of ['../../session.json', 'request.json'].map((name) => project.turnFile(id, 1, name))) {
    const text = fs.readFileSync(file, 'utf8');
    expect(text).toContain('"agent":"codex"');
    fs.writeFileSync(file, text.replace('"agent":"codex"', '"agent":"newer"'));
  }
  for (const line of [`inject ${id} more`, `fork ${id}`, `compact ${id}`])
    await refuse(
      project,
      line,
      `${id} was written by a newer zwarm: this one does not know agent "newer"\n` +
        `hint: update zwarm; to read it: zwarm show ${id}`,
      4,
    );
  expect(await project.show(id)).toMatchObject({ agent: 'newer' });
});

test('a name stays taken while the session that has it is created or removed', async () => {
  const project = createShellProject();
  const id = (await project.ended(['--name', 'docs', 'quick'])) as SessionId;
  const store = storeOf(project.state, project.directory);
  claimTombstone({ store, id, turn: 2 }, { ...requestOf('end'), kind: 'tombstone' });
  await refuse(
    project,
    'start --name docs x',
    `the name docs is taken: ${id}, which is being removed\nhint: finish its removal: zwarm rm ${id}`,
    4,
  );
  await project.ok(['rm', id]);
  const other = await project.ended(['--name', 'docs', 'quick']);
  await refuse(
    project,
    'start --name docs x',
    `the name docs is taken: ${other}, completed\nhint: choose another name, or go on with that session: zwarm inject docs "…"`,
    4,
  );
});
