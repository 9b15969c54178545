import { livenessOf } from '../../process/identity.ts';
import { readWaker, type Waker } from '../../store/wakers.ts';

/** The newest waker of a state directory, and whether it lives or is about to. */
export function wakerNow(state: string): { readonly newest: Waker; readonly lives: boolean } {
  const newest = readWaker(state);
  const who = newest.identity ?? newest.claimer;
  return { newest, lives: who !== null && livenessOf(who) === 'yes' };
}
