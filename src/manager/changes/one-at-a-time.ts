import { setTimeout as sleep } from 'node:timers/promises';
import { isAtWork, ownIdentity } from '../../process/identity.ts';
import { claimGeneration, giveUpGeneration, readGeneration } from '../../store/generations.ts';
import type { ManagerContext } from '../context.ts';

const LOOK_AGAIN_MS = 10;

/**
 * Does something that no two processes may do at once, such as what git does not do in one step. It waits for the process that
 * does it, unless that has died or was halted. `directory` says who that is.
 */
export async function oneAtATime<T>(
  context: ManagerContext,
  directory: string,
  act: () => Promise<T>,
): Promise<T> {
  for (;;) {
    const newest = readGeneration(directory);
    const isTaken = newest.claimer !== null && isAtWork(newest.claimer);
    const mine = isTaken ? null : claimGeneration(directory, newest, ownIdentity(), context.newNonce());
    if (mine === null) {
      await sleep(LOOK_AGAIN_MS);
      continue;
    }
    try {
      return await act();
    } finally {
      giveUpGeneration(mine);
    }
  }
}
