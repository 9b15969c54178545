import { ZwarmError } from '../core/errors.ts';
import type { SessionId } from '../core/ids.ts';
import { type Census, turnsWithAgent } from '../process/bearers.ts';
import type { Store } from './context.ts';
import { marksOf } from './mark.ts';

/**
 * Whether the end of a turn, or a turn after it, was written by an agent that lives: its runner waits for it all the
 * same. Later turns do not count: they were begun since we looked.
 */
export function isEndPlanted(store: Store, id: SessionId, newest: number, census: Census): boolean {
  return turnsWithAgent(marksOf(store, id), census).some((turn) => turn <= newest);
}

/** Makes sure that what the records call ended has ended. @throws ZwarmError `busy` */
export function requireRealEnd(store: Store, id: SessionId, newest: number, census: Census): void {
  if (!isEndPlanted(store, id, newest, census)) return;
  throw new ZwarmError(
    'busy',
    `${id} still runs, although its records say that it has ended`,
    `end it first: zwarm kill ${id}`,
  );
}
