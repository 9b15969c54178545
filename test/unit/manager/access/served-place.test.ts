import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { place } from '../../../helpers/config.ts';
import { git } from '../../../helpers/git.ts';
import { createShellProject } from '../../../helpers/project.ts';
import { managerOf } from '../../../helpers/tools-in-process.ts';

/**
 * A home in which a host starts servers, and two places with projects, of which the user's configuration allows one:
 * BASE/open with repo (and sub in it), new (no project yet), link (to closed/repo) and worktree (of closed/repo).
 */
function createPlaces(allowed: readonly string[] | null = ['~/../open']) {
  const project = createShellProject();
  const { base, env } = project;
  for (const name of ['open/repo', 'closed/repo', 'open-evil/repo']) {
    mkdirSync(join(base, name, 'sub/.git'), { recursive: true });
    git(join(base, name), 'init', '-q');
    git(join(base, name), 'commit', '-q', '--allow-empty', '-m', 'first');
  }
  for (const name of ['open/new', 'open/repo/.claude']) mkdirSync(join(base, name));
  writeFileSync(join(base, 'open/file'), '');
  symlinkSync('../closed/repo', join(base, 'open/link'));
  symlinkSync('../open/repo', join(base, 'closed/link'));
  git(join(base, 'closed/repo'), 'worktree', 'add', '-q', '../../open/worktree');
  if (allowed !== null)
    place(join(base, 'home/.config/zwarm/config.toml'), `allowed_dirs = ${JSON.stringify(allowed)}\n`);
  const short = (path: string) => path.replaceAll(base, 'BASE');
  return {
    ...project,
    /** Where a server works that was started in `cwd`; `asked` counts how often the host was asked for its roots. */
    async chosen(cwd: string, roots: readonly string[], more: Record<string, string> = {}) {
      let asked = 0;
      const manager = managerOf({ directory: join(base, cwd), env: { ...env, ...more } }, null);
      const found = await manager.servedPlace(async () => {
        asked += 1;
        return roots.map((path) => path.replace('BASE', base));
      });
      const notices = found.notices.map(short);
      const at = found.place && `${short(found.place.cwd)} of ${short(found.place.project?.checkout ?? '')}`;
      return { at, notices, asked };
    },
  };
}

const REPO = 'BASE/open/repo of BASE/open/repo';

test('of the directories that a host names the first counts that the user allows with all of its project', async () => {
  const { chosen, base } = createPlaces();
  const rows: readonly [named: readonly string[], at: string | null][] = [
    [['BASE/open/repo'], REPO],
    [['BASE/open/repo/sub'], 'BASE/open/repo/sub of BASE/open/repo'],
    [['BASE/open/new'], 'BASE/open/new of BASE/open/new'],
    [['BASE/closed/repo', 'BASE/open/repo', 'BASE/open/new'], REPO],
    [['BASE/open/../open/repo/'], REPO],
    [['BASE/closed/link'], REPO],
    // Everything else is where the user has not allowed it, or nowhere.
    [['BASE/closed/repo'], null],
    [['BASE/open-evil/repo'], null],
    [['BASE/open/../closed/repo'], null],
    [['BASE/open/link'], null],
    [['BASE/open/link/sub'], null],
    [['BASE/open/worktree'], null],
    [['BASE/open/repo/.git'], null],
    [['BASE/open/repo/.claude'], null],
    [['BASE/open/file'], null],
    [['BASE/open/nothing'], null],
    [['BASE/open/repo\0'], null],
    [['open/repo', '../open/repo', '~/../open/repo', ''], null],
    [['BASE/home', 'BASE', '/'], null],
    [[...Array(20).fill('/'), 'BASE/open/repo'], null],
    [[], null],
  ];
  for (const [named, at] of rows) expect(await chosen('home', named), String(named)).toMatchObject({ at });
  const one = { CLAUDE_PROJECT_DIR: join(base, 'open/new') };
  expect(await chosen('home', ['BASE/open/repo'], one)).toEqual({
    at: 'BASE/open/new of BASE/open/new',
    notices: ['works in BASE/open/new, which its host has named'],
    asked: 0,
  });
  const other = { CLAUDE_PROJECT_DIR: join(base, 'closed/repo') };
  expect(await chosen('home', ['BASE/open/repo'], other)).toMatchObject({ at: REPO, asked: 1 });
  expect(await chosen('home', ['BASE/open/link'], { CLAUDE_PROJECT_DIR: 'open/repo' })).toEqual({
    at: null,
    notices: ['open/repo', 'BASE/open/link'].map(
      (path) => `does not work in ${path}, as the user has not allowed it: zwarm config set allowed_dirs DIR`,
    ),
    asked: 1,
  });
});

