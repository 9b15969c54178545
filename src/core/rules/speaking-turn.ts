import { isAdopted, type TurnKind } from '../session.ts';
import type { TurnStatus } from '../status.ts';

interface Turn {
  readonly request: { readonly kind: TurnKind; readonly queued: boolean };
  /** Null while no runner has shown itself. */
  readonly runner: object | null;
  readonly verdict: { readonly status: TurnStatus };
}

/** Whether no older turn can speak for the session: turns run one after the other. */
export function endsSearch({ request, runner, verdict: { status } }: Turn): boolean {
  const { kind } = request;
  if (kind === 'rewind') return false;
  return runner !== null || isAdopted(kind) || status === 'running' || status === 'unknown';
}

/** Whether a turn waited, and was taken back before it began: its message is not part of the conversation. */
export function isWithdrawn({ request, runner, verdict: { status } }: Turn): boolean {
  return request.queued && runner === null && status === 'killed';
}

/**
 * The turn that speaks for a session: the one that runs, else the oldest that waits, else the newest that is neither a
 * marker nor withdrawn; null where all are markers. `behind` are the turns that wait behind it, oldest first.
 * @param newestFirst all turns, or no more than those up to the first one that ends the search
 */
export function speakingTurn<T extends Turn>(
  newestFirst: readonly T[],
): { readonly current: T; readonly behind: readonly T[] } | null {
  const last = newestFirst.findIndex(endsSearch);
  const prompts = newestFirst
    .slice(0, last < 0 ? undefined : last + 1)
    .filter(({ request }) => request.kind !== 'rewind');
  const oldest = prompts.at(-1);
  const waiting = prompts.filter(({ verdict }) => verdict.status === 'pending').reverse();
  if (oldest?.verdict.status === 'running' || oldest?.verdict.status === 'unknown')
    return { current: oldest, behind: waiting };
  const [next, ...behind] = waiting;
  if (next !== undefined) return { current: next, behind };
  const newest = prompts.find((turn) => !isWithdrawn(turn)) ?? prompts[0];
  return newest === undefined ? null : { current: newest, behind: [] };
}
