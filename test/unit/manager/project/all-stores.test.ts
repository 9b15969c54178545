import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { SessionId } from '../../../../src/core/ids.ts';
import type { Store } from '../../../../src/manager/context.ts';
import { marksDir, writeMark } from '../../../../src/store/seen.ts';
import { createShellProject, hasEnded } from '../../../helpers/project.ts';
import { addSession, createEmptyStore, createStoredSession, ID } from '../../../helpers/store.ts';
import { managerOf } from '../../../helpers/tools-in-process.ts';

/** A manager for the user in a directory beside the project of a store, in the same state directory. */
function managerBeside({ state }: Store) {
  const base = dirname(state);
  return managerOf({ directory: base, env: { HOME: base, ZWARM_DIR: state } }, null);
}

const removeProject = ({ projectRoot }: Store): void => fs.rmSync(projectRoot, { recursive: true });

test('a project that is gone is listed with its sessions and when one of them was last told something', async () => {
  const store = createStoredSession();
  const manager = managerBeside(store);
  expect(await manager.listGone()).toEqual([]);
  const other = 'bcdefghjkm' as SessionId;
  addSession(store, other);
  fs.utimesSync(join(store.root, 'sessions', ID, 'turns'), 2000, 2000);
  fs.utimesSync(join(store.root, 'sessions', other, 'turns'), 1000, 1000);
  removeProject(store);
  const gone = { root: store.root, project: store.projectRoot, sessions: 2, lastMs: 2_000_000 };
  expect(await manager.listGone()).toEqual([{ ...gone, bytes: expect.any(Number) }]);
  // Another one in its place is not it.
  fs.mkdirSync(store.projectRoot);
  const record = join(store.root, 'project.json');
  const text = fs.readFileSync(record, 'utf8');
  fs.writeFileSync(record, JSON.stringify({ ...JSON.parse(text), inode: '1' }));
  expect(await manager.listGone()).toHaveLength(1);
  // What is being relocated is not gone, nor what cannot be told.
  for (const spoilt of [JSON.stringify({ ...JSON.parse(text), path: '/no/where' }), '{']) {
    fs.writeFileSync(record, spoilt);
    expect(await manager.listGone()).toEqual([]);
  }
});

test('a project without sessions was never used', async () => {
  const store = createEmptyStore();
  removeProject(store);
  expect(await managerBeside(store).listGone()).toMatchObject([{ sessions: 0, lastMs: null }]);
});

test('a store whose project is gone goes with its damaged sessions and all marks of it, once', async () => {
  const store = createStoredSession();
  const manager = managerBeside(store);
  fs.writeFileSync(join(store.root, 'sessions', ID, 'session.json'), '{');
  const marks = ['user', 'mcp:codex'].map((source) => marksDir(store.state, source, store.id));
  for (const directory of marks) writeMark(directory, ID, 1);
  removeProject(store);
  const gone = await manager.listGone();
  expect(await manager.removeGone(gone)).toEqual({ removed: gone, kept: [] });
  expect(fs.readdirSync(join(store.state, 'projects'))).toEqual([]);
  expect(marks.filter((directory) => fs.existsSync(directory))).toEqual([]);
  // Another command was first.
  expect(await manager.removeGone(gone)).toEqual({ removed: [], kept: [] });
});

test('what still runs of a project that is gone is kept, until it has ended', async () => {
  const project = createShellProject();
  const id = (await project.begin('hang')) as SessionId;
  const manager = managerOf(project, null);
  const root = project.store();
  const away = join(project.base, 'away');
  fs.renameSync(project.directory, away);
  const beside = managerOf({ ...project, directory: project.base }, null);
  const gone = await beside.listGone();
  expect(gone).toMatchObject([{ root, sessions: 1 }]);
  expect(await beside.removeGone(gone)).toEqual({ removed: [], kept: gone });
  expect(fs.existsSync(project.turnFile(id, 1, 'prompt.md'))).toBe(true);
  expect(hasEnded(project.runs()[0]?.pid ?? 0)).toBe(false);
  fs.renameSync(away, project.directory);
  await manager.kill(id);
  await project.settled(id);
  fs.renameSync(project.directory, away);
  expect(await beside.removeGone(gone)).toEqual({ removed: gone, kept: [] });
  fs.renameSync(away, project.directory);
});
