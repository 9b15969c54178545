import { isoTime } from '../../core/time.ts';
import type { Census } from '../../process/turn-processes.ts';
import { unlessDamaged } from '../../store/read-file.ts';
import { isTombstone, listTurns, readSessionRecord } from '../../store/sessions.ts';
import type { Session } from '../context.ts';
import { readBareFacts } from '../turn/turn-state.ts';
import { launchOf } from '../turn/turn-stream.ts';
import { activeMs } from './session-state.ts';

/** Whether the newest of these turns says that its session is being removed. */
const isGoing = (session: Session, turns: readonly number[]): boolean => {
  const last = turns.at(-1);
  return last !== undefined && isTombstone({ ...session, turn: last });
};

/**
 * When the last activity of a session was, by its records, however much of the rest can be read; null where these cannot.
 * `gone` of one that is being removed. No stream is read.
 */
export function activeAt({ store, id }: Session, census: Census): string | 'gone' | null {
  const session = { store, id };
  return unlessDamaged(() => {
    const turns = listTurns(session);
    if (isGoing(session, turns)) return 'gone';
    function* newest() {
      for (const number of turns.toReversed()) {
        const turn = { ...session, turn: number };
        yield { ...turn, ...readBareFacts(turn, census), launch: launchOf(turn) };
      }
    }
    return isoTime(activeMs(readSessionRecord(session), newest()));
  });
}
