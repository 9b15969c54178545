import type { FileTurn } from '../../core/conversation/session-file.ts';
import { claimTurn, flushClaim } from '../../store/claim.ts';
import type { Runs } from '../../store/records.ts';
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
  /** Which agent ran it, where that is not the one that the session was started with, and where it worked. */
  readonly runs: Runs | null;
  readonly directory: string;
  readonly version: string | null;
}

/** Makes turns of a session of it, behind the turn `after`; how many were added. @throws ZwarmError `lost_race`, `io` */
export function claimSaid(context: ManagerContext, { turn: after, ...session }: Turn, said: Said): number {
  const { known, threadId, continued, runs, directory, version } = said;
  let turn = after;
  for (const { lines: events, end, ...own } of said.turns) {
    turn += 1;
    if (turn <= after + known) continue;
    const same = { directory, stream: 'history', threadId, continued, version } as const;
    const found = { ...own, ...same, events, end: () => ({ ...end(), exitCode: null }) };
    claimTurn({ ...session, turn }, adoptedTurn(context, 'external', found, runs));
    flushClaim({ ...session, turn });
  }
  return Math.max(0, turn - after - known);
}
