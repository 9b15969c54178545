import { isSessionId, parseTurnNumber, type SessionId } from './ids.ts';

/*
 * The mark that every process of a turn has in its environment: `<store id>@<session>.<turn>.<nonce>`, with `.runner`
 * behind it in the runner's own.
 */

/** A store by its random id. */
export interface Marking {
  readonly id: string;
}

/** What the marks of all turns of a store begin with. */
export function marksOfStore({ id }: Marking): string {
  return `${id}@`;
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

/** The parts of a mark. */
export interface TurnMark {
  readonly store: string;
  readonly session: SessionId;
  readonly turn: number;
  readonly nonce: string;
}

/** The parts of a text that is a mark, else null. */
export function parseMark(text: string): TurnMark | null {
  const parts = /^([a-z0-9]+)@([a-z0-9]+)\.([0-9]+)\.([a-z0-9]+)(\.runner)?$/.exec(text);
  const [, store = '', session = '', number = '', nonce = ''] = parts ?? [];
  const turn = parseTurnNumber(number);
  return isSessionId(session) && turn !== null ? { store, session, turn, nonce } : null;
}
