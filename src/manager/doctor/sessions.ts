import { type Finding, finding } from '../../core/check.ts';
import { ZwarmError } from '../../core/errors.ts';
import type { SessionId } from '../../core/ids.ts';
import { turnFile } from '../../store/layout.ts';
import { DamagedRecord } from '../../store/read-file.ts';
import { checkSeal } from '../../store/seals.ts';
import {
  hasSession,
  listSessionIds,
  listTurns,
  readLaunch,
  readPrompt,
  readRequest,
  readSessionRecord,
} from '../../store/sessions.ts';
import { readTail } from '../../store/tail.ts';
import type { ManagerContext, Store } from '../context.ts';

/** So many are named; `ls` lists them all. */
const NAMED = 5;

/** Reads every record of a session, but not what its agent printed. @throws DamagedRecord */
function readThrough(root: string, id: SessionId): void {
  readSessionRecord(root, id);
  const turns = listTurns(root, id);
  if (turns.length === 0) throw new DamagedRecord('it has no turns');
  for (const turn of turns) {
    readRequest(root, id, turn);
    readLaunch(root, id, turn);
    readPrompt(root, id, turn);
    readTail(turnFile(root, id, turn, 'events'), 1);
  }
}

function damageOf(root: string, id: SessionId): string | null {
  try {
    readThrough(root, id);
    return null;
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error;
    // It was removed while we read it.
    return hasSession(root, id) ? error.message : null;
  }
}

function counted(count: number): string {
  return `${count} ${count === 1 ? 'session' : 'sessions'}`;
}

function andMore(all: readonly unknown[]): string {
  return all.length > NAMED ? ', …' : '';
}

/** Whether the records of all sessions can be read. */
export function checkSessions(_: ManagerContext, { root }: Store): Finding {
  const ids = listSessionIds(root).sort();
  const damaged = ids.flatMap((id) => {
    const reason = damageOf(root, id);
    return reason === null ? [] : [{ id, reason }];
  });
  if (damaged.length === 0) return finding('ok', counted(ids.length));
  const named = damaged.slice(0, NAMED);
  const told = named.map(({ id, reason }) => `${id} (${reason})`).join(', ');
  return finding(
    'failed',
    `${damaged.length} of ${counted(ids.length)} cannot be read: ${told}${andMore(damaged)}`,
    `look at their files, or remove them: zwarm rm ${named.map(({ id }) => id).join(' ')}`,
  );
}

function isSealed({ root, sealsDir }: Store, id: SessionId): boolean {
  try {
    checkSeal(sealsDir, root, id, readSessionRecord(root, id).bytes);
    return true;
  } catch (error) {
    // A damaged record is told of as that; one whose session was removed meanwhile is no matter.
    if (error instanceof DamagedRecord || !hasSession(root, id)) return true;
    if (error instanceof ZwarmError && error.code === 'seal_broken') return false;
    throw error;
  }
}

/** Whether every session's record is the one that was sealed: `inject` refuses all others. */
export function checkSessionSeals(_: ManagerContext, store: Store): Finding {
  const ids = listSessionIds(store.root).sort();
  const broken = ids.filter((id) => !isSealed(store, id));
  if (broken.length === 0) return finding('ok', 'every record is as it was sealed');
  return finding(
    'warning',
    `${counted(broken.length)} cannot be continued, as the record was changed or has no seal of yours: ${broken.slice(0, NAMED).join(', ')}${andMore(broken)}`,
    'an agent may have edited it, or the state directory was moved or copied; look, and seal it anew: zwarm config trust ID',
  );
}
