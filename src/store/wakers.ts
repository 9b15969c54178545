import { dirname, join } from 'node:path';
import type { ProcessIdentity } from '../core/session.ts';
import { discard, makeDirs, replaceFile } from './files.ts';
import { type Generation, readGeneration } from './generations.ts';
import { BUILDING_PREFIX, wakeFile, wakersDir } from './layout.ts';
import { readText, unlessDamaged } from './read-file.ts';
import { parseRunnerStat } from './records.ts';

/*
 * Who wakes what waits for a time: a generation of `wakers/`, in which it writes `waker.stat` once it runs.
 */

/** The newest waker: who claimed it, and the process itself once it has shown itself. */
export interface Waker extends Generation {
  readonly identity: ProcessIdentity | null;
}

/** The newest waker of a state directory; generation 0 where none ever was. */
export function readWaker(state: string): Waker {
  const newest = readGeneration(wakersDir(state));
  const identity = unlessDamaged(() => {
    const text = readText(join(wakersDir(state), String(newest.generation), 'waker.stat'));
    return text === null ? null : parseRunnerStat(text).identity;
  });
  return { ...newest, identity };
}

/** When the waker is to act (seconds since the epoch), or null. */
export function readWakeTime(state: string): number | null {
  const text = unlessDamaged(() => readText(wakeFile(state)));
  return text === null || !/^[0-9]{1,12}\n$/.test(text) ? null : Number(text);
}

/** Says when it is to act. */
export function putWakeTime(state: string, seconds: number, unique: string): void {
  const path = wakeFile(state);
  makeDirs(dirname(path));
  replaceFile(path, `${seconds}\n`, join(dirname(path), `${BUILDING_PREFIX}${unique}`));
}

/** Forgets that: a waker that sleeps ends. */
export function forgetWakeTime(state: string): void {
  discard(wakeFile(state));
}
