import type { SessionId } from '../core/ids.ts';

/*
 * The mark that every process of a turn carries in its environment: `<store>@<session>.<turn>.<nonce>`. A copy of a
 * project, or a session that was planted in another one, has the same sessions and turns; the store tells them apart.
 */

/** What the marks of all turns of a store begin with: its real path, escaped so that no other store's can begin so. */
export function marksOfStore(root: string): string {
  return `${encodeURIComponent(root)}@`;
}

/** What the marks of all turns of a session begin with, or with a turn's number those of that turn. */
export function marksOf(root: string, id: SessionId, turn?: number): string {
  const session = `${marksOfStore(root)}${id}.`;
  return turn === undefined ? session : `${session}${turn}.`;
}

/** The mark of a turn. */
export function markOfTurn(root: string, id: SessionId, turn: number, nonce: string): string {
  return `${marksOf(root, id, turn)}${nonce}`;
}
