import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../../helpers/config.ts';
import { git, ME } from '../../helpers/git.ts';
import { createRepository } from '../../helpers/repository.ts';
import { createTools, managerOf } from '../../helpers/tools-in-process.ts';

test('a model lands what its own sessions changed, where the user’s own file allows it, and nothing else', async () => {
  const project = createRepository();
  const { directory, base } = project;
  const { ok, refused, manager } = createTools({ project, env: ME, mayLand: true });
  const answer = await ok('delegate', { task: 'run echo two > a.txt', worktree: true });
  const { session_id } = answer;
  const head = git(directory, 'rev-parse', 'main');
  const not = { error: 'landing is left to the user', hint: expect.stringContaining('tell the user') };
  expect(await refused('land', { session_id })).toMatchObject(not);
  // What an agent can write allows nothing.
  place(join(directory, 'zwarm.toml'), 'allow_land = true\n');
  expect(await refused('land', { session_id })).toMatchObject(not);
  place(join(base, 'home/.config/zwarm/config.toml'), 'allow_land = true\n');
  const planned = await ok('land', { session_id, dry_run: true });
  expect(planned).toMatchObject({ onto: 'main', from: head, files: 1, added: 1, removed: 1, left_out: [] });
  expect(git(directory, 'rev-parse', 'main')).toBe(head);
  const landed = await ok('land', { session_id });
  expect(landed.commit).toBe(git(directory, 'rev-parse', 'main'));
  expect(git(directory, 'show', 'main:a.txt')).toBe('two');
  expect(await ok('land', { session_id })).toMatchObject({ commit: null });

  const onto = manager.land(session_id, { onto: 'main', way: 'squash', dryRun: true });
  await expect(onto).rejects.toMatchObject({ code: 'not_allowed' });
  await expect(manager.askMerge(session_id, undefined)).rejects.toMatchObject({ code: 'not_allowed' });
  await expect(manager.apply(session_id)).rejects.toMatchObject({ code: 'not_allowed' });
  const users = await managerOf(project, null).start({ task: 'run echo x > x', worktree: {} });
  await manager.wait(users.id);
  expect(await refused('land', { session_id: users.id })).toMatchObject({
    error: expect.stringContaining('was not started by you'),
  });
});

test('the tool is there only where the user allows it', async () => {
  const names = async (mayLand: boolean) => {
    const { tools } = await createTools({ mayLand }).request('tools/list');
    return tools.map(({ name }: { name: string }) => name).includes('land');
  };
  expect([await names(true), await names(false)]).toEqual([true, false]);
});
