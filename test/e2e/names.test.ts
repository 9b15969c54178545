import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProcessIdentity } from '../../src/core/session.ts';
import { ownIdentity } from '../../src/process/identity.ts';
import { onScreen } from '../helpers/context.ts';
import { createProject, type Project } from '../helpers/project.ts';

const sessionsOf = (project: Project): string[] => readdirSync(join(project.store(), 'sessions'));

test('a second session of a name is refused, and the one that has it is named', async () => {
  const project = createProject();
  const id = await project.start(['--name', 'docs', 'one'], { env: { FAKE_AGENT_HANG: '1' } });
  expect(await onScreen(project, ['start', '--name', 'docs', 'two'])).toEqual({
    code: 4,
    stdout: '',
    stderr:
      `zwarm: the name docs is taken: ${id}, running\n` +
      'hint: choose another name, or go on with that session: zwarm inject docs "…"\n',
  });
  expect(sessionsOf(project)).toEqual([id]);
});

test('a name of a session that was removed is free, and no second removal finds another session', async () => {
  const project = createProject();
  for (let round = 0; round < 3; round += 1) {
    await project.ok(['start', '--wait', '--name', 'docs', 'one']);
    expect(await onScreen(project, ['rm', 'docs'])).toMatchObject({ code: 0 });
    expect(await onScreen(project, ['rm', 'docs'])).toMatchObject({ code: 3 });
  }
  expect(readdirSync(join(project.store(), 'names'))).toEqual([]);
});

test('of eight starts at once with one name exactly one has it, first and after a removal', async () => {
  const project = createProject();
  for (let round = 0; round < 2; round += 1) {
    const ends = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        project.asProcess(['start', '--wait', '-q', '--name', 'docs', `${i}`]),
      ),
    );
    expect(ends.map(({ code }) => code).sort()).toEqual([0, 4, 4, 4, 4, 4, 4, 4]);
    expect(sessionsOf(project)).toHaveLength(1);
    expect(project.runs()).toHaveLength(round + 1);
    await project.ok(['rm', 'docs']);
  }
});

/** What a command leaves that is killed after it has claimed a name, just before its session appears. */
async function leaveHalfStarted(project: Project, claimer: ProcessIdentity): Promise<void> {
  const id = JSON.parse(await project.ok(['start', '--wait', '--json', '--name', 'docs', 'one'])).id;
  await project.settled(id);
  const session = join(project.store(), 'sessions', id);
  const turn = join(session, 'turns', '1');
  const request = { v: 1, kind: 'prompt', claimer, nonce: 'x', at: '2026-11-20T10:00:00.000Z' };
  writeFileSync(join(turn, 'request.json'), JSON.stringify(request));
  renameSync(session, join(session, '..', `.new-${id}`));
}

test('a name that a killed command had claimed is free; one that a living command is about to give is not', async () => {
  const project = createProject();
  await leaveHalfStarted(project, ownIdentity());
  const refused = await onScreen(project, ['start', '--name', 'docs', 'two']);
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('which is being created') });
  const [building = ''] = sessionsOf(project);
  rmSync(join(project.store(), 'sessions', building), { recursive: true });
  rmSync(join(project.store(), 'names', 'docs'));

  await leaveHalfStarted(project, { ...ownIdentity(), start: '1' });
  expect(await onScreen(project, ['start', '--wait', '--name', 'docs', 'two'])).toMatchObject({ code: 0 });
  expect((await project.list()).map(({ name }) => name)).toEqual(['docs']);
});
