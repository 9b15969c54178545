import type { FileTurn } from '../../core/conversation/session-file.ts';
import { claimTurn, flushClaim } from '../../store/claim.ts';
import type { RequestRecord } from '../../store/records.ts';
import type { ManagerContext, Turn } from '../context.ts';
import { adoptedTurn } from './adopt-session.ts';

/** What was said in the thread of a session without zwarm. */
interface Said {
  readonly turns: Iterable<FileTurn>;
  /** How many of these are turns of the session already. */
  readonly known: number;
  readonly threadId: string;
  /** The thread that it continued; null where that no longer holds what came before. */
  readonly continued: string | null;
  /** What ran it, where that is not what the session was started with; who asked for it, and where it worked. */
  readonly asked: Partial<Pick<RequestRecord, 'runs' | 'by'>>;
  readonly directory: string;
  readonly version: string | null;
  /** Whether the program has ended: what has no end was cut off then. */
  readonly isOver: boolean;
}

/** Makes turns of a session of it, behind the turn `after`; how many were added. @throws ZwarmError `lost_race`, `io` */
export function claimSaid(context: ManagerContext, { turn: after, ...session }: Turn, said: Said): number {
  const { known, threadId, continued, asked, directory, version, isOver } = said;
  let turn = after;
  for (const { lines: events, end, ...own } of said.turns) {
    turn += 1;
    if (turn <= after + known) continue;
    const same = { directory, stream: 'history', threadId, continued, version } as const;
    const itsEnd = () => {
      const { endedMs, interrupted, ended } = end();
      return { endedMs, exitCode: null, interrupted: interrupted || (isOver && !ended) };
    };
    const found = { ...own, ...same, events, end: itsEnd };
    claimTurn({ ...session, turn }, adoptedTurn(context, 'external', found, asked));
    flushClaim({ ...session, turn });
  }
  return Math.max(0, turn - after - known);
}
