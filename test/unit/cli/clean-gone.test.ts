import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createShellProject, eventually } from '../../helpers/project.ts';
import { snapshot } from '../../helpers/tree.ts';

/** A project, and another one beside it that has one session. */
async function createOther(task = 'quick') {
  const project = createShellProject();
  const other = join(project.base, 'other');
  fs.mkdirSync(other);
  await project.ok(['start', ...(task === 'hang' ? [] : ['--wait']), task], { cwd: other });
  // Before its directory is moved away.
  await eventually('the agent runs', () => project.runs().length === 1);
  const clean = (words: string, options: object = {}) =>
    project.zwarm(['clean', '--gone', ...words.split(' ').filter(Boolean)], { tty: true, ...options });
  const stores = () => fs.readdirSync(join(project.state, 'projects'));
  return { project, other, clean, stores, leave: () => fs.renameSync(other, `${other}-moved`) };
}

test('where no project is gone, clean --gone says so, asks nothing, and deletes nothing', async () => {
  const { clean, stores } = await createOther();
  const before = stores();
  const hint = 'the directories of all projects are there\n';
  for (const words of ['', '--dry-run', '--yes'])
    expect(await clean(words)).toEqual({ code: 0, stdout: '', stderr: hint });
  const { code, stdout, stderr } = await clean('--json');
  expect([code, JSON.parse(stdout), stderr]).toEqual([0, { removed: [], kept: [] }, '']);
  expect(stores()).toEqual(before);
});

test('clean --gone --dry-run names what it would delete, and leaves it', async () => {
  const { project, other, clean, leave } = await createOther();
  leave();
  const before = snapshot(project.state);
  expect(await clean('--dry-run')).toEqual({ code: 0, stdout: `${other}\n`, stderr: 'would remove these\n' });
  const planned = await clean('--dry-run --json');
  expect(planned).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(planned.stdout)).toMatchObject({ removed: [{ project: other, sessions: 1 }], kept: [] });
  expect(snapshot(project.state)).toEqual(before);
});

test('clean --gone shows what is to be deleted and asks before it does', async () => {
  const { project, other, clean, stores, leave } = await createOther();
  leave();
  const before = snapshot(project.state);
  const listed = `^${other}.*\na project that was moved keeps its sessions .*: zwarm relocate\nDelete all of these sessions\\?\n`;
  const [refused, agreed] = [`${listed}nothing was changed\n$`, `${listed}$`].map((text) =>
    expect.stringMatching(new RegExp(text)),
  );
  expect(await clean('', { answer: false })).toEqual({ code: 1, stdout: '', stderr: refused });
  expect(snapshot(project.state)).toEqual(before);
  expect(await clean('', { answer: true })).toEqual({ code: 0, stdout: `${other}\n`, stderr: agreed });
  expect(stores()).toEqual([]);
});

test('clean --gone --json tells of what it deleted', async () => {
  const { other, clean, stores, leave } = await createOther();
  leave();
  const { code, stdout } = await clean('--yes --json');
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    { removed: [{ project: other, sessions: 1 }], kept: [] },
  ]);
  expect(stores()).toEqual([]);
});

test('what still runs of a project that is gone is kept, and that is a failure', async () => {
  const { project, other, clean, leave } = await createOther('hang');
  leave();
  const kept = await clean('--yes');
  expect(kept).toMatchObject({ code: 1, stdout: '' });
  expect(kept.stderr).toContain(`zwarm: kept, as a session of it may run: ${other}\n`);
  const { code, stdout } = await clean('--yes --json');
  expect([code, JSON.parse(stdout)]).toMatchObject([1, { removed: [], kept: [{ project: other }] }]);
  // It goes on as if nothing had been.
  fs.renameSync(`${other}-moved`, other);
  expect((await project.zwarm(['kill', '--all'], { cwd: other })).stdout).toMatch(/^\w{10} killed\n$/);
});
