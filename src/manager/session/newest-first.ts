import { type Dated, newestFirst, type SessionId } from '../../core/ids.ts';
import { isoTime } from '../../core/time.ts';
import { type Census, createCensus } from '../../process/turn-processes.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { isTombstone, listSessions, listTurns, readSessionRecord } from '../../store/sessions.ts';
import { createSummaryReader } from '../../store/summary.ts';
import type { Session, Store } from '../context.ts';
import { readBareFacts } from '../turn/turn-state.ts';
import { launchOf } from '../turn/turn-stream.ts';
import { activeMs } from './session-state.ts';
import { FOLD_VERSION } from './session-summary.ts';

/** When the last activity of a session was, by its records; null of one that is being removed. @throws DamagedRecord */
function activeAt(session: Session, census: Census): string | null {
  const turns = listTurns(session);
  if (isTombstone({ ...session, turn: turns.at(-1) ?? 0 })) return null;
  function* newest() {
    for (const number of turns.toReversed()) {
      const turn = { ...session, turn: number };
      yield { ...turn, ...readBareFacts(turn, census), launch: launchOf(turn) };
    }
  }
  return isoTime(activeMs(readSessionRecord(session), newest()));
}

/** What cannot be read comes last. */
const UNKNOWN = '';

/** The sessions of a store in the order of `ls`: the last activity first. No stream is read for that. */
export function inOrder(store: Store): readonly SessionId[] {
  const census = createCensus();
  const readSummary = createSummaryReader(store, FOLD_VERSION);
  const { directories, others } = listSessions(store.root);
  const dated = directories.flatMap((id): Dated[] => {
    const look = () => ({ at: readSummary(id)?.active_at ?? activeAt({ store, id }, census) });
    const { at } = unlessDamaged(look) ?? { at: UNKNOWN };
    return at === null ? [] : [{ id, at }];
  });
  const rest = others.map((id) => ({ id, at: UNKNOWN }));
  return [...dated, ...rest].sort(newestFirst).map(({ id }) => id);
}
