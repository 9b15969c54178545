import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { testAsRoot } from '../helpers/as-root.ts';
import { createProjectOfNobody } from '../helpers/nobody.ts';
import { eventually } from '../helpers/project.ts';
import { hasEnded } from '../helpers/shell-project.ts';
import { snapshot } from '../helpers/tree.ts';

/*
 * An agent that runs as its user may close directories to that user, by mode. Root passes every mode: these run as
 * somebody else.
 */

testAsRoot(
  'a session that is closed to its user is listed, and keeps nobody from the one beside it',
  async () => {
    const project = createProjectOfNobody();
    const { asNobody } = project;
    const victim = await project.beginAsNobody('quick victim');
    const good = await project.beginAsNobody('quick good');
    for (const id of [victim, good]) {
      await project.settled(id);
      await eventually('its runner is gone', () => project.marked(id).length === 0);
    }
    const sessions = join(project.directory, '.zwarm', 'sessions');
    chmodSync(join(sessions, victim), 0);
    const before = snapshot(join(sessions, good));

    const rows = JSON.parse((await asNobody('ls', '--json')).stdout);
    expect(rows).toMatchObject([
      { id: good, status: 'completed' },
      { id: victim, status: 'damaged', error: { message: expect.stringContaining('may not be read') } },
    ]);
    for (const args of [['show'], ['inject', 'quick more'], ['kill']]) {
      const [verb = '', ...rest] = args;
      expect(await asNobody(verb, victim, ...rest), verb).toMatchObject({ code: 4, stdout: '' });
    }
    expect(project.runs()).toHaveLength(2);
    expect(snapshot(join(sessions, good))).toEqual(before);
    const cleaned = await asNobody('clean', '--days', '0');
    expect(cleaned).toMatchObject({ code: 0, stdout: `${good}\n` });
  },
);

testAsRoot('an agent that closes its turns to its user is ended all the same', async () => {
  const project = createProjectOfNobody();
  const id = await project.beginAsNobody('hang');
  const turns = dirname(dirname(project.turnFile(id, 1, 'x')));
  chmodSync(turns, 0);
  expect(await project.asNobody('inject', id, 'quick')).toMatchObject({ code: 4 });
  expect(await project.asNobody('rm', id)).toMatchObject({ code: 4 });
  expect(await project.asNobody('clean', '--days', '0')).toMatchObject({ code: 0, stdout: '' });
  expect(project.runs().map(({ pid }) => hasEnded(pid))).toEqual([false]);
  expect(await project.asNobody('kill', '--all')).toMatchObject({ code: 0 });
  expect(project.runs().map(({ pid }) => hasEnded(pid))).toEqual([true]);
});
