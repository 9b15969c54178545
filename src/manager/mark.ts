import type { SessionId } from '../core/ids.ts';
import type { Store } from './context.ts';

/*
 * The mark that every process of a turn carries in its environment: `<store>@<session>.<turn>.<nonce>`. A copy of a
 * project, or a session that was planted in another one, has the same sessions and turns; the store tells them apart.
 */

/** A store as far as its marks go. */
export type Marking = Pick<Store, 'mark'>;

/** What the marks of all turns of a store begin with. */
export function marksOfStore({ mark }: Marking): string {
  return `${mark}@`;
}

/** What the marks of all turns of a session begin with, or with a turn's number those of that turn. */
export function marksOf(store: Marking, id: SessionId, turn?: number): string {
  const session = `${marksOfStore(store)}${id}.`;
  return turn === undefined ? session : `${session}${turn}.`;
}

/** The mark of a turn. */
export function markOfTurn(store: Marking, id: SessionId, turn: number, nonce: string): string {
  return `${marksOf(store, id, turn)}${nonce}`;
}
