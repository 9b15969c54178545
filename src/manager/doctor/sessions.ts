import { type Finding, finding } from '../../core/check.ts';
import { shellWord } from '../../core/shell-word.ts';
import { sessionDir, turnFile } from '../../store/layout.ts';
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
import type { Session, Store } from '../context.ts';

/** So many are named; `ls` lists them all. */
const NAMED = 5;

/** Why a record of a session cannot be read, or null; what its agent printed is not looked at. */
function damageOf(session: Session): string | null {
  try {
    readSessionRecord(session);
    const turns = listTurns(session);
    if (turns.length === 0) return 'it has no turns';
    for (const number of turns) {
      const turn = { ...session, turn: number };
      readRequest(turn);
      readLaunch(turn);
      readPrompt(turn);
      readTail(turnFile(turn, 'events'), 1);
    }
    return null;
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error;
    return hasSession(session) ? error.message : null;
  }
}

/** Whether the records of all sessions can be read. */
export function checkSessions(store: Store): Finding {
  const ids = listSessionIds(store.root).sort();
  const damaged = ids.flatMap((id) => {
    const reason = damageOf({ store, id });
    return reason === null ? [] : [{ id, reason }];
  });
  const counted = `${ids.length} ${ids.length === 1 ? 'session' : 'sessions'}`;
  if (damaged.length === 0) return finding('ok', counted);
  const named = damaged.slice(0, NAMED);
  const list = named.map(({ id, reason }) => `${id} (${reason})`).join(', ');
  const more = damaged.length > NAMED ? ', …' : '';
  const hint = `look at their files: ls -R ${named.map(({ id }) => shellWord(sessionDir({ store, id }))).join(' ')}`;
  return finding('failed', `${damaged.length} of ${counted} cannot be read: ${list}${more}`, hint);
}
