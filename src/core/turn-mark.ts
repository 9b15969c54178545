import { isSessionId, parseTurnNumber, type SessionId } from './ids.ts';

// In the environment of every process of a turn: `<store id>@<session>.<turn>.<nonce>`, the runner's ends with `.runner`, its
// watcher's with `.watcher`.

interface MarkedSession {
  readonly store: { readonly id: string };
  readonly id: SessionId;
}

interface MarkedTurn extends MarkedSession {
  readonly turn: number;
}

/** What the marks of all turns of a store begin with. */
export function marksOfStore({ id }: MarkedSession['store']): string {
  return `${id}@`;
}

/** What the marks of all turns of a session begin with. */
export function marksOfSession({ store, id }: MarkedSession): string {
  return `${marksOfStore(store)}${id}.`;
}

/** What all marks of a turn begin with, whatever the nonce. */
export function marksOfTurn(turn: MarkedTurn): string {
  return `${marksOfSession(turn)}${turn.turn}.`;
}

/** The mark of a turn. */
export function markOfTurn(turn: MarkedTurn, nonce: string): string {
  return `${marksOfTurn(turn)}${nonce}`;
}

/** What the marks of a turn begin with in whatever store its session is by now: the nonce makes up for the store. */
export function marksOfClaim({ id, turn }: Omit<MarkedTurn, 'store'>, nonce: string): string {
  return `${id}.${turn}.${nonce}.`;
}

/** Whether a mark begins with such `marks`, those of a store or those of a claim. */
export function bears(mark: string, marks: string): boolean {
  if (marks.includes('@')) return mark.startsWith(marks);
  return `${mark.slice(mark.indexOf('@') + 1)}.`.startsWith(marks);
}

/** The parts of a text that is a mark, else null. */
export function parseMark(text: string) {
  const parts = /^([a-z0-9]+)@([a-z0-9]+)\.([0-9]+)\.([a-z0-9]+)(\.runner|\.watcher)?$/.exec(text);
  const [, store = '', session = '', number = '', nonce = ''] = parts ?? [];
  const turn = parseTurnNumber(number);
  return isSessionId(session) && turn !== null ? { store, session, turn, nonce } : null;
}
