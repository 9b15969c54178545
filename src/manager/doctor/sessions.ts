import { type Finding, finding } from '../../core/check.ts';
import { turnFile } from '../../store/layout.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { readTail } from '../../store/read-from-end.ts';
import {
  hasSession,
  listSessionIds,
  listTurns,
  readLaunch,
  readPrompt,
  readRequest,
  readSessionRecord,
} from '../../store/sessions.ts';
import type { ManagerContext, Session, Store } from '../context.ts';

/** So many are named; `ls` lists them all. */
const NAMED = 5;

/** Reads every record of a session, but not what its agent printed. @throws DamagedRecord */
function readThrough(session: Session): void {
  readSessionRecord(session);
  const turns = listTurns(session);
  if (turns.length === 0) throw new DamagedRecord('it has no turns');
  for (const number of turns) {
    const turn = { ...session, turn: number };
    readRequest(turn);
    readLaunch(turn);
    readPrompt(turn);
    readTail(turnFile(turn, 'events'), 1);
  }
}

function damageOf(session: Session): string | null {
  try {
    readThrough(session);
    return null;
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error;
    // It was removed while we read it.
    return hasSession(session) ? error.message : null;
  }
}

function counted(count: number): string {
  return `${count} ${count === 1 ? 'session' : 'sessions'}`;
}

function andMore(all: readonly unknown[]): string {
  return all.length > NAMED ? ', …' : '';
}

/** Whether the records of all sessions can be read. */
export function checkSessions(_: ManagerContext, store: Store): Finding {
  const ids = listSessionIds(store.root).sort();
  const damaged = ids.flatMap((id) => {
    const reason = damageOf({ store, id });
    return reason === null ? [] : [{ id, reason }];
  });
  if (damaged.length === 0) return finding('ok', counted(ids.length));
  const named = damaged.slice(0, NAMED);
  const list = named.map(({ id, reason }) => `${id} (${reason})`).join(', ');
  return finding(
    'failed',
    `${damaged.length} of ${counted(ids.length)} cannot be read: ${list}${andMore(damaged)}`,
    `look at their files, or remove them: zwarm rm ${named.map(({ id }) => id).join(' ')}`,
  );
}
