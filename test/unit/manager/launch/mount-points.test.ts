import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { digest } from '../../../../src/core/digest.ts';
import type { Turn } from '../../../../src/manager/context.ts';
import { keepMountPoints, releaseMountPoints } from '../../../../src/manager/launch/mount-points.ts';
import { ownIdentity } from '../../../../src/process/identity.ts';
import { place } from '../../../helpers/config.ts';
import { emptyDirectory } from '../../../helpers/directory.ts';
import { ID } from '../../../helpers/store.ts';

test('a mount point that goes while a turn begins is made anew for that turn, and goes with it', async () => {
  const [state, directory] = [emptyDirectory(), emptyDirectory()];
  const turn = { store: { state, id: 'store' }, id: ID, turn: 1 } as unknown as Turn;
  const mounts = join(state, 'mounts', digest(directory).slice(0, 16));
  const point = join(directory, '.codex');
  // Somebody who lives is about to remove it.
  const { pid, start } = ownIdentity();
  place(join(mounts, '.removing'), `${pid} ${start}`);
  mkdirSync(point);
  const kept = keepMountPoints(turn, directory, () => (existsSync(point) ? [] : ['.codex']));
  rmdirSync(point);
  rmSync(join(mounts, '.removing'));
  await kept;
  expect(readdirSync(mounts)).toContain('point.codex');
  // As bwrap does.
  mkdirSync(point);
  await releaseMountPoints(turn, directory);
  expect([existsSync(point), existsSync(mounts)]).toEqual([false, false]);
});
