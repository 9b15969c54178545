import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { digest } from '../../core/digest.ts';
import { isErrno } from '../../core/errors.ts';
import { marksOfTurn } from '../../core/turn-mark.ts';
import { isAlive, ownIdentity } from '../../process/identity.ts';
import { anyLives, createCensus } from '../../process/turn-processes.ts';
import { createFile, discard, discardEmpty, makeDirs, publishName } from '../../store/files.ts';
import { mountsDir } from '../../store/layout.ts';
import { readText, unlessDamaged } from '../../store/read-file.ts';
import type { Turn } from '../context.ts';

/*
 * For a name that is to stay closed and is not there, bwrap makes an empty directory to mount on. It goes when no confined
 * agent works in that directory any more: where it went before, the mount of another agent would go with it.
 *
 * `mounts/<key>/` holds a file for each such turn, named by its marks; `point<name>` for each directory that was made; and
 * `.removing` while somebody removes them. Whoever begins a turn writes its file first and looks for `.removing` then,
 * whoever removes does it the other way round: so one of the two sees the other.
 */

const REMOVING = '.removing';
const POINT = 'point';

const keyOf = (directory: string): string => digest(directory).slice(0, 16);

/** Whether whoever wrote a file lives; it says by its pid and its start. */
function writerLives(path: string): boolean {
  const [pid, start] = (unlessDamaged(() => readText(path)) ?? '').split(' ');
  return start !== undefined && isAlive({ pid: Number(pid), start });
}

const mine = (): string => {
  const { pid, start } = ownIdentity();
  return `${pid} ${start}`;
};

/** Creates a file of ours, also where its directory has just been removed; false where somebody has created it. */
function claim(directory: string, name: string): boolean {
  for (;;) {
    makeDirs(directory);
    try {
      createFile(`${directory}/${name}`, mine());
      return true;
    } catch (error) {
      if (isErrno(error, 'EEXIST')) return false;
      if (!isErrno(error, 'ENOENT')) throw error;
    }
  }
}

/**
 * Before a confined turn begins in a directory: its mount points stay until it has ended. `missing` tells which names are not
 * there; it is asked when nobody removes any of them any more.
 */
export async function keepMountPoints(
  turn: Turn,
  directory: string,
  missing: () => readonly string[],
): Promise<void> {
  const mounts = mountsDir(turn.store.state, keyOf(directory));
  claim(mounts, marksOfTurn(turn));
  while (writerLives(`${mounts}/${REMOVING}`)) await sleep(1);
  for (const name of missing()) publishName(`${mounts}/${POINT}${name}`);
}

/** After a confined turn has ended: removes the mount points of its directory, unless another one works there. */
export async function releaseMountPoints(turn: Turn, directory: string): Promise<void> {
  const mounts = mountsDir(turn.store.state, keyOf(directory));
  const own = marksOfTurn(turn);
  discard(`${mounts}/${own}`);
  while (!claim(mounts, REMOVING)) {
    if (writerLives(`${mounts}/${REMOVING}`)) await sleep(1);
    else discard(`${mounts}/${REMOVING}`);
  }
  const names = readdirSync(mounts);
  const points = names.filter((name) => name.startsWith(POINT));
  const turns = names.filter((name) => name !== REMOVING && !points.includes(name));
  const census = createCensus();
  const dead = turns.filter((marks) => !writerLives(`${mounts}/${marks}`) && !anyLives(marks, census));
  for (const marks of dead) discard(`${mounts}/${marks}`);
  if (dead.length === turns.length) {
    for (const point of points) {
      discardEmpty(`${directory}/${point.slice(POINT.length)}`);
      discard(`${mounts}/${point}`);
    }
  }
  discard(`${mounts}/${REMOVING}`);
  discardEmpty(mounts);
}