test('a project of which the user allows only a part is not one to work in', async () => {
  const { chosen } = createPlaces(['~/../open/repo/sub']);
  expect(await chosen('home', ['BASE/open/repo/sub', 'BASE/open/repo'])).toMatchObject({ at: null });
  // Nor is a linked worktree of which that holds, whatever holds of the main checkout.
  const other = createPlaces(['~/../closed/repo', '~/../open/worktree/sub']);
  mkdirSync(join(other.base, 'open/worktree/sub'));
  expect(await other.chosen('home', ['BASE/open/worktree/sub'])).toMatchObject({ at: null });
});

test('where the user allows every directory, any that has a full path counts', async () => {
  const { chosen } = createPlaces(['*']);
  expect(await chosen('home', ['.', '', 'BASE/open/repo'])).toMatchObject({ at: REPO });
});

test('a server that was started in a project asks nobody; home, / and a directory of no project are none', async () => {
  const { chosen, base, zwarm } = createPlaces(null);
  const asked = async (cwd: string, env = {}) => (await chosen(cwd, [], env)).asked;
  expect(await asked('open/repo')).toBe(0);
  expect(await asked('open/repo/sub')).toBe(0);
  for (const cwd of ['home', 'open/new', '../../..']) expect(await asked(cwd), cwd).toBe(1);
  // A home that is kept in git, or has sessions of its own, is no project either; a directory with sessions is one.
  git(join(base, 'home'), 'init', '-q');
  for (const cwd of ['home', 'open/new'])
    await zwarm(['start', '-q', '--wait', 'quick'], { cwd: join(base, cwd) });
  expect(await asked('home')).toBe(1);
  expect(await asked('open/new')).toBe(0);
  // Nor do agents get to another one by naming it.
  const agent = { ZWARM_SESSION_ID: 'mcpagent22', CLAUDE_PROJECT_DIR: join(base, 'open/repo') };
  expect(await chosen('home', [], agent)).toEqual({ at: null, notices: [], asked: 0 });
});

test('where the user has configured nothing, what is allowed is what lies below the place of the start', async () => {
  const { chosen } = createPlaces(null);
  const named = ['BASE/closed/repo', 'BASE/open/repo'];
  expect(await chosen('home', named)).toMatchObject({ at: null });
  expect(await chosen('open/new', named)).toMatchObject({ at: null });
  expect(await chosen('open', named)).toMatchObject({ at: REPO });
  expect(await chosen('../../..', named)).toMatchObject({ at: null });
});

test('a host that does not tell, and a configuration that cannot be read, leave the server where it is', async () => {
  const { base, env } = createPlaces();
  const manager = managerOf({ directory: join(base, 'home'), env }, null);
  const silent = () => Promise.reject(new Error('does not know it'));
  expect(await manager.servedPlace(silent)).toEqual({ place: null, notices: ['does not know it'] });
  place(join(base, 'home/.config/zwarm/config.toml'), 'allowed_dirs = 5\n');
  expect(await manager.servedPlace(async () => [join(base, 'open/repo')])).toEqual({
    place: null,
    notices: [expect.stringMatching(/config\.toml: allowed_dirs/)],
  });
});
